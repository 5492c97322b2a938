#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/json/value.h"
#include "sluice/json/writer.h"

namespace sluice::protocol {

// A reply echoes the id as it came, so 7 and "7" stay different.
struct RequestId {
  std::variant<std::int64_t, std::string> value;

  friend auto operator<=>(const RequestId&, const RequestId&) = default;
};
std::string to_json(const RequestId& id);
// A string, or an integer written as one (1.0 is not); not longer than kRequestIdBytesMax.
Result<RequestId> parse_request_id(const json::Value& value);

struct Request {
  RequestId id;
  std::string method;
  json::Object params;  // Empty where the message had none.
};
struct Notification {
  std::string method;
  json::Object params;
};
// The peer's answer to a request of ours.
struct Response {
  RequestId id;
  std::optional<json::Value> result;  // Absent for an error.
  std::int64_t error_code = 0;
  std::string error_message;
  std::optional<json::Value> error_data = std::nullopt;
};
using Message = std::variant<Request, Notification, Response>;

// A message that cannot be understood. `id` is set where it could still be read, so that the error reaches
// its request.
struct EnvelopeProblem {
  std::optional<RequestId> id;
  Error error;
};

std::variant<Message, EnvelopeProblem> parse_message(json::Value value);

// What goes back for a request that failed.
struct WireError {
  std::int64_t code = 0;
  std::string message;
  std::string data;       // A JSON value as text, or empty.
  int http_status = 200;  // For the transport that has one.
};

inline constexpr std::int64_t kParseError = -32700;
inline constexpr std::int64_t kInvalidRequest = -32600;
inline constexpr std::int64_t kMethodNotFound = -32601;
inline constexpr std::int64_t kInvalidParams = -32602;
inline constexpr std::int64_t kInternalError = -32603;

// Envelopes. `result`, `params` and `data` are JSON texts.
std::string result_message(const RequestId& id, std::string result);
std::string error_message(const std::optional<RequestId>& id, const WireError& error);
std::string notification_message(std::string_view method, std::string_view params);
std::string request_message(const RequestId& id, std::string_view method, std::string_view params);

}  // namespace sluice::protocol
