#pragma once

#include <string>

namespace sluice::app {

// One JSON object about this build: version, commit, engine, compiler, C library and revisions of the
// protocol.
std::string describe_version();

}  // namespace sluice::app
