#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/fetch/message.h"
#include "sluice/fetch/pause.h"

namespace sluice::fetch {

struct RetryRules {
  std::size_t attempts_max = 3;
  std::chrono::milliseconds first_delay{250};         // Doubled each time,
  std::chrono::milliseconds delay_max{5'000};         // up to this; the jitter takes up to half of it away.
  std::chrono::milliseconds retry_after_max{30'000};  // An answer that asks for more is given up.
};

struct RetryTools {
  const Clock& clock;
  Pause& pause;
  std::function<double()> random;  // From 0 up to 1.
};

// Sends until there is an answer that is not 429, 502, 503 or 504, a failure that trying again cannot help,
// or the attempts are over. Only what may be done twice is: GET, HEAD, OPTIONS, PUT and DELETE. Retry-After
// is obeyed. No wait goes beyond the request's deadline.
Result<Response> send_with_retries(const std::function<Result<Response>(const Request&)>& send,
                                   const Request& request, const RetryRules& rules, const RetryTools& tools);

// How long an answer asks to be left alone: Retry-After in seconds or as a date. Nothing where it does not,
// or says something else.
std::optional<std::chrono::milliseconds> retry_after(const Headers& headers, WallTime now);

// From the operating system's generator, 0 up to 1.
double system_random();

}  // namespace sluice::fetch
