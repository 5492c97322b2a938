#pragma once

#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/config/environment.h"

namespace sluice::commands {

// Tools of upstreams whose definitions are not those that were pinned.
struct PinsRequest {
  std::string config;    // sluice.yaml
  std::string upstream;  // Empty: all that are pinned.
  std::string accept;    // A tool of the upstream, whose definition is pinned as it is now. Empty: none.
};

// Asks the upstreams for their tools and says which have changed, one line for each, or which one was
// accepted. Fails if the configuration cannot be read, or an upstream that was named is not pinned.
Result<std::vector<std::string>> review_pins(const PinsRequest& request,
                                             const config::Environment& environment);

}  // namespace sluice::commands
