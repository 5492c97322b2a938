#include "http/response_head.h"

#include <algorithm>
#include <utility>

#include <boost/beast/http/status.hpp>

#include "sluice/base/limits.h"
#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/json/writer.h"
#include "sluice/protocol/wire/modern.h"

namespace sluice::transport {
namespace {

std::string_view reason_of(int status) {
  const auto reason = boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(status));
  return {reason.data(), reason.size()};
}

// The `code` of a problem that the transport found.
std::string_view problem_code(int status) {
  switch (status) {
    case 401:
      return "unauthenticated";
    case 403:
      return "forbidden";
    case 405:
      return "method_not_allowed";
    case 408:
      return "request_timeout";
    case 413:
      return "request_too_large";
    case 415:
      return "unsupported_media_type";
    case 429:
      return "too_many_requests";
    case 503:
      return "unavailable";
    default:
      return status < 500 ? "invalid_request" : "internal";
  }
}

void append_status_line(std::string& out, int status) {
  out.append("HTTP/1.1 ").append(std::to_string(status)).push_back(' ');
  out.append(reason_of(status)).append("\r\n");
}

void append_line(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

bool is_field_safe(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

void append_headers(std::string& out, const protocol::Final& final) {
  for (const auto& [name, value] : final.headers) {
    // A line break in a value would start another header, or the body.
    if (is_field_safe(name) && is_field_safe(value)) {
      append_line(out, name, value);
    } else {
      log::error("http_header_dropped", {{"name", excerpt(name)}});
    }
  }
}

void append_frame(std::string& out, const ResponseFrame& frame) {
  out.append(frame.cors);
  if (frame.close) append_line(out, "Connection", "close");
}

std::string_view media_type_of(const protocol::Final& final) {
  return final.content_type.empty() ? std::string_view("application/json") : final.content_type;
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
  append_headers(out, final);
  append_frame(out, frame);
  if (!bodiless) {
    if (!final.message.empty()) append_line(out, "Content-Type", media_type_of(final));
    append_line(out, "Content-Length", std::to_string(final.message.size()));
  }
  out.append("\r\n");
  if (joined) out.append(body);
  return {.text = std::move(out), .rest = joined ? std::string_view() : body};
}

std::string encode_body_head(const protocol::Final& final, const ResponseFrame& frame,
                             const BodyFraming& framing) {
  std::string out;
  append_status_line(out, final.status);
  append_headers(out, final);
  append_line(out, "Content-Type", media_type_of(final));
  if (framing.bytes) {
    append_line(out, "Content-Length", std::to_string(*framing.bytes));
  } else if (framing.chunked && !frame.head_only) {
    append_line(out, "Transfer-Encoding", "chunked");
  }
  append_frame(out, frame);
  out.append("\r\n");
  return out;
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

protocol::Final refuse(int status, std::string_view message, RefusalForm form) {
  protocol::Final final;
  final.status = status;
  if (status == 503 || status == 429) final.headers.emplace_back("Retry-After", "1");
  if (form == RefusalForm::kProblem) {
    final.content_type = "application/problem+json";
    json::Writer out;
    out.begin_object().field("title", reason_of(status)).field("status", std::int64_t{status});
    out.field("code", problem_code(status)).field("detail", message).end_object();
    final.message = std::move(out).take();
    return final;
  }
  // The codes are JSON-RPC's "invalid request" and "internal error".
  final.message = status < 500 ? R"({"jsonrpc":"2.0","error":{"code":-32600,"message":)"
                               : R"({"jsonrpc":"2.0","error":{"code":-32603,"message":)";
  json::append_string(final.message, message);
  final.message.append("}}");
  return final;
}

protocol::Final refuse(int status, const Error& error, RefusalForm form) {
  if (form == RefusalForm::kProblem) {
    json::Writer out;
    out.begin_object().field("title", reason_of(status)).field("status", std::int64_t{status});
    out.field("code", error.code).field("detail", error.message);
    if (!error.hint.empty()) out.field("hint", error.hint);
    out.end_object();
    return {.status = status, .message = std::move(out).take(), .content_type = "application/problem+json"};
  }
  protocol::WireError wire = protocol::modern::to_wire(error);
  if (status < 500) wire.code = protocol::kInvalidRequest;
  return {.status = status, .message = protocol::error_message(std::nullopt, wire)};
}

std::string cors_lines(std::string_view origin) {
  std::string out;
  append_line(out, "Access-Control-Allow-Origin", origin);
  append_line(out, "Vary", "Origin");
  append_line(out, "Access-Control-Expose-Headers",
              "WWW-Authenticate, Retry-After, ETag, Content-Range, Content-Disposition, Accept-Ranges, "
              "Mcp-Session-Id");
  return out;
}

}  // namespace sluice::transport
