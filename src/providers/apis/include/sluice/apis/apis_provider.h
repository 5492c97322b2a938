#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sluice/apis/api_spec.h"
#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/catalog/provider.h"

namespace sluice::apis {

// Endpoints of HTTP APIs as resources: `api://{api}/{endpoint}`, and as templates where they have parameters:
// `api://{api}/{endpoint}/{path parameters, in order}{?query parameters}`. Answers are kept for the API's
// ttl, for each principal by itself; subscribers hear of changes by polling. Nothing is asked before somebody
// reads. Fails where a specification makes no sense: invalid_api. `clock` must outlive the provider.
Result<std::shared_ptr<catalog::Provider>> make_apis_provider(const std::vector<ApiSpec>& apis,
                                                              const Clock& clock = system_clock());

// Whether a specification could be served.
Status check_spec(const ApiSpec& api);

// What asking an API once gives, within a few seconds: its first endpoint that needs no parameter, else its
// base. `finding` has no secrets.
struct Probe {
  bool is_reachable = false;
  std::string finding;
};
Probe probe(const ApiSpec& api);

}  // namespace sluice::apis
