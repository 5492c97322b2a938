#include "endpoint.h"

#include <optional>

#include <fmt/format.h>

namespace sluice::oauth {

namespace {

Error refused_endpoint(std::string_view what, std::string_view why) {
  return forbidden(fmt::format("authorize: {} {}", what, why))
      .with_code("oauth_endpoint_refused")
      .with_hint("Authorization servers are reached by https; http is for servers on this machine only.");
}

}  // namespace

bool is_loopback(const fetch::Url& url) {
  if (std::optional<fetch::Address> address = url.address()) {
    if (classify(*address) == fetch::AddressKind::kMapped) {
      const fetch::Address::V6& bytes = address->bytes();
      address = fetch::Address::of(fetch::Address::V4{bytes[12], bytes[13], bytes[14], bytes[15]});
    }
    return classify(*address) == fetch::AddressKind::kLoopback;
  }
  return url.host() == "localhost" || url.host().ends_with(".localhost");
}

Result<fetch::Url> parse_endpoint(std::string_view text, std::string_view what, Loopback loopback) {
  Result<fetch::Url> url = fetch::Url::parse(text);
  if (!url.ok()) return refused_endpoint(what, "is no https URL");
  if (text.find('#') != std::string_view::npos) return refused_endpoint(what, "has a fragment");
  if (is_loopback(*url)) {
    if (loopback == Loopback::kRefused)
      return refused_endpoint(what, "is on loopback, and the resource is not");
    return url;
  }
  if (!url->is_https()) return refused_endpoint(what, "is not https");
  return url;
}

std::string_view path_without_slash(const fetch::Url& url) {
  std::string_view path = url.path();
  if (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

bool is_same_place(const fetch::Url& a, const fetch::Url& b) {
  return a.origin() == b.origin() && path_without_slash(a) == path_without_slash(b) && a.query() == b.query();
}

}  // namespace sluice::oauth
