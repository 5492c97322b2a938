#include "api_source.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/crypto/digest.h"
#include "sluice/fetch/retry.h"

#include "failure.h"

namespace sluice::apis {

namespace {

constexpr std::string_view kAccept = "application/json, text/*;q=0.8, */*;q=0.5";
constexpr std::size_t kEndpointsMax = 1'000;
constexpr std::chrono::milliseconds kLookTimeout{10'000};  // One that hangs must not hold up the others.
constexpr fetch::RetryRules kRetries{.attempts_max = 2,
                                     .first_delay = std::chrono::milliseconds(200),
                                     .delay_max = std::chrono::milliseconds(1'000),
                                     .retry_after_max = std::chrono::milliseconds(2'000)};

bool is_gone(int status) { return status == 404 || status == 410; }
bool is_success(int status) { return status >= 200 && status <= 299; }

void add_validators(fetch::Request& request, const std::string& etag, const std::string& last_modified) {
  if (!etag.empty()) request.headers.emplace_back("If-None-Match", etag);
  if (!last_modified.empty()) request.headers.emplace_back("If-Modified-Since", last_modified);
}

// A value of the environment may end with a newline, by accident.
bool is_header_text(std::string_view text) {
  constexpr std::size_t kBytesMax = 16 * 1024;
  return text.size() <= kBytesMax && std::none_of(text.begin(), text.end(), [](char c) {
           return static_cast<unsigned char>(c) < 0x20 || c == '\x7f';
         });
}

fetch::Policy policy_of(const ApiSpec& spec, const fetch::Url& base) {
  fetch::Policy policy{.allowed = {base.origin()},
                       .allow_private = spec.allow_private,
                       .ca_file = spec.ca_file,
                       .proxy = spec.proxy,
                       .hosts = {}};
  policy.allowed.insert(policy.allowed.end(), spec.allowed_origins.begin(), spec.allowed_origins.end());
  return policy;
}

}  // namespace

ApiSource::ApiSource(const ApiSpec& spec, const Clock& clock, AnswerCache& cache)
    : spec_(spec), clock_(clock), cache_(cache) {}

Result<std::unique_ptr<ApiSource>> ApiSource::open(const ApiSpec& spec, const Clock& clock,
                                                   AnswerCache& cache) {
  if (!is_plain_name(spec.name))
    return invalid_api(fmt::format("not a name of an API: {}", excerpt(spec.name)));
  const Result<fetch::Url> base = fetch::Url::parse(spec.base);
  if (!base.ok()) return invalid_api(fmt::format("the base of {}: {}", spec.name, base.error().message));
  if (spec.base.find_first_of("?#") != std::string::npos)
    return invalid_api(fmt::format("the base of {} has a query; endpoints have them", spec.name));
  for (const auto& [name, value] : spec.headers) {
    if (!is_header_text(name) || !is_header_text(value))
      return invalid_api(fmt::format("the header {} of {} has a control character, or is too long",
                                     excerpt(name), spec.name));
  }
  if (spec.endpoints.size() > kEndpointsMax) return invalid_api("an API has too many endpoints");
  std::unique_ptr<ApiSource> out(new ApiSource(spec, clock, cache));
  out->base_ = *base;
  std::set<std::string> names;
  for (const EndpointSpec& endpoint : spec.endpoints) {
    if (!names.insert(endpoint.name).second)
      return invalid_api(fmt::format("two endpoints are called {}", excerpt(endpoint.name)));
    SLUICE_TRY(Endpoint compiled, Endpoint::compile(spec.name, *base, endpoint));
    out->endpoints_.push_back(std::move(compiled));
  }
  Result<std::unique_ptr<fetch::Client>> client = fetch::Client::create(policy_of(spec, *base), clock);
  if (!client.ok()) return invalid_api(client.error().message);
  out->client_ = *std::move(client);
  return out;
}

const Endpoint* ApiSource::find(std::string_view endpoint) const {
  const auto found = std::find_if(endpoints_.begin(), endpoints_.end(),
                                  [&](const Endpoint& each) { return each.spec().name == endpoint; });
  return found == endpoints_.end() ? nullptr : &*found;
}

std::string ApiSource::key_text(const Endpoint& endpoint, const fetch::Url& url) {
  return endpoint.uri() + " " + url.text() + " ";
}

fetch::Request ApiSource::request_for(const fetch::Url& url) const {
  fetch::Request request;
  request.url = url;
  request.headers = {{"Accept", std::string(kAccept)}};
  request.credentials = {.origin = base_.origin(), .headers = spec_.headers};
  request.limits.bytes_max = spec_.bytes_max;
  request.limits.total = spec_.timeout;
  request.limits.connect = std::min(request.limits.connect, spec_.timeout);
  return request;
}

Result<std::shared_ptr<const Answer>> ApiSource::ask(const Endpoint& endpoint, fetch::Request request,
                                                     const Answer* old) {
  if (old != nullptr) add_validators(request, old->etag, old->last_modified);
  Result<fetch::Response> response = fetch::send_with_retries(
      [this](const fetch::Request& each) { return client_->send(each); }, request, kRetries,
      {.clock = clock_, .pause = fetch::system_pause(), .random = &fetch::system_random});
  if (!response.ok()) return request_failed(response.error(), spec_.name);
  const int status = response->head.status;
  if (status == 304 && old != nullptr) return std::shared_ptr<const Answer>();
  if (is_gone(status)) return not_found("the API has nothing there");
  if (!is_success(status)) return api_answered(response->head, spec_.name, clock_.wall());
  return std::make_shared<const Answer>(make_answer(*std::move(response), endpoint.spec().next));
}

Result<Kept> ApiSource::load(const Endpoint& endpoint, const fetch::Url& url, const Caller& caller) {
  const cache::Key key{.scope = cache::Scope::of(caller.principal), .text = key_text(endpoint, url)};
  const auto asking = [&](const Answer* old, std::stop_token stop) {
    fetch::Request request = request_for(url);
    request.deadline = caller.deadline;
    request.stop = std::move(stop);
    return ask(endpoint, std::move(request), old);
  };
  return cache_.load(key, spec_.ttl, asking, caller.stop);
}

Result<bool> ApiSource::look(const Endpoint& endpoint, const fetch::Url& url, Seen& seen,
                             std::stop_token stop) {
  fetch::Request request = request_for(url);
  request.limits.total = std::min(request.limits.total, kLookTimeout);
  request.stop = std::move(stop);
  add_validators(request, seen.etag, seen.last_modified);
  SLUICE_TRY(const fetch::Response response, client_->send(request));
  const int status = response.head.status;
  if (status == 304 && seen.is_known) return false;
  if (!is_success(status) && !is_gone(status)) return api_answered(response.head, spec_.name, clock_.wall());
  Seen now{.is_known = true,
           .etag = validator_of(response.head.headers, "etag"),
           .last_modified = validator_of(response.head.headers, "last-modified"),
           .digest = is_gone(status) ? "gone" : crypto::sha256(response.body)};
  const bool has_changed = seen.is_known && seen.digest != now.digest;
  const bool is_news = !seen.is_known || has_changed;
  seen = std::move(now);
  if (is_news) cache_.forget(key_text(endpoint, url));
  return has_changed;
}

Result<fetch::Response> ApiSource::ask_once(const fetch::Url& url, std::chrono::milliseconds timeout) {
  fetch::Request request = request_for(url);
  request.limits.total = std::min(request.limits.total, timeout);
  return client_->send(request);
}

}  // namespace sluice::apis
