#include "doctor_command.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/base/version.h"
#include "sluice/client/client.h"
#include "sluice/hosts/host.h"
#include "sluice/hosts/setup.h"

#include "report.h"

namespace sluice::cli {

namespace {

using wiring::CheckLine;

constexpr std::chrono::seconds kAnswerTimeMax{15};  // npx may have to look for the package first.
constexpr std::size_t kShownBytesMax = 300;

client::Environment environment_of(const hosts::NamedServer& server) {
  client::Environment all;
  for (const char* name :
       {"HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER", "XDG_RUNTIME_DIR"}) {
    if (const std::optional<std::string> value = environment(name)) all.emplace(name, *value);
  }
  all.insert_or_assign("LOG_LEVEL", "error");
  for (const auto& [name, value] : server.environment) all.insert_or_assign(name, value);
  return all;
}

std::string command_line_of(const hosts::ServerEntry& entry) {
  std::string line = entry.command;
  for (const std::string& argument : entry.arguments) line += " " + argument;
  return excerpt(line, kShownBytesMax);
}

// Starts a server as a host does: from another folder, and with little of our environment.
CheckLine check_server(const hosts::Host& host, const hosts::NamedServer& server,
                       const hosts::Machine& machine) {
  CheckLine line{.ok = false, .is_warning = false, .subject = std::string(host.name), .finding = {}};
  const std::string what = fmt::format("{} ({})", excerpt(server.name), command_line_of(server.entry));
  const std::optional<std::string> program = hosts::find_program(machine, server.entry.command);
  if (!program) {
    line.finding = fmt::format("{}: there is no program {}; run sluice setup again", what,
                               excerpt(server.entry.command, kShownBytesMax));
    return line;
  }
  client::Command command;
  command.program = *program;
  command.arguments = server.entry.arguments;
  command.environment = environment_of(server);
  command.folder = "/";
  client::ClientOptions options;
  options.connect_timeout = kAnswerTimeMax;
  options.timeout = kAnswerTimeMax;
  const Result<std::unique_ptr<client::Client>> client =
      client::Client::create(std::move(command), std::move(options));
  const Result<client::ServerInfo> info =
      client ? (*client)->connect() : Result<client::ServerInfo>(client.error());
  if (!info) {
    line.finding = fmt::format("{}: {}", what, info.error().message);
    return line;
  }
  const std::string& version = info->implementation.version;
  line.ok = true;
  line.is_warning = version != product_version();
  line.finding = fmt::format("{}: {} {} answers", what, excerpt(info->implementation.name), excerpt(version));
  if (line.is_warning) line.finding += fmt::format("; this program is {}", product_version());
  return line;
}

std::vector<CheckLine> check_host(const hosts::Host& host, const hosts::Machine& machine) {
  const std::string subject(host.name);
  const auto servers = hosts::configured_servers(host, machine);
  if (!servers)
    return {{.ok = false, .is_warning = false, .subject = subject, .finding = servers.error().message}};
  std::vector<CheckLine> lines;
  if (*servers) {
    for (const hosts::NamedServer& server : **servers) {
      if (hosts::is_sluice(server.entry)) lines.push_back(check_server(host, server, machine));
    }
  }
  if (!lines.empty()) return lines;
  return {{.ok = true,
           .is_warning = false,
           .subject = subject,
           .finding = fmt::format("does not know this program; add it with sluice setup SOURCE --host {}",
                                  host.id)}};
}

}  // namespace

std::vector<CheckLine> check_hosts(const hosts::Machine& machine) {
  std::vector<CheckLine> lines;
  for (const hosts::Host& host : hosts::all_hosts()) {
    if (!hosts::has_host(machine, host)) continue;
    for (CheckLine& line : check_host(host, machine)) lines.push_back(std::move(line));
  }
  if (lines.empty())
    lines.push_back(
        {.ok = true, .is_warning = false, .subject = "hosts", .finding = "none were found on this machine"});
  return lines;
}

}  // namespace sluice::cli
