#include "sluice/hosts/machine.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace sluice::hosts {

namespace {

constexpr std::string_view kHomeConfiguration = "~/.config/";

std::string value_of(const Machine& machine, std::string_view name) {
  return machine.environment(std::string(name)).value_or("");
}

// "~/" and, if it is set, XDG_CONFIG_HOME.
std::string expand(const Machine& machine, std::string_view path) {
  const std::string configuration = value_of(machine, "XDG_CONFIG_HOME");
  if (configuration.starts_with('/') && path.starts_with(kHomeConfiguration))
    return configuration + "/" + std::string(path.substr(kHomeConfiguration.size()));
  return machine.home + std::string(path.substr(1));
}

bool exists(const std::string& path) {
  std::error_code reason;
  return std::filesystem::exists(std::filesystem::symlink_status(path, reason));
}

bool is_program(const std::string& path) {
  std::error_code reason;
  return std::filesystem::is_regular_file(path, reason) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string configuration_file(const Host& host, const Machine& machine) {
  if (!host.variable.empty()) {
    const std::string folder = value_of(machine, host.variable);
    if (folder.starts_with('/')) return folder + "/" + std::string(host.variable_file);
  }
  std::string path = expand(machine, host.user_file.linux_path);
  if (host.other_file.empty() || exists(path)) return path;
  std::string other = expand(machine, host.other_file);
  return exists(other) ? other : path;
}

bool has_host(const Machine& machine, const Host& host) {
  const auto is_there = [&](std::string_view trace) {
    return !trace.empty() && exists(expand(machine, trace));
  };
  if (exists(configuration_file(host, machine))) return true;
  if (std::any_of(host.traces.begin(), host.traces.end(), is_there)) return true;
  return !host.program.empty() && find_program(machine, host.program).has_value();
}

std::optional<std::string> find_program(const Machine& machine, std::string_view name) {
  if (name.find('/') != std::string_view::npos) {
    const std::string path(name);
    return name.front() == '/' && is_program(path) ? std::optional(path) : std::nullopt;
  }
  const std::string path = value_of(machine, "PATH");
  std::string_view rest = path;
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::string folder(rest.substr(0, colon));
    rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
    if (!folder.starts_with('/')) continue;  // Of another folder tomorrow.
    std::string candidate = folder + "/" + std::string(name);
    if (is_program(candidate)) return candidate;
  }
  return std::nullopt;
}

}  // namespace sluice::hosts
