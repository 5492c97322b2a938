#pragma once

namespace sluice::cli {

// Parses the command line and runs one command. Returns the exit code: 0 done, 1 failed, 2 used wrongly.
int run(int argc, char** argv);

}  // namespace sluice::cli
