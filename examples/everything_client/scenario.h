#pragma once

#include <memory>
#include <string>

#include "sluice/client/client.h"
#include "sluice/oauth/authorizer.h"

namespace everything {

// What the official conformance suite tells the client under test.
struct Scenario {
  std::string name;     // MCP_CONFORMANCE_SCENARIO
  std::string version;  // MCP_CONFORMANCE_PROTOCOL_VERSION
  std::string context;  // MCP_CONFORMANCE_CONTEXT: JSON with data of the scenario, or empty.
  std::string url;      // The server's.
};

// Who authorizes requests in the scenarios auth/*; null in others.
std::shared_ptr<sluice::oauth::Authorizer> make_authorizer(const Scenario& scenario);

// Does what the scenario wants to see a client do.
sluice::Status run_scenario(const Scenario& scenario);

}  // namespace everything
