#include "sluice/guard/issuers.h"

#include <algorithm>
#include <iterator>
#include <stop_token>
#include <utility>

namespace sluice::guard {

Result<std::vector<std::shared_ptr<const Issuer>>> Issuers::open(const std::vector<IssuerSpec>& specs) {
  std::vector<Running> started;
  std::vector<std::shared_ptr<const Issuer>> out;
  for (const IssuerSpec& spec : specs) {
    const auto same = std::find_if(running_.begin(), running_.end(),
                                   [&](const Running& each) { return each.issuer->spec == spec; });
    if (same != running_.end()) {
      out.push_back(same->issuer);
      continue;
    }
    SLUICE_TRY(Running next, start(spec));
    out.push_back(next.issuer);
    started.push_back(std::move(next));
  }
  std::move(started.begin(), started.end(), std::back_inserter(running_));
  return out;
}

void Issuers::keep_only(const std::vector<std::shared_ptr<const Issuer>>& issuers) {
  std::erase_if(running_, [&](const Running& each) {
    return std::find(issuers.begin(), issuers.end(), each.issuer) == issuers.end();
  });
}

Result<Issuers::Running> Issuers::start(const IssuerSpec& spec) const {
  SLUICE_TRY(std::unique_ptr<IssuerClient> client, IssuerClient::create(spec, clock_));
  Running out;
  Issuer issuer{.spec = spec,
                .keys = std::make_shared<KeySource>(spec.name, std::move(client), clock_),
                .introspection = nullptr};
  out.threads.emplace_back("auth-keys",
                           [keys = issuer.keys](const std::stop_token& stop) { keys->run(stop); });
  if (spec.introspection) {
    issuer.introspection = std::make_shared<Introspection>(spec, issuer.keys, clock_);
    for (unsigned i = 0; i < kIntrospectionThreads; ++i) {
      out.threads.emplace_back(
          "auth-introspect",
          [introspection = issuer.introspection](const std::stop_token& stop) { introspection->run(stop); });
    }
  }
  out.issuer = std::make_shared<const Issuer>(std::move(issuer));
  return out;
}

}  // namespace sluice::guard
