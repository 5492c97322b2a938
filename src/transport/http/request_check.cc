#include "http/request_check.h"

#include <algorithm>
#include <array>
#include <span>

#include "sluice/base/text.h"
#include "sluice/base/uri.h"

namespace sluice::transport {
namespace {

constexpr std::string_view kAlivePath = "/healthz";
constexpr std::string_view kReadyPath = "/readyz";
constexpr std::string_view kMcpMethods = "POST, GET, DELETE, OPTIONS";
constexpr std::array<std::string_view, 10> kMcpHeaders = {
    "accept",   "authorization",  "content-type",         "last-event-id", "mcp-method",
    "mcp-name", "mcp-session-id", "mcp-protocol-version", "traceparent",   "tracestate"};
constexpr std::array<std::string_view, 8> kRouteHeaders = {"accept",        "authorization", "content-type",
                                                           "if-none-match", "if-range",      "range",
                                                           "traceparent",   "tracestate"};

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

// The parameter by which OAuth 2.0 clients once sent tokens; it would be in logs and histories.
bool has_token_in_query(std::string_view target) {
  std::string_view query = target.substr(std::min(target.find('?'), target.size()));
  while (!query.empty()) {
    query.remove_prefix(1);
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view parameter = query.substr(0, end);
    const Result<std::string> name = percent_decode(parameter.substr(0, parameter.find('=')));
    if (name.ok() && *name == "access_token") return true;
    query.remove_prefix(end);
  }
  return false;
}

// Two readers must never disagree about where a request ends, so only the plainest framing is accepted.
std::optional<protocol::Final> check_framing(const RequestHead& head) {
  const RefusalForm form = form_of(head);
  if (!head.problem.empty()) return refuse(400, head.problem, form);
  if (head.content_length && head.transfer_encoding) {
    return refuse(400, "Content-Length and Transfer-Encoding exclude each other", form);
  }
  if (head.content_length && !is_digits(*head.content_length))
    return refuse(400, "Content-Length is not a number", form);
  if (head.transfer_encoding && !equal_ignoring_case(*head.transfer_encoding, "chunked")) {
    return refuse(400, "Transfer-Encoding must be chunked", form);
  }
  if (head.transfer_encoding && head.is_http_1_0)
    return refuse(400, "HTTP/1.0 has no Transfer-Encoding", form);
  if (!head.http.target.starts_with('/')) return refuse(400, "The request target must be a path", form);
  return std::nullopt;
}

std::optional<protocol::Final> check_sender(const RequestHead& head, const HostRules& rules,
                                            std::string& cors) {
  const RefusalForm form = form_of(head);
  if (!head.host) return refuse(400, "The Host header is missing", form);
  if (!rules.allows_host(*head.host)) return refuse(403, "Host is not allowed: " + excerpt(*head.host), form);
  if (!head.origin) return std::nullopt;
  if (!rules.allows_origin(*head.origin, *head.host)) {
    return refuse(403, "Origin is not allowed: " + excerpt(*head.origin), form);
  }
  cors = cors_lines(*head.origin);
  return std::nullopt;
}

bool has_body(const RequestHead& head) {
  return head.transfer_encoding ||
         (head.content_length && head.content_length->find_first_not_of('0') != std::string::npos);
}

std::string joined(std::span<const std::string_view> items) {
  std::string out;
  for (const std::string_view item : items) out.append(out.empty() ? "" : ", ").append(item);
  return out;
}

// The methods of the route, or of the path of MCP.
std::string allowed_methods(const RequestHead& head) {
  if (head.route == nullptr) return std::string(kMcpMethods);
  std::string out;
  for (const std::string& method : head.route->methods)
    out.append(method == "GET" ? "GET, HEAD" : method).append(", ");
  return out + "OPTIONS";
}

bool takes_method(const HttpRoute& route, std::string_view method) {
  const std::string_view listed = method == "HEAD" ? "GET" : method;
  return std::find(route.methods.begin(), route.methods.end(), listed) != route.methods.end();
}

protocol::Final refuse_method(const RequestHead& head, std::string_view allowed) {
  protocol::Final final = refuse(405, "The method is not allowed here", form_of(head));
  final.headers.emplace_back("Allow", allowed);
  return final;
}

std::variant<Route, protocol::Final> route_probe(const RequestHead& head, Route probe) {
  if (head.http.method == "GET" || head.http.method == "HEAD") return probe;
  return refuse_method(head, "GET, HEAD");
}

}  // namespace

std::variant<Route, protocol::Final> route_request(const RequestHead& head, const HostRules& rules,
                                                   const std::string& path, std::string& cors) {
  if (auto refusal = check_framing(head)) return *std::move(refusal);
  const std::string& method = head.http.method;
  const std::string_view asked = path_of(head.http.target);
  const bool is_probe = asked == kAlivePath || asked == kReadyPath;
  const std::optional<protocol::Final> foreign = check_sender(head, rules, cors);
  if (foreign && !is_probe) return *foreign;

  const RefusalForm form = form_of(head);
  if (method != "POST" && has_body(head)) return refuse(400, "Only POST takes a body", form);
  if (is_probe) return route_probe(head, asked == kAlivePath ? Route::kAlive : Route::kReady);
  if (has_token_in_query(head.http.target))
    return refuse(400, "A token belongs in the Authorization header, not in the URL", form);
  if (head.route == nullptr && asked != path) return refuse(404, "There is nothing at this path");
  if (method == "OPTIONS") return Route::kPreflight;
  if (head.route == nullptr) {
    if (method == "POST" || method == "GET" || method == "DELETE") return Route::kExchange;
    return refuse_method(head, kMcpMethods);
  }
  if (!takes_method(*head.route, method)) return refuse_method(head, allowed_methods(head));
  if (head.route->refuses_cross_site && cors.empty() && head.http.field("sec-fetch-site") == "cross-site")
    return refuse(403, "Pages of other sites are not served here", form);
  return Route::kExchange;
}

RefusalForm form_of(const RequestHead& head) {
  return head.route == nullptr ? RefusalForm::kJsonRpc : RefusalForm::kProblem;
}

std::optional<protocol::Final> answer_public(const RequestHead& head, const HttpServerOptions& options) {
  if (!options.public_document || check_framing(head) || has_body(head)) return std::nullopt;
  std::optional<protocol::Final> document = options.public_document(path_of(head.http.target));
  if (!document) return std::nullopt;
  const std::string& method = head.http.method;
  if (method == "OPTIONS") {
    document->status = 204;
    document->message.clear();
    document->headers = {{"Access-Control-Allow-Methods", "GET, HEAD, OPTIONS"},
                         {"Access-Control-Allow-Headers", "*"},
                         {"Access-Control-Max-Age", "600"}};
  } else if (method != "GET" && method != "HEAD") {
    document = refuse_method(head, "GET, HEAD, OPTIONS");
  }
  document->headers.emplace_back("Access-Control-Allow-Origin", "*");
  return document;
}

protocol::Final answer_refused(const Refusal& refusal, RefusalForm form) {
  protocol::Final final = refuse(status_of(refusal.error.kind), refusal.error, form);
  if (!refusal.challenge.empty()) final.headers.emplace_back("WWW-Authenticate", refusal.challenge);
  if (refusal.retry_after.count() > 0)
    final.headers.emplace_back("Retry-After", std::to_string(refusal.retry_after.count()));
  return final;
}

std::optional<protocol::Final> check_content(const RequestHead& head) {
  const RefusalForm form = form_of(head);
  const bool is_mcp = head.route == nullptr;
  if (is_mcp && head.http.method == "GET" && !head.accept.stream())
    return refuse(406, "Accept must allow text/event-stream");
  if (head.http.method != "POST") return std::nullopt;
  if (!head.content_type || !is_json_content_type(*head.content_type)) {
    return refuse(415, "Content-Type must be application/json in UTF-8", form);
  }
  if (head.content_encoding && !equal_ignoring_case(*head.content_encoding, "identity")) {
    return refuse(415, "A compressed body is not accepted", form);
  }
  if (is_mcp && !head.accept.json() && !head.accept.stream()) {
    return refuse(406, "Accept must allow application/json or text/event-stream");
  }
  if (head.expect && !equal_ignoring_case(*head.expect, "100-continue")) {
    return refuse(417, "The expectation is not known", form);
  }
  return std::nullopt;
}

protocol::Final answer_preflight(const RequestHead& head) {
  const std::string methods = allowed_methods(head);
  protocol::Final final;
  final.status = 204;
  final.headers.emplace_back("Allow", methods);
  if (!head.is_preflight) return final;

  std::string allowed = head.route == nullptr ? joined(kMcpHeaders) : joined(kRouteHeaders);
  // Of MCP, only names that it gives a meaning are allowed; those of parameters are open, so they are echoed.
  std::string_view rest =
      head.route == nullptr ? std::string_view(head.requested_headers) : std::string_view();
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string name = to_lower_ascii(trim_spaces(rest.substr(0, end)));
    if (name.starts_with("mcp-param-")) allowed.append(", ").append(name);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  final.headers.emplace_back("Access-Control-Allow-Methods", methods);
  final.headers.emplace_back("Access-Control-Allow-Headers", std::move(allowed));
  final.headers.emplace_back("Access-Control-Max-Age", "600");
  return final;
}

}  // namespace sluice::transport
