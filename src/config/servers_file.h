#pragma once

#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/config/environment.h"
#include "sluice/config/upstream_spec.h"

namespace sluice::config {

// Adds the servers of a file that other hosts use: {"mcpServers": {"name": {"command", "args", "env"}}}, or
// "servers" as VS Code has it. ${env:NAME}, ${NAME:-default}, ${workspaceFolder} and ${userHome} are replaced
// as well as ${NAME}. Keys that are not known are ignored, entries that cannot be used are left out, and
// `notes` says so; entries that are switched off are left out silently. Fails if the file cannot be read.
Status read_servers_file(const std::string& path, const Environment& environment,
                         std::vector<UpstreamSpec>& out, std::vector<UpstreamNote>& notes);

}  // namespace sluice::config
