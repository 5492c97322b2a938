#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "sluice/apis/apis_provider.h"

#include "answer_cache.h"
#include "api_source.h"

namespace sluice::apis {

namespace {

constexpr std::chrono::milliseconds kProbeTimeout{5'000};

// What can be asked for without knowing any value.
fetch::Url first_url(const ApiSource& source) {
  for (const Endpoint& endpoint : source.endpoints()) {
    if (endpoint.needs_parameters()) continue;
    if (Result<fetch::Url> url = endpoint.bind({}); url.ok()) return *std::move(url);
  }
  return source.base();
}

}  // namespace

Status check_spec(const ApiSpec& api) {
  AnswerCache cache(system_clock());
  const Result<std::unique_ptr<ApiSource>> source = ApiSource::open(api, system_clock(), cache);
  if (!source.ok()) return source.error();
  return {};
}

Probe probe(const ApiSpec& api) {
  AnswerCache cache(system_clock());
  const Result<std::unique_ptr<ApiSource>> source = ApiSource::open(api, system_clock(), cache);
  if (!source.ok()) return {.is_reachable = false, .finding = source.error().message};
  const Result<fetch::Response> response = (*source)->ask_once(first_url(**source), kProbeTimeout);
  if (!response.ok())
    return {.is_reachable = false,
            .finding = fmt::format("{} ({})", response.error().message, response.error().code)};
  const int status = response->head.status;
  const bool is_plain = !api.headers.empty() && !(*source)->base().is_https();
  std::string finding = fmt::format("reachable, answered {}, {} endpoints", status, api.endpoints.size());
  if (is_plain) finding += "; its headers go over plain http";
  return {.is_reachable = status != 401 && status != 403 && status < 500, .finding = std::move(finding)};
}

}  // namespace sluice::apis
