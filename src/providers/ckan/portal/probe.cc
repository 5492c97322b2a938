#include <algorithm>
#include <future>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/ckan/ckan_provider.h"

#include "portal/portal_api.h"
#include "portal/portal_text.h"

namespace sluice::ckan {

namespace {

constexpr std::chrono::milliseconds kProbeTimeout{5'000};
constexpr std::size_t kProbesAtOnce = 16;

Probe probe_portal(PortalApi& api, const PortalSpec& portal) {
  Probe out{.portal = portal.host, .is_reachable = false, .finding = {}};
  const Result<PortalPtr> found = api.directory().find_server(portal.host);
  if (!found.ok()) {
    out.finding = found.error().message;
    return out;
  }
  const Result<ActionResultPtr> status =
      api.get(**found, "status_show", {}, {.stop = {}, .deadline = system_clock().now() + 2 * kProbeTimeout});
  if (!status.ok()) {
    out.finding = fmt::format("{} ({})", status.error().message, status.error().code);
    return out;
  }
  out.is_reachable = true;
  const std::string version = text_of((*status)->value, "ckan_version");
  out.finding = version.empty() ? "reachable" : fmt::format("reachable, CKAN {}", excerpt(version, 40));
  return out;
}

}  // namespace

std::vector<Probe> probe(const CkanSpec& spec) {
  CkanSpec quick = spec;
  quick.timeout = std::min(quick.timeout, kProbeTimeout);
  std::vector<Probe> out;
  const Result<std::unique_ptr<PortalApi>> api = PortalApi::create(quick, system_clock());
  if (!api.ok()) return {{.portal = "portals", .is_reachable = false, .finding = api.error().message}};
  for (std::size_t begin = 0; begin < spec.portals.size(); begin += kProbesAtOnce) {
    std::vector<std::future<Probe>> asked;
    const std::size_t end = std::min(begin + kProbesAtOnce, spec.portals.size());
    for (std::size_t i = begin; i < end; ++i)
      asked.push_back(
          std::async(std::launch::async, [&, i] { return probe_portal(**api, spec.portals[i]); }));
    for (std::future<Probe>& each : asked) out.push_back(each.get());
  }
  return out;
}

}  // namespace sluice::ckan
