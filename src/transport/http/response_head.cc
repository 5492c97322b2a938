#include "http/response_head.h"

#include <algorithm>
#include <array>

#include <boost/beast/http/status.hpp>

#include "sluice/base/limits.h"
#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/json/writer.h"

namespace sluice::transport {
namespace {

constexpr std::array<std::string_view, 8> kAllowedHeaders = {
    "accept",     "authorization", "content-type",   "last-event-id",
    "mcp-method", "mcp-name",      "mcp-session-id", "mcp-protocol-version"};

void append_status_line(std::string& out, int status) {
  const auto reason = boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(status));
  out.append("HTTP/1.1 ").append(std::to_string(status)).push_back(' ');
  out.append(reason.data(), reason.size()).append("\r\n");
}

void append_line(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

void append_frame(std::string& out, const ResponseFrame& frame) {
  out.append(frame.cors);
  if (frame.close) append_line(out, "Connection", "close");
}

bool is_field_safe(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

// Statuses that never have a body, nor a Content-Length (RFC 9110 section 8.6).
bool is_bodiless(int status) { return status == 204 || status == 304; }

}  // namespace

EncodedResponse encode_response(const protocol::Final& final, const ResponseFrame& frame) {
  const bool bodiless = is_bodiless(final.status);
  const std::string_view body = bodiless || frame.head_only ? std::string_view() : final.message;
  const bool joined = body.size() <= kHttpJoinBytesMax;
  std::string out;
  out.reserve(256 + frame.cors.size() + (joined ? body.size() : 0));
  append_status_line(out, final.status);
  for (const auto& [name, value] : final.headers) {
    // A line break in a value would start another header, or the body.
    if (is_field_safe(name) && is_field_safe(value)) {
      append_line(out, name, value);
    } else {
      log::error("http_header_dropped", {{"name", excerpt(name)}});
    }
  }
  append_frame(out, frame);
  if (!bodiless) {
    if (!final.message.empty()) append_line(out, "Content-Type", "application/json");
    append_line(out, "Content-Length", std::to_string(final.message.size()));
  }
  out.append("\r\n");
  if (joined) out.append(body);
  return {.text = std::move(out), .rest = joined ? std::string_view() : body};
}

std::string encode_stream_head(const ResponseFrame& frame, bool chunked) {
  std::string out;
  append_status_line(out, 200);
  append_line(out, "Content-Type", "text/event-stream");
  append_line(out, "Cache-Control", "no-cache, no-transform");
  append_line(out, "X-Accel-Buffering", "no");
  if (chunked) append_line(out, "Transfer-Encoding", "chunked");
  append_frame(out, frame);
  out.append("\r\n");
  return out;
}

protocol::Final refuse(int status, std::string_view message) {
  protocol::Final final;
  final.status = status;
  if (status == 503) final.headers.emplace_back("Retry-After", "1");
  // The codes are JSON-RPC's "invalid request" and "internal error".
  final.message = status < 500 ? R"({"jsonrpc":"2.0","error":{"code":-32600,"message":)"
                               : R"({"jsonrpc":"2.0","error":{"code":-32603,"message":)";
  json::append_string(final.message, message);
  final.message.append("}}");
  return final;
}

std::string cors_lines(std::string_view origin) {
  std::string out;
  append_line(out, "Access-Control-Allow-Origin", origin);
  append_line(out, "Vary", "Origin");
  append_line(out, "Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate");
  return out;
}

protocol::Final answer_preflight(const RequestHead& head) {
  protocol::Final final;
  final.status = 204;
  final.headers.emplace_back("Allow", kAllowedMethods);
  if (!head.is_preflight) return final;

  // Only names that MCP gives a meaning are allowed; those of parameters are open, so they are echoed.
  std::string allowed;
  for (const std::string_view name : kAllowedHeaders)
    allowed.append(allowed.empty() ? "" : ", ").append(name);
  std::string_view rest = head.requested_headers;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string name = to_lower_ascii(trim_spaces(rest.substr(0, end)));
    if (name.starts_with("mcp-param-")) allowed.append(", ").append(name);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  final.headers.emplace_back("Access-Control-Allow-Methods", kAllowedMethods);
  final.headers.emplace_back("Access-Control-Allow-Headers", std::move(allowed));
  final.headers.emplace_back("Access-Control-Max-Age", "600");
  return final;
}

}  // namespace sluice::transport
