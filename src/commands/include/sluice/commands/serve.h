#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/config/environment.h"
#include "sluice/datasets/datasets_provider.h"
#include "sluice/host/address.h"

namespace sluice::commands {

// What happens to the link to the console once the server listens.
enum class ConsoleLink : std::uint8_t {
  kTerminal,  // It is printed if standard error is a terminal.
  kOpen,      // It is opened in a browser; printed on a terminal if there is none.
  kPrint,     // It is printed to standard output.
};

struct ServeRequest {
  std::vector<std::string> sources;  // Folders, data files, and a configuration file (.yaml, .yml).
  std::optional<host::Address> http;
  bool stdio = false;                            // Beside HTTP; without HTTP stdio is what there is.
  std::optional<datasets::ToolProfile> profile;  // Overrides `tools.profile` of the configuration.
  ConsoleLink console_link = ConsoleLink::kTerminal;
};

// Serves until the input ends or a signal comes.
Status serve(const ServeRequest& request, const config::Environment& environment);

}  // namespace sluice::commands
