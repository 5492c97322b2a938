#include "sluice/fetch/policy.h"

#include <algorithm>

#include <fmt/format.h>

#include "sluice/base/text.h"

namespace sluice::fetch {

namespace {

bool is_origin(std::string_view entry) { return entry.find("://") != std::string_view::npos; }

Result<Url> as_url(const std::string& entry) {
  const bool is_bare_v6 = entry.find(':') != std::string::npos && !entry.starts_with('[');
  return Url::parse(is_origin(entry) ? entry : is_bare_v6 ? "https://[" + entry + "]" : "https://" + entry);
}

bool allows(const std::string& entry, const Url& url) {
  const Result<Url> allowed = as_url(entry);
  if (!allowed.ok()) return false;
  return is_origin(entry) ? allowed->origin() == url.origin() : allowed->host() == url.host();
}

}  // namespace

Status check_policy(const Policy& policy) {
  for (const std::string& entry : policy.allowed) {
    if (!as_url(entry).ok())
      return invalid_input(fmt::format("neither a host nor an origin: {}", excerpt(entry)))
          .with_code("invalid_policy");
  }
  if (!policy.proxy.empty()) {
    if (!Url::parse(policy.proxy).ok())
      return invalid_input("the proxy is not an http or https URL").with_code("invalid_policy");
    if (policy.allowed.empty())
      return invalid_input("a proxy needs a list of the hosts that may be reached through it")
          .with_code("invalid_policy");
  }
  return {};
}

Status check_url(const Policy& policy, const Url& url) {
  const bool is_allowed =
      policy.allowed.empty() || std::any_of(policy.allowed.begin(), policy.allowed.end(),
                                            [&](const std::string& entry) { return allows(entry, url); });
  if (!is_allowed)
    return forbidden(fmt::format("fetch {}: not among what may be reached", url.origin()))
        .with_code("origin_refused");
  const std::optional<Address> address = url.address();
  if (address && !may_connect(*address, policy.allow_private))
    return address_refused(url, classify(*address));
  return {};
}

Error address_refused(const Url& url, AddressKind kind) {
  return forbidden(fmt::format("fetch {}: its address is not public: {}", url.origin(), to_string(kind)))
      .with_code("address_refused")
      .with_hint("allow_private: true in the configuration allows loopback and private networks.");
}

}  // namespace sluice::fetch
