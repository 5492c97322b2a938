#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/base/caller_identity.h"
#include "sluice/base/principal.h"
#include "sluice/base/result.h"

namespace sluice::protocol {

// What HTTP says beside the body. Values are without surrounding white space.
struct HttpHead {
  std::string method;                           // "POST", "GET" or "DELETE".
  std::optional<std::string> protocol_version;  // MCP-Protocol-Version
  std::optional<std::string> mcp_method;        // Mcp-Method
  std::optional<std::string> mcp_name;          // Mcp-Name, as sent (perhaps in the base64 form)
  std::vector<std::pair<std::string, std::string>>
      mcp_params;                            // Mcp-Param-<Name>: lower-case name, value as sent
  std::optional<std::string> session_id;     // Mcp-Session-Id
  std::optional<std::string> last_event_id;  // Last-Event-ID
  std::optional<std::string> authorization;  // Authorization
  bool accepts_stream =
      true;            // text/event-stream is acceptable. If not, only the final message can be delivered.
  std::string target;  // Path and query, as sent.
  // Of a request to another path than that of MCP, every header: lower-case name, value as sent.
  std::vector<std::pair<std::string, std::string>> fields;

  // The value of one of `fields`, of several with this name joined by commas; empty if there is none.
  std::string field(std::string_view name) const;
};

// The body of an HTTP response, pulled piece by piece: the next piece is made once the peer has read the one
// before, so that a response of any length takes the memory of one piece.
class Body {
 public:
  virtual ~Body() = default;
  // The next piece; empty at the end. An error aborts the response: its reader sees that it is not whole.
  // May block. One call at a time, from changing threads; the destructor runs on such a thread, too.
  virtual Result<std::string> next() = 0;
  // The length of all pieces together. Unknown: the response is chunked.
  virtual std::optional<std::uint64_t> bytes() const { return std::nullopt; }
};

// A pipe that outlives single messages, such as stdin and stdout. What answers no request goes here.
class Connection {
 public:
  virtual ~Connection() = default;
  // Queues one message. False: the peer is gone or does not read; the message is dropped. Any thread.
  virtual bool send(std::string message) = 0;
  // Stop is requested once the peer is gone.
  virtual std::stop_token gone() const = 0;
};

// One inbound message with everything the transport knows about it.
struct Inbound {
  std::string body;                        // One JSON text; empty for GET and DELETE.
  std::optional<HttpHead> http;            // Absent on a pipe.
  std::shared_ptr<Connection> connection;  // Null on HTTP. Shared by the transport and whoever answers later.
  // Its id is empty if the request has no credentials and is to a route that needs none; see HttpRoute.
  Principal principal = local_principal();
  std::shared_ptr<const CallerIdentity> identity;  // Shared by the requests of one token. May be null.
  std::string peer;           // The address of the peer on HTTP, without the port; empty elsewhere.
  std::uint64_t channel = 0;  // The number of the HTTP connection it came over; 0 elsewhere.
};

// A message that goes out before the final one: a notification, or a request of the legacy era.
struct Outbound {
  std::string message;   // Empty only in an event that primes a stream for resumption.
  std::string event_id;  // The id of the SSE event; empty for none. Pipes ignore it.
  std::optional<std::chrono::milliseconds> retry;  // SSE retry field.
};

// The end of an exchange.
struct Final {
  int status = 200;                                          // HTTP only, and only if no stream was opened.
  std::string message;                                       // Empty for no body (202 and the like).
  std::string event_id;                                      // As in Outbound, if a stream was opened.
  std::vector<std::pair<std::string, std::string>> headers;  // HTTP only, and only if no stream was opened.
  std::string content_type = {};  // HTTP only. Empty: application/json, if there is a message.
  // HTTP only; sent instead of the message. Shared by the connection and the thread that makes a piece.
  std::shared_ptr<Body> body = {};
};

// One inbound message and the way back. The transport makes it, the server answers through it. On HTTP the
// first `send` opens an SSE stream; a `finish` without one gives a plain JSON response. All methods may be
// called from any thread; the order of calls is the order on the wire. Nothing goes out after `finish` or
// `release`.
class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual const Inbound& inbound() const = 0;

  // False: the peer is gone, does not read, or cannot take a stream; the message is dropped.
  virtual bool send(Outbound message) = 0;
  virtual void finish(Final final) = 0;
  // Closes the response stream without a final message: the legacy-era client comes back for the rest.
  // Does nothing on a pipe.
  virtual void release() = 0;
  // Stop is requested once the peer has closed the connection (HTTP) or the pipe.
  virtual std::stop_token gone() const = 0;
  // The body has been read and is not needed any more: its memory may be freed. Called before any answer, on
  // the thread that brought the message.
  virtual void release_body() {}
  // Whether the thread that brought this message may now be kept by work that could block: the transport then
  // goes on with another one if it takes long. Asked once, on that thread.
  virtual bool lends_thread() { return false; }
};

// Takes an exchange and returns soon; the answer may come later and from another thread.
using Receiver = std::function<void(std::shared_ptr<Exchange>)>;

}  // namespace sluice::protocol
