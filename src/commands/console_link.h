#pragma once

#include <memory>

#include "sluice/catalog/gate.h"
#include "sluice/commands/serve.h"
#include "sluice/config/environment.h"
#include "sluice/host/run.h"

namespace sluice::commands {

// Adds the console to a server that listens on a loopback address, and lets whoever started it know where it
// is once the server listens. Does nothing for other servers.
void add_console(host::RunOptions& options, ConsoleLink link, const config::Environment& environment);

}  // namespace sluice::commands
