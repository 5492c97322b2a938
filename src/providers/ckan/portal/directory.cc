#include "portal/directory.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

namespace sluice::ckan {

namespace {

constexpr std::size_t kPortalsMax = 256;
constexpr std::size_t kFieldBytesMax = 100;

Error invalid_portal(std::string_view what) { return invalid_input(what).with_code("invalid_portal"); }

Error not_a_server(std::string_view text) {
  return invalid_input(fmt::format("not a server: {}", excerpt(text, 200)))
      .with_code("invalid_server_url")
      .with_hint("Give the URL of a CKAN portal, e.g. https://demo.ckan.org, or its host.");
}

// Host and port as they stand in a URI: the port only where it is not the usual one.
std::string authority_of(const fetch::Url& url) {
  const std::string origin = url.origin();
  return origin.substr(origin.find("://") + 3);
}

std::string portal_name(std::string_view text) {
  const Result<fetch::Url> url = fetch::Url::parse("https://" + std::string(text));
  return url.ok() ? authority_of(*url) : std::string();
}

// What can stand in a search as the name of a field; or nothing.
bool is_field(std::string_view text) {
  return text.size() <= kFieldBytesMax && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
         });
}

}  // namespace

std::string Portal::server_url() const {
  std::string out = base.text();
  while (out.ends_with('/')) out.pop_back();
  return out;
}

Result<fetch::Url> Portal::action_url(std::string_view action, std::string_view query) const {
  std::string text = server_url() + spec.api_path + "/" + std::string(action);
  if (!query.empty()) (text += '?') += query;
  return fetch::Url::parse(text);
}

Status Directory::add(const PortalSpec& spec) {
  auto portal = std::make_shared<Portal>();
  portal->spec = spec;
  portal->is_configured = true;
  const std::string name = portal_name(spec.host);
  if (name.empty())
    return invalid_portal(fmt::format("neither a host nor a name of a portal: {}", excerpt(spec.host)));
  const std::string text = spec.base.empty() ? "https://" + name : spec.base;
  const Result<fetch::Url> base = fetch::Url::parse(text);
  if (!base.ok()) return invalid_portal(fmt::format("the base of {}: {}", name, base.error().message));
  if (text.find_first_of("?#") != std::string::npos)
    return invalid_portal(fmt::format("the base of {} has a query", name));
  portal->base = *base;
  if (!portal->action_url("status_show", "").ok() || !spec.api_path.starts_with('/') ||
      spec.api_path.find_first_of("?#") != std::string::npos)
    return invalid_portal(fmt::format("the api_path of {} is no path", name));
  if (!is_field(spec.hvd_field)) return invalid_portal(fmt::format("the hvd_field of {} is no field", name));
  if (!spec.token.empty() && !base->is_https() && !spec.allow_private)
    return invalid_portal(fmt::format("the token of {} would be sent over http; use https", name));
  const bool is_header =
      std::all_of(spec.token.begin(), spec.token.end(), [](char c) { return c > ' ' && c < 127; });
  if (!is_header)
    return invalid_portal(fmt::format("the token of {} has characters that a header cannot have", name));
  if (spec.rate.per_second <= 0 || spec.rate.burst < 1)
    return invalid_portal(fmt::format("the rate of {} lets nothing through", name));
  std::vector<std::string> names{name, authority_of(*base)};
  for (const std::string& alias : spec.aliases) {
    names.push_back(portal_name(alias));
    if (names.back().empty())
      return invalid_portal(
          fmt::format("an alias of {} is neither a host nor a name: {}", name, excerpt(alias)));
  }
  names_.push_back(name);
  portals_.push_back(portal);
  for (std::string& each : names) by_name_.try_emplace(std::move(each), portal);
  return {};
}

Result<Directory> Directory::create(const CkanSpec& spec) {
  Directory out;
  out.portals_only_ = spec.portals_only;
  if (spec.portals.size() > kPortalsMax) return invalid_portal("there are too many portals");
  for (PortalSpec portal : spec.portals) {
    const std::string name = portal_name(portal.host);
    const bool is_taken = std::find(out.names_.begin(), out.names_.end(), name) != out.names_.end();
    if (is_taken) return invalid_portal(fmt::format("two portals are called {}", name));
    // An operator who only names a known portal means it as it is known.
    for (const PortalSpec& known : known_portals()) {
      if (!portal.base.empty() || portal_name(known.host) != name) continue;
      portal.base = known.base;
      portal.api_path = known.api_path;
      portal.aliases.insert(portal.aliases.end(), known.aliases.begin(), known.aliases.end());
      if (!portal.text_field) portal.text_field = known.text_field.value_or(false);
      if (portal.hvd_field.empty()) portal.hvd_field = known.hvd_field;
      if (portal.dataset_url.empty()) portal.dataset_url = known.dataset_url;
      if (portal.organization_url.empty()) portal.organization_url = known.organization_url;
    }
    SLUICE_CHECK(out.add(portal));
  }
  if (spec.portals_only) return out;
  for (PortalSpec portal : known_portals()) {
    portal.text_field = portal.text_field.value_or(false);
    if (!out.by_name_.contains(portal_name(portal.host))) SLUICE_CHECK(out.add(portal));
  }
  return out;
}

PortalPtr Directory::known(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

Result<PortalPtr> Directory::unknown(const fetch::Url& url) const {
  if (portals_only_)
    return invalid_input(fmt::format("not a portal of this server: {}", url.origin()))
        .with_code("portal_not_configured")
        .with_hint("The operator has limited this server to the portals of its configuration.");
  if (!url.is_https())
    return invalid_input(fmt::format("http is for configured portals: {}", url.origin()))
        .with_code("invalid_server_url")
        .with_hint("Use https, or have the portal put into the configuration.");
  auto portal = std::make_shared<Portal>();
  portal->base = url;
  return portal;
}

Result<PortalPtr> Directory::find_server(std::string_view authority) const {
  const Result<fetch::Url> url = fetch::Url::parse("https://" + std::string(authority));
  if (!url.ok() || url->path() != "/" || url->query()) return not_a_server(authority);
  if (PortalPtr portal = known(authority_of(*url))) return portal;
  return unknown(*url);
}

Result<PortalPtr> Directory::find_url(std::string_view text) const {
  if (text.find("://") == std::string_view::npos) return find_server(text);
  const Result<fetch::Url> url = fetch::Url::parse(text);
  if (!url.ok() || url->query()) return not_a_server(text);
  // A portal's own API replaces whatever path was given.
  if (PortalPtr portal = known(authority_of(*url))) return portal;
  return unknown(*url);
}

}  // namespace sluice::ckan
