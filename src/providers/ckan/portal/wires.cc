#include "portal/wires.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

namespace sluice::ckan {

namespace {

Error unusable_portal(const Error& cause) { return invalid_input(cause.message).with_code("invalid_portal"); }

// As curl and most others read NO_PROXY: a name is that host and all hosts beneath it.
bool is_named(const std::vector<std::string>& names, const std::string& host) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& each) {
    if (each == "*") return true;
    const std::string name = to_lower_ascii(each.starts_with('.') ? each.substr(1) : each);
    return !name.empty() && (host == name || host.ends_with("." + name));
  });
}

// Hosts that a name of the configuration stands for.
void add_hosts(std::vector<std::string>& out, const Portal& portal) {
  out.push_back(portal.base.host());
  for (const std::string& origin : portal.spec.origins) {
    if (const Result<fetch::Url> url = fetch::Url::parse(origin); url.ok()) out.push_back(url->host());
  }
}

}  // namespace

Result<std::unique_ptr<Wires>> Wires::create(const CkanSpec& spec, const Directory& directory,
                                             const Clock& clock) {
  std::unique_ptr<Wires> out(new Wires(clock));
  out->spec_ = spec;
  for (const PortalPtr& portal : directory.portals()) SLUICE_CHECK(out->add_portal(*portal));
  SLUICE_CHECK(out->add_public(directory));
  return out;
}

Status Wires::add_portal(const Portal& portal) {
  const PortalSpec& own = portal.spec;
  if (own.has_own_rate) {
    rates_.push_back(std::make_unique<fetch::RateLimit>(own.rate, clock_));
    rate_by_host_[portal.base.host()] = rates_.back().get();
  }
  if (!own.allow_private && own.ca_file.empty()) return {};
  fetch::Policy policy{.allowed = {portal.base.origin()},
                       .allow_private = own.allow_private,
                       .ca_file = own.ca_file,
                       .proxy = proxy_for(portal.base),
                       .hosts = {}};
  for (const std::string& origin : own.origins) {
    const Result<fetch::Url> url = fetch::Url::parse(origin);
    if (!url.ok()) return unusable_portal(url.error());
    policy.allowed.push_back(url->origin());
  }
  const std::vector<std::string> origins = policy.allowed;
  Result<std::unique_ptr<fetch::Client>> client = fetch::Client::create(std::move(policy), clock_);
  if (!client.ok()) return unusable_portal(client.error());
  own_.push_back(*std::move(client));
  for (const std::string& origin : origins) by_origin_.try_emplace(origin, own_.back().get());
  return {};
}

Status Wires::add_public(const Directory& directory) {
  std::vector<std::string> hosts = spec_.file_hosts;
  for (const PortalPtr& portal : directory.portals()) add_hosts(hosts, *portal);
  for (const std::string& proxy : {std::string(), spec_.http_proxy, spec_.https_proxy}) {
    if (by_proxy_.contains(proxy)) continue;
    // Through a proxy no address is seen, so hosts are named; so they are where only portals are asked.
    const bool is_bounded = spec_.portals_only || !proxy.empty();
    if (is_bounded && hosts.empty()) hosts.emplace_back("localhost");  // An empty list would allow all.
    Result<std::unique_ptr<fetch::Client>> client =
        fetch::Client::create({.allowed = is_bounded ? hosts : std::vector<std::string>(),
                               .allow_private = false,
                               .ca_file = {},
                               .proxy = proxy,
                               .hosts = {}},
                              clock_);
    if (!client.ok()) return unusable_portal(client.error());
    by_proxy_.emplace(proxy, *std::move(client));
  }
  return {};
}

std::string Wires::proxy_for(const fetch::Url& url) const {
  if (is_named(spec_.no_proxy, url.host())) return "";
  return url.is_https() ? spec_.https_proxy : spec_.http_proxy;
}

Wires::Wire Wires::wire_to(const fetch::Url& url) const {
  const auto rate = rate_by_host_.find(url.host());
  fetch::RateLimit& limit = rate == rate_by_host_.end() ? usual_rate_ : *rate->second;
  const auto own = by_origin_.find(url.origin());
  if (own != by_origin_.end()) return {.client = *own->second, .rate = limit};
  return {.client = *by_proxy_.at(proxy_for(url)), .rate = limit};
}

}  // namespace sluice::ckan
