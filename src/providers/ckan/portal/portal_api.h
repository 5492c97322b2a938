#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/cache/cache.h"
#include "sluice/catalog/context.h"
#include "sluice/ckan/portal_spec.h"
#include "sluice/fetch/client.h"
#include "sluice/fetch/pause.h"
#include "sluice/json/value.h"

#include "portal/directory.h"
#include "portal/wires.h"

namespace sluice::ckan {

// Arguments of an action by name, in one order whatever order they were given in.
using Parameters = std::map<std::string, std::string, std::less<>>;

// `result` of an answer, cleaned. Immutable.
struct ActionResult {
  json::Value value;
  Monotonic as_of;
  std::chrono::milliseconds lifetime{0};
};
using ActionResultPtr = std::shared_ptr<const ActionResult>;  // The cache, and calls that read it.

struct Caller {
  std::stop_token stop;
  Monotonic deadline;
};
inline Caller caller_of(const catalog::Context& context) {
  return {.stop = context.stop(), .deadline = context.deadline()};
}

// How long the answer of an action is taken for true.
std::chrono::milliseconds lifetime_of(std::string_view action);

// CKAN's action API of any portal: kept answers, one request for all who ask the same, a rate for each host,
// retries. Requests carry no credentials of callers, so an answer is the same whoever asks. Any thread.
class PortalApi {
 public:
  // `clock` must outlive it.
  static Result<std::unique_ptr<PortalApi>> create(const CkanSpec& spec, const Clock& clock);

  const Directory& directory() const { return directory_; }
  const CkanSpec& spec() const { return spec_; }
  const Clock& clock() const { return clock_; }

  // Errors: ckan_not_found, ckan_invalid, ckan_denied, ckan_error, ckan_not_json, rate_limited, and those of
  // fetch::Client.
  Result<ActionResultPtr> get(const Portal& portal, std::string_view action, const Parameters& parameters,
                              const Caller& caller);

  // What is kept of it; null where there is nothing fresh.
  ActionResultPtr find(const Portal& portal, std::string_view action, const Parameters& parameters);

  // Waits for the host's turn. rate_limited where that would take too long.
  Status wait_turn(const fetch::Url& url, const Caller& caller) const;
  // The token of the portal at the URL's origin; no headers if it has none.
  fetch::Credentials credentials_for(const fetch::Url& url) const;
  fetch::Client& client_to(const fetch::Url& url) const { return wires_->wire_to(url).client; }

 private:
  PortalApi(const CkanSpec& spec, Directory directory, const Clock& clock);
  Result<ActionResult> ask(const Portal& portal, std::string_view action, const Parameters& parameters,
                           const Caller& caller) const;

  const CkanSpec spec_;
  const Directory directory_;
  const Clock& clock_;
  std::unique_ptr<Wires> wires_;
  cache::Cache<ActionResult> cache_;
};

}  // namespace sluice::ckan
