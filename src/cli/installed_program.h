#pragma once

#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/hosts/machine.h"
#include "sluice/hosts/server_entry.h"

namespace sluice::cli {

// The machine of the user who runs this program. Fails if HOME does not say where their folder is.
Result<hosts::Machine> this_machine();

// How a host starts this program over the sources: with absolute paths, since hosts start it from a folder of
// their own. A link such as /usr/local/bin/sluice is kept, so that the entry survives an update; a program
// that npx put into its cache is started through npx.
Result<hosts::ServerEntry> entry_for(const std::vector<std::string>& sources, const std::string& argv0,
                                     const hosts::Machine& machine);

}  // namespace sluice::cli
