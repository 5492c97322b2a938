#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/hosts/host.h"

namespace sluice::hosts {

// The machine that hosts are looked for on, as one user sees it.
struct Machine {
  std::string home;  // Absolute.
  std::function<std::optional<std::string>(const std::string& name)> environment;
};

// Where the configuration of a host is, or would be.
std::string configuration_file(const Host& host, const Machine& machine);

// Whether the host seems to be installed.
bool has_host(const Machine& machine, const Host& host);

// The absolute path of a program: of a name without a slash in the folders of PATH. Nothing if there is no
// such program that may be started.
std::optional<std::string> find_program(const Machine& machine, std::string_view name);

}  // namespace sluice::hosts
