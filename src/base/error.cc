#include "sluice/base/error.h"

#include <utility>

#include <fmt/format.h>

namespace sluice {

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalidInput:
      return "invalid_input";
    case ErrorKind::kNotFound:
      return "not_found";
    case ErrorKind::kUnauthenticated:
      return "unauthenticated";
    case ErrorKind::kForbidden:
      return "forbidden";
    case ErrorKind::kLimitReached:
      return "limit_reached";
    case ErrorKind::kUnavailable:
      return "unavailable";
    case ErrorKind::kConflict:
      return "conflict";
    case ErrorKind::kCancelled:
      return "cancelled";
    case ErrorKind::kDeadline:
      return "deadline_exceeded";
    case ErrorKind::kMissingCapability:
      return "missing_capability";
    case ErrorKind::kInputRequired:
      return "input_required";
    case ErrorKind::kUnsupported:
      return "unsupported";
    case ErrorKind::kInternal:
      return "internal_error";
  }
  return "internal_error";
}

Error Error::with_code(std::string_view value) && {
  code = value;
  return std::move(*this);
}

Error Error::with_hint(std::string_view value) && {
  hint = value;
  return std::move(*this);
}

Error Error::with_data(std::string value) && {
  data = std::move(value);
  return std::move(*this);
}

Error make_error(ErrorKind kind, std::string_view message) {
  return Error{.kind = kind,
               .message = std::string(message),
               .code = std::string(to_string(kind)),
               .hint = {},
               .data = {}};
}

Error invalid_input(std::string_view message) { return make_error(ErrorKind::kInvalidInput, message); }
Error not_found(std::string_view message) { return make_error(ErrorKind::kNotFound, message); }
Error forbidden(std::string_view message) { return make_error(ErrorKind::kForbidden, message); }
Error unauthenticated(std::string_view message) { return make_error(ErrorKind::kUnauthenticated, message); }
Error unavailable(std::string_view message) { return make_error(ErrorKind::kUnavailable, message); }
Error conflict(std::string_view message) { return make_error(ErrorKind::kConflict, message); }
Error unsupported(std::string_view message) { return make_error(ErrorKind::kUnsupported, message); }
Error internal_error(std::string_view message) { return make_error(ErrorKind::kInternal, message); }
Error cancelled() { return make_error(ErrorKind::kCancelled, "the request was cancelled"); }
Error deadline_exceeded() { return make_error(ErrorKind::kDeadline, "the request ran out of time"); }

Error limit_reached(std::string_view what, std::uint64_t limit) {
  return make_error(ErrorKind::kLimitReached, fmt::format("{}: at most {}", what, limit));
}

}  // namespace sluice
