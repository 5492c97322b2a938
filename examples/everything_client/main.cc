// A client for the official conformance suite: everything_client URL, with the scenario in the environment.
#include <cstdio>
#include <cstdlib>

#include "scenario.h"

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing else runs yet.
  return value == nullptr ? "" : value;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: everything_client URL\n");
    return 2;
  }
  const everything::Scenario scenario{.name = variable("MCP_CONFORMANCE_SCENARIO"),
                                      .version = variable("MCP_CONFORMANCE_PROTOCOL_VERSION"),
                                      .context = variable("MCP_CONFORMANCE_CONTEXT"),
                                      .url = argv[1]};
  const sluice::Status done = everything::run_scenario(scenario);
  if (done.ok()) return 0;
  std::fprintf(stderr, "%s: %s (%s)\n", scenario.name.c_str(), done.error().message.c_str(),
               done.error().code.c_str());
  return 1;
}
