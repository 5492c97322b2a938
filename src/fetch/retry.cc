#include "sluice/fetch/retry.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <random>
#include <string_view>

#include <curl/curl.h>

#include "sluice/base/random.h"
#include "sluice/base/text.h"

namespace sluice::fetch {

namespace {

constexpr std::array<std::string_view, 5> kIdempotent = {"GET", "HEAD", "OPTIONS", "PUT", "DELETE"};
constexpr std::int64_t kSecondsMax = 366LL * 24 * 3'600;

bool may_repeat(const Request& request) {
  return std::find(kIdempotent.begin(), kIdempotent.end(), request.method) != kIdempotent.end();
}

bool asks_again(const Result<Response>& outcome) {
  if (!outcome.ok()) return outcome.error().kind == ErrorKind::kUnavailable;
  const int status = outcome->head.status;
  return status == 429 || status == 502 || status == 503 || status == 504;
}

std::chrono::milliseconds backoff(const RetryRules& rules, std::size_t attempt, double random) {
  const std::size_t doublings = std::min<std::size_t>(attempt, 20);
  const auto full = std::min(rules.delay_max, rules.first_delay * (std::int64_t{1} << doublings));
  return full -
         std::chrono::milliseconds(static_cast<std::int64_t>(static_cast<double>(full.count()) * random / 2));
}

}  // namespace

std::optional<std::chrono::milliseconds> retry_after(const Headers& headers, WallTime now) {
  const std::string* value = find_header(headers, "retry-after");
  if (value == nullptr || value->empty()) return std::nullopt;
  std::int64_t seconds = 0;
  const auto parsed = std::from_chars(value->data(), value->data() + value->size(), seconds);
  if (parsed.ec == std::errc{} && parsed.ptr == value->data() + value->size()) {
    if (seconds < 0) return std::nullopt;
    return std::chrono::seconds(std::min(seconds, kSecondsMax));
  }
  const std::time_t date = curl_getdate(value->c_str(), nullptr);
  if (date < 0) return std::nullopt;
  const std::int64_t from = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  return std::chrono::seconds(
      std::clamp<std::int64_t>(static_cast<std::int64_t>(date) - from, 0, kSecondsMax));
}

Result<Response> send_with_retries(const std::function<Result<Response>(const Request&)>& send,
                                   const Request& request, const RetryRules& rules, const RetryTools& tools) {
  for (std::size_t attempt = 0;; ++attempt) {
    Result<Response> outcome = send(request);
    const bool is_last = attempt + 1 >= rules.attempts_max || !may_repeat(request);
    if (is_last || !asks_again(outcome)) return outcome;
    std::chrono::milliseconds delay = backoff(rules, attempt, tools.random());
    if (outcome.ok()) {
      if (const auto asked = retry_after(outcome->head.headers, tools.clock.wall())) {
        if (*asked > rules.retry_after_max) return outcome;
        delay = std::max(delay, *asked);
      }
    }
    if (request.deadline && tools.clock.now() + delay >= *request.deadline) return outcome;
    SLUICE_CHECK(tools.pause.wait(delay, request.stop));
  }
}

double system_random() {
  thread_local std::mt19937_64 generator{random_number()};
  return std::uniform_real_distribution<double>(0, 1)(generator);
}

}  // namespace sluice::fetch
