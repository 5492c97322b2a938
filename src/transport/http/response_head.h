#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/error.h"
#include "sluice/protocol/exchange.h"

#include "http/http_head.h"

namespace sluice::transport {

// What every response on a connection to one request shares.
struct ResponseFrame {
  std::string_view cors;   // Whole header lines; kept alive by the session until the response is written.
  bool close = false;      // The connection ends with this response.
  bool head_only = false;  // The method is HEAD: its response has no body, whatever it says.
};

// A response with `final`'s status, headers and message. Up to kHttpJoinBytesMax the message is part of the
// text, so that one write carries all; a longer one is not copied.
struct EncodedResponse {
  std::string text;
  std::string_view rest;  // Of the message of `final`, which keeps it alive.
};
EncodedResponse encode_response(const protocol::Final& final, const ResponseFrame& frame);
// The head that opens a stream of events; chunked unless the peer speaks HTTP/1.0.
std::string encode_stream_head(const ResponseFrame& frame, bool chunked);

// The head of a response whose body is pulled; chunked if its length is not known, unless the peer speaks
// HTTP/1.0: then it ends with the connection.
struct BodyFraming {
  std::optional<std::uint64_t> bytes;
  bool chunked = true;
};
std::string encode_body_head(const protocol::Final& final, const ResponseFrame& frame,
                             const BodyFraming& framing);

// How a refusal is written: as a JSON-RPC error without id, or as a problem document (RFC 9457).
enum class RefusalForm : std::uint8_t { kJsonRpc, kProblem };

// The answer to a request which never became a message.
protocol::Final refuse(int status, std::string_view message, RefusalForm form = RefusalForm::kJsonRpc);
// With the code and hint of the error, and without Retry-After.
protocol::Final refuse(int status, const Error& error, RefusalForm form);

// The lines that let a page of an allowed origin read a response.
std::string cors_lines(std::string_view origin);

}  // namespace sluice::transport
