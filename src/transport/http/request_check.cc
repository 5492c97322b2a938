#include "http/request_check.h"

#include <algorithm>
#include <exception>

#include "sluice/base/log.h"
#include "sluice/base/text.h"

#include "http/response_head.h"

namespace sluice::transport {
namespace {

constexpr std::string_view kHealthPath = "/healthz";

int status_of(ErrorKind kind) {
  switch (kind) {  // No default: a new ErrorKind must stop the build here.
    case ErrorKind::kUnauthenticated:
      return 401;
    case ErrorKind::kForbidden:
      return 403;
    case ErrorKind::kNotFound:
      return 404;
    case ErrorKind::kLimitReached:
      return 429;
    case ErrorKind::kInvalidInput:
    case ErrorKind::kConflict:
    case ErrorKind::kMissingCapability:
    case ErrorKind::kInputRequired:
    case ErrorKind::kUnsupported:
      return 400;
    case ErrorKind::kUnavailable:
    case ErrorKind::kCancelled:
    case ErrorKind::kDeadline:
      return 503;
    case ErrorKind::kInternal:
      return 500;
  }
  return 500;
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

// Two readers must never disagree about where a request ends, so only the plainest framing is accepted.
std::optional<protocol::Final> check_framing(const RequestHead& head) {
  if (!head.problem.empty()) return refuse(400, head.problem);
  if (head.content_length && head.transfer_encoding) {
    return refuse(400, "Content-Length and Transfer-Encoding exclude each other");
  }
  if (head.content_length && !is_digits(*head.content_length))
    return refuse(400, "Content-Length is not a number");
  if (head.transfer_encoding && !equal_ignoring_case(*head.transfer_encoding, "chunked")) {
    return refuse(400, "Transfer-Encoding must be chunked");
  }
  if (head.transfer_encoding && head.is_http_1_0) return refuse(400, "HTTP/1.0 has no Transfer-Encoding");
  if (!head.target.starts_with('/')) return refuse(400, "The request target must be a path");
  return std::nullopt;
}

std::optional<protocol::Final> check_sender(const RequestHead& head, const HostRules& rules,
                                            std::string& cors) {
  if (!head.host) return refuse(400, "The Host header is missing");
  if (!rules.allows_host(*head.host)) return refuse(403, "Host is not allowed: " + excerpt(*head.host));
  if (!head.origin) return std::nullopt;
  if (!rules.allows_origin(*head.origin, *head.host)) {
    return refuse(403, "Origin is not allowed: " + excerpt(*head.origin));
  }
  cors = cors_lines(*head.origin);
  return std::nullopt;
}

bool has_body(const RequestHead& head) {
  return head.transfer_encoding ||
         (head.content_length && head.content_length->find_first_not_of('0') != std::string::npos);
}

// The callback is not ours: what it throws must cost one request, not the thread.
Result<Principal> call_admit(const HttpServerOptions& options, const protocol::HttpHead& head) {
  try {
    return options.admit(head);
  } catch (const std::exception& failure) {
    log::error("http_admit_failed", {{"what", failure.what()}});
    return internal_error("The caller could not be checked");
  }
}

protocol::Final refuse_method(std::string_view allowed) {
  protocol::Final final = refuse(405, "The method is not allowed here");
  final.headers.emplace_back("Allow", allowed);
  return final;
}

}  // namespace

std::variant<Route, protocol::Final> route_request(const RequestHead& head, const HostRules& rules,
                                                   const std::string& path, std::string& cors) {
  if (auto refusal = check_framing(head)) return *std::move(refusal);
  if (auto refusal = check_sender(head, rules, cors)) return *std::move(refusal);

  const std::string& method = head.http.method;
  const std::string_view asked = path_of(head.target);
  if (method != "POST" && has_body(head)) return refuse(400, "Only POST takes a body");
  if (asked == kHealthPath) {
    if (method == "GET" || method == "HEAD") return Route::kHealth;
    return refuse_method("GET, HEAD");
  }
  if (asked != path) return refuse(404, "There is nothing at this path");
  if (method == "POST" || method == "GET" || method == "DELETE") return Route::kExchange;
  if (method == "OPTIONS") return Route::kPreflight;
  return refuse_method(kAllowedMethods);
}

std::variant<Principal, protocol::Final> admit_caller(const RequestHead& head,
                                                      const HttpServerOptions& options) {
  if (!options.admit) return local_principal();
  Result<Principal> caller = call_admit(options, head.http);
  if (caller.ok()) return *std::move(caller);
  const int status = status_of(caller.error().kind);
  protocol::Final final = refuse(status, caller.error().message);
  if (status == 401) final.headers.emplace_back("WWW-Authenticate", options.challenge);
  return final;
}

std::optional<protocol::Final> check_content(const RequestHead& head) {
  if (head.http.method == "GET" && !head.accept.stream())
    return refuse(406, "Accept must allow text/event-stream");
  if (head.http.method != "POST") return std::nullopt;
  if (!head.content_type || !is_json_content_type(*head.content_type)) {
    return refuse(415, "Content-Type must be application/json in UTF-8");
  }
  if (head.content_encoding && !equal_ignoring_case(*head.content_encoding, "identity")) {
    return refuse(415, "A compressed body is not accepted");
  }
  if (!head.accept.json() && !head.accept.stream()) {
    return refuse(406, "Accept must allow application/json or text/event-stream");
  }
  if (head.expect && !equal_ignoring_case(*head.expect, "100-continue")) {
    return refuse(417, "The expectation is not known");
  }
  return std::nullopt;
}

}  // namespace sluice::transport
