#include "failure.h"

#include <optional>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/fetch/retry.h"

namespace sluice::apis {

namespace {

std::string_view what_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kDeadline:
      return "the API did not answer in time";
    case ErrorKind::kForbidden:
      return "the API leads to where it may not be followed";
    case ErrorKind::kLimitReached:
      return "the answer of the API is larger than it may be";
    case ErrorKind::kUnavailable:
      return "the API cannot be reached, or breaks off";
    case ErrorKind::kInvalidInput:
    case ErrorKind::kNotFound:
    case ErrorKind::kUnauthenticated:
    case ErrorKind::kConflict:
    case ErrorKind::kCancelled:
    case ErrorKind::kMissingCapability:
    case ErrorKind::kInputRequired:
    case ErrorKind::kUnsupported:
    case ErrorKind::kInternal:
      return "the API cannot be asked";
  }
  return "the API cannot be asked";
}

std::string hint_of(const fetch::Head& head, WallTime now) {
  if (head.status == 401 || head.status == 403)
    return "The headers that the configuration has for this API are not accepted.";
  if (const std::optional<std::chrono::milliseconds> wait = fetch::retry_after(head.headers, now))
    return fmt::format("Try again in {} seconds.", (wait->count() + 999) / 1'000);
  return head.status >= 500 || head.status == 429 ? "Try again later." : "";
}

}  // namespace

Error request_failed(const Error& cause, const std::string& api) {
  if (cause.kind == ErrorKind::kCancelled) return cause;
  log::warning("api_not_read", {{"api", api}, {"code", cause.code}, {"reason", cause.message}});
  return unavailable(fmt::format("Failed to read resource: {}", what_of(cause.kind)))
      .with_code(cause.code)
      .with_hint(cause.hint);
}

Error api_answered(const fetch::Head& head, const std::string& api, WallTime now) {
  log::warning("api_not_read", {{"api", api}, {"status", head.status}});
  return unavailable(fmt::format("Failed to read resource: the API answered {}", head.status))
      .with_code("api_error")
      .with_hint(hint_of(head, now));
}

}  // namespace sluice::apis
