#include "wire_ckan.h"

#include <utility>

#include "sluice/ckan/ckan_provider.h"

namespace sluice::wiring {

std::vector<CheckLine> check_portals(const config::Config& config) {
  std::vector<CheckLine> lines;
  if (!config.portals) return lines;
  if (config.portals->portals.empty())
    lines.push_back({.ok = true, .subject = "portals", .finding = "any public portal"});
  for (ckan::Probe& probe : ckan::probe(*config.portals))
    lines.push_back(
        {.ok = probe.is_reachable, .subject = "portal " + probe.portal, .finding = std::move(probe.finding)});
  return lines;
}

json::Array describe_portals(const config::Config& config) {
  json::Array out;
  if (!config.portals) return out;
  for (ckan::Probe& probe : ckan::probe(*config.portals))
    out.push_back(json::Object{{"name", probe.portal},
                               {"kind", "portal"},
                               {"scheme", "ckan"},
                               {probe.is_reachable ? "state" : "error", std::move(probe.finding)}});
  return out;
}

}  // namespace sluice::wiring
