#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/ckan/portal_spec.h"
#include "sluice/fetch/client.h"
#include "sluice/fetch/rate_limit.h"

#include "portal/directory.h"

namespace sluice::ckan {

// The ways to other servers. What one portal may do, such as having a private address, goes for its own
// origins alone; everything else goes over a wire that reaches public addresses only. Any thread.
class Wires {
 public:
  // `clock` must outlive it.
  static Result<std::unique_ptr<Wires>> create(const CkanSpec& spec, const Directory& directory,
                                               const Clock& clock);

  struct Wire {
    fetch::Client& client;
    fetch::RateLimit& rate;
  };
  // Whether an address may be connected to is decided when that happens.
  Wire wire_to(const fetch::Url& url) const;

 private:
  explicit Wires(const Clock& clock) : clock_(clock), usual_rate_({}, clock) {}
  Status add_portal(const Portal& portal);
  Status add_public(const Directory& directory);
  std::string proxy_for(const fetch::Url& url) const;

  const Clock& clock_;
  mutable fetch::RateLimit usual_rate_;
  CkanSpec spec_;
  std::map<std::string, std::unique_ptr<fetch::Client>, std::less<>> by_proxy_;  // "" goes straight there.
  std::vector<std::unique_ptr<fetch::Client>> own_;
  std::map<std::string, fetch::Client*, std::less<>> by_origin_;  // Of portals with terms of their own.
  std::vector<std::unique_ptr<fetch::RateLimit>> rates_;
  std::map<std::string, fetch::RateLimit*, std::less<>> rate_by_host_;
};

}  // namespace sluice::ckan
