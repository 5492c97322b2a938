#include "http/problem.h"

#include <cstdint>
#include <utility>

#include "sluice/json/writer.h"

namespace sluice::exports {

namespace {

int status_of(const Error& error) {
  switch (error.kind) {  // No default: a new ErrorKind must stop the build here.
    case ErrorKind::kInvalidInput:
    case ErrorKind::kMissingCapability:
    case ErrorKind::kInputRequired:
    case ErrorKind::kUnsupported:
      return 400;
    case ErrorKind::kUnauthenticated:
      return 401;
    case ErrorKind::kForbidden:
      return 403;
    case ErrorKind::kNotFound:
      return 404;
    case ErrorKind::kConflict:
      return 409;
    case ErrorKind::kLimitReached:
      return error.code == "too_busy" ? 503 : 413;
    case ErrorKind::kUnavailable:
    case ErrorKind::kCancelled:
      return 503;
    case ErrorKind::kDeadline:
      return 504;
    case ErrorKind::kInternal:
      return 500;
  }
  return 500;
}

std::string_view title_of(int status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 406:
      return "Not Acceptable";
    case 409:
      return "Conflict";
    case 413:
      return "Payload Too Large";
    case 416:
      return "Range Not Satisfiable";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      return "Internal Server Error";
  }
}

}  // namespace

protocol::Final problem_of(const Error& error) { return problem_of(error, status_of(error)); }

protocol::Final problem_of(const Refusal& refusal) {
  protocol::Final final = problem_of(refusal.error);
  if (!refusal.challenge.empty()) final.headers.emplace_back("WWW-Authenticate", refusal.challenge);
  return final;
}

protocol::Final problem_of(const Error& error, int status) {
  json::Writer out;
  out.begin_object().field("title", title_of(status)).field("status", std::int64_t{status});
  out.field("code", error.code).field("detail", error.message);
  if (!error.hint.empty()) out.field("hint", error.hint);
  out.end_object();
  protocol::Final final{.status = status, .message = std::move(out).take()};
  final.content_type = "application/problem+json";
  final.headers = {{"Cache-Control", "private, no-store"}, {"X-Content-Type-Options", "nosniff"}};
  if (status == 503) final.headers.emplace_back("Retry-After", "1");
  return final;
}

}  // namespace sluice::exports
