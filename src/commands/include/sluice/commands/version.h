#pragma once

#include <string>

namespace sluice::commands {

// One JSON object about this build: version, commit, engine, compiler, C library and revisions of the
// protocol.
std::string describe_version();

}  // namespace sluice::commands
