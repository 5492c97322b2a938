#include "wire_apis.h"

#include <algorithm>
#include <future>
#include <utility>

#include "sluice/apis/apis_provider.h"

namespace sluice::wiring {

namespace {

using apis::ApiSpec;

constexpr std::size_t kProbesAtOnce = 16;

std::vector<apis::Probe> probe_all(const std::vector<ApiSpec>& specs) {
  std::vector<apis::Probe> out;
  for (std::size_t begin = 0; begin < specs.size(); begin += kProbesAtOnce) {
    std::vector<std::future<apis::Probe>> asked;
    const std::size_t end = std::min(begin + kProbesAtOnce, specs.size());
    for (std::size_t i = begin; i < end; ++i)
      asked.push_back(std::async(std::launch::async, [&spec = specs[i]] { return apis::probe(spec); }));
    for (std::future<apis::Probe>& each : asked) out.push_back(each.get());
  }
  return out;
}

}  // namespace

std::vector<CheckLine> check_apis(const config::Config& config) {
  std::vector<CheckLine> lines;
  std::vector<apis::Probe> probes = probe_all(config.apis);
  for (std::size_t i = 0; i < probes.size(); ++i)
    lines.push_back({.ok = probes[i].is_reachable,
                     .subject = "api " + config.apis[i].name,
                     .finding = std::move(probes[i].finding)});
  return lines;
}

json::Array describe_apis(const config::Config& config) {
  json::Array out;
  const std::vector<apis::Probe> probes = probe_all(config.apis);
  for (std::size_t i = 0; i < probes.size(); ++i) {
    const ApiSpec& api = config.apis[i];
    json::Object one{
        {"name", api.name}, {"kind", "api"}, {"scheme", "api"}, {"endpoints", api.endpoints.size()}};
    one.set(probes[i].is_reachable ? "state" : "error", probes[i].finding);
    out.push_back(std::move(one));
  }
  return out;
}

Status add_apis(const config::Config& config, Providers& providers) {
  if (config.apis.empty()) return {};
  SLUICE_TRY(providers.emplace_back(), apis::make_apis_provider(config.apis));
  return {};
}

}  // namespace sluice::wiring
