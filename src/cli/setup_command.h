#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace sluice::cli {

// The command line of `sluice setup`.
struct SetupCommand {
  std::vector<std::string> sources;
  std::vector<std::string> hosts;  // Empty: all that are found.
  std::string name = "sluice";
  std::string printed_host;  // Print what this host needs, and write nothing.
  bool yes = false;
  bool undo = false;
  const CLI::App* command = nullptr;
};

void add_setup(CLI::App& program, SetupCommand& setup);

// Returns the exit code. `argv0` is the name that the program was called by.
int run_setup(const SetupCommand& setup, const std::string& argv0);

}  // namespace sluice::cli
