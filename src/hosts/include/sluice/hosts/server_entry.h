#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/hosts/host.h"

namespace sluice::hosts {

// How a host starts a server.
struct ServerEntry {
  std::string command;
  std::vector<std::string> arguments;

  friend bool operator==(const ServerEntry&, const ServerEntry&) = default;
};

// A server in the configuration of a host. One that the host does not start, but reaches by a URL, has no
// command.
struct NamedServer {
  std::string name;
  ServerEntry entry;
  std::vector<std::pair<std::string, std::string>> environment;  // Variables that the host gives it.
};

// What follows takes and returns the text of a configuration file. All errors of an invalid text are
// kInvalidInput, code `host_file_invalid`, and name line and column.

// The servers in the order of the text. Anything that is not understood is left out.
Result<std::vector<NamedServer>> read_servers(const HostShape& shape, std::string_view text);

// Adds a server, or changes program and arguments of the one that has the name. Everything else stays byte
// for byte. A server that is there already as wanted changes nothing. kConflict, code `host_name_taken`, if
// the name belongs to something without a command.
Result<std::string> add_server(const HostShape& shape, std::string_view text, std::string_view name,
                               const ServerEntry& entry);

// Removes a server; a name that is not there is fine.
Result<std::string> remove_server(const HostShape& shape, std::string_view text, std::string_view name);

// The host's own command that adds a server, ready for a shell. Empty if the host has none.
std::string add_command(const Host& host, std::string_view name, const ServerEntry& entry);

}  // namespace sluice::hosts
