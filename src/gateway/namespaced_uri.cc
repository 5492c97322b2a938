#include "sluice/gateway/namespaced_uri.h"

#include <algorithm>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"
#include "sluice/base/uri.h"
#include "sluice/base/uri_template.h"

namespace sluice::gateway {
namespace {

constexpr std::size_t kUriNamespaceBytesMax = 32;
constexpr std::string_view kUi = "ui://";
constexpr std::string_view kRaw = "raw:";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::optional<std::string> checked(std::string uri) {
  if (!ResourceUri::parse(uri).ok()) return std::nullopt;
  return uri;
}

}  // namespace

std::string namespace_of(std::string_view name) {
  std::string out;
  for (const char c : name.substr(0, kUriNamespaceBytesMax))
    out += is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' ? c : '_';
  if (out.empty() || !is_letter(out.front())) out.insert(0, "s");
  return out;
}

UriSpace::UriSpace(std::string_view name_space) : scheme_(to_lower_ascii(name_space)) {
  std::replace(scheme_.begin(), scheme_.end(), '_', '.');
}

std::optional<std::string> UriSpace::encode(std::string_view uri) const {
  if (uri.size() > kUriBytesMax) return std::nullopt;
  const Result<ResourceUri> parsed = ResourceUri::parse(uri);
  if (parsed.ok() && uri.starts_with(kUi))
    return checked(std::string(kUi) + scheme_ + "/" + std::string(uri.substr(kUi.size())));
  if (parsed.ok() && !uri.starts_with(kRaw)) return checked(scheme_ + "+" + std::string(uri));
  return checked(scheme_ + "+" + std::string(kRaw) + percent_encode(uri));
}

std::optional<std::string> UriSpace::decode(std::string_view uri) const {
  if (uri.starts_with(kUi)) {
    uri.remove_prefix(kUi.size());
    if (uri.size() <= scheme_.size() || uri[scheme_.size()] != '/') return std::nullopt;
    if (!equal_ignoring_case(uri.substr(0, scheme_.size()), scheme_)) return std::nullopt;
    return std::string(kUi) + std::string(uri.substr(scheme_.size() + 1));
  }
  if (uri.size() <= scheme_.size() || uri[scheme_.size()] != '+') return std::nullopt;
  if (!equal_ignoring_case(uri.substr(0, scheme_.size()), scheme_)) return std::nullopt;
  uri.remove_prefix(scheme_.size() + 1);
  if (!uri.starts_with(kRaw)) return std::string(uri);
  Result<std::string> raw = percent_decode(uri.substr(kRaw.size()));
  if (!raw.ok()) return std::nullopt;
  return *std::move(raw);
}

std::optional<std::string> UriSpace::encode_template(std::string_view uri_template) const {
  std::string out = uri_template.starts_with(kUi)
                        ? std::string(kUi) + scheme_ + "/" + std::string(uri_template.substr(kUi.size()))
                        : scheme_ + "+" + std::string(uri_template);
  if (uri_template.starts_with(kRaw) || !UriTemplate::parse(out).ok()) return std::nullopt;
  return out;
}

}  // namespace sluice::gateway
