#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/admission.h"
#include "sluice/base/limits.h"
#include "sluice/base/result.h"
#include "sluice/protocol/exchange.h"
#include "sluice/transport/http_route.h"

namespace sluice::transport {

inline constexpr std::size_t kHttpAnswerBytesTotalMax = std::size_t{512} * 1024 * 1024;
inline constexpr std::size_t kHttpSmallAnswerBytes = 64 * 1024;
// Requests to routes that are under way; one caller gets at most half. Further ones get 429.
inline constexpr std::size_t kHttpRouteRequestsMax = 64;
static_assert(4 * kReplyBytesMax <= kHttpAnswerBytesTotalMax, "one caller can be sent two of the largest");

struct TlsFiles {
  std::string certificate_chain;  // PEM
  std::string private_key;        // PEM, without a passphrase.
};

// Who asks to be admitted. Valid during the call.
struct AdmissionRequest {
  const protocol::HttpHead& head;
  const std::string& peer;  // The address, without the port.
};

struct HttpServerOptions {
  // An address, "localhost" (127.0.0.1), or a name; its first address is bound.
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free one; see HttpServer::port().
  std::string path = "/mcp";
  std::optional<TlsFiles> tls;
  // Host header values that are accepted beside those of the bound address: "name" with any port, "name:port"
  // with that one. A server on loopback accepts localhost, 127.0.0.1 and [::1] with any port; a server on one
  // other address accepts that address with its own port; so is the name that was given as `host`. A server
  // on a wildcard address accepts the loopback names, and, if this list is empty, any IP literal: DNS
  // rebinding needs a name.
  std::vector<std::string> allowed_hosts;
  // The host by which people reach the server, through whatever stands before it: "name" or "name:port". It
  // is accepted as Host and Origin, with any port. Empty: not said.
  std::string public_host;
  // Origin header values ("https://app.example.org") that are accepted beside the request's own origin and
  // those whose host is accepted by name above. Of loopback, only the server's own scheme and port are: any
  // program of the machine may serve pages from another port. An IP literal that a wildcard address lets pass
  // as Host is not thereby an accepted Origin: any page served from an address could claim it. "null" is
  // never accepted.
  std::vector<std::string> allowed_origins;
  // Says who is calling, after the head of a request and before its body is read. kUnauthenticated gives 401,
  // kForbidden 403, kLimitReached 429, kUnavailable 503. Called on an I/O thread, which it must not block;
  // the answer may come later and from another thread, and is waited for as long as for a body. Not called
  // while the lease of an answer on the same connection to the same credentials holds. Unset: everybody is
  // local, and the server refuses to start on anything but a loopback address.
  std::function<void(const AdmissionRequest&, AdmissionDone)> admit;
  // Documents outside `path` that anybody may read from anywhere, such as metadata: the response to a GET of
  // this path, or nullopt. Host, Origin and credentials are not checked. Called on an I/O thread.
  std::function<std::optional<protocol::Final>(std::string_view path)> public_document;
  // Paths beside `path`. Of several that fit, the first one is meant.
  std::vector<HttpRoute> routes;
  // What GET /readyz answers: 200 or 503. Called on an I/O thread. Unset: always 200.
  std::function<bool()> is_ready;

  std::size_t message_bytes_max = kMessageBytesMax;
  // Bodies that are being received, all together; one caller gets at most half. Requests that find no room
  // get 503. At least four times `message_bytes_max`; the first bytes of a body do not count.
  std::size_t body_bytes_total_max = std::size_t{64} * 1024 * 1024;
  // Answers that peers have not read yet, all together; one caller gets at most half. An answer that finds no
  // room is replaced by a 503, and a stream by its end. Up to kHttpSmallAnswerBytes do not count.
  std::size_t answer_bytes_total_max = kHttpAnswerBytesTotalMax;
  // At this many a new connection replaces the one that has been idle longest; if none is idle it gets 503.
  std::size_t connections_max = kConnectionsMax;
  // Time from the first byte of a request to the end of its head, and for a TLS handshake.
  std::chrono::milliseconds header_timeout = kHttpHeaderTimeout;
  std::chrono::milliseconds body_timeout = kHttpBodyTimeout;    // From the end of the head on.
  std::chrono::milliseconds idle_timeout = kHttpIdleTimeout;    // Between requests, and before the first.
  std::chrono::milliseconds write_timeout = kHttpWriteTimeout;  // For each kHttpWriteBytesMax of a response.
  std::chrono::milliseconds keep_alive = kStreamKeepAlive;      // Between comment lines on a quiet stream.
  // Messages that wait for the peer to read, and kStreamQueueMessagesMax of them. A message that finds the
  // queue empty, and the final one, are taken whatever their size. Past it the connection is closed.
  std::size_t stream_queue_bytes_max = kStreamQueueBytesMax;
  unsigned threads = 1;
};

// Streamable HTTP: frames, limits and timeouts, Host and Origin, JSON or SSE. It knows no MCP method.
//
// POST, GET and DELETE on `path` become exchanges, as do requests to the routes. A request with a token in
// its query is refused: queries end up in logs. GET /healthz (the process is alive) and GET /readyz (it wants
// requests) are answered here, whatever their Host, Origin and credentials: probes name an address, and the
// answers say nothing else. So are public documents. While an exchange is open
// the peer's end of input counts as its departure, even if it only shut down its sending side: HTTP clients
// do not half-close, and waiting would keep the work of every client that left. The exception is a peer that
// has pipelined kHttpReadBufferBytesMax beyond the open request: it is noticed when a write fails.
//
// An exchange may outlive its connection and the server. One that is dropped unfinished is answered with 500.
// An Outbound without message, id and retry opens the stream with a comment line.
class HttpServer {
 public:
  // Listens when it returns. `receiver` is called on an I/O thread and must not block.
  static Result<std::unique_ptr<HttpServer>> start(HttpServerOptions options, protocol::Receiver receiver);
  virtual ~HttpServer() = default;  // Stops at once.

  virtual std::uint16_t port() const = 0;
  // No new connections or requests; those under way go on. Any thread; returns immediately.
  virtual void drain() = 0;
  // The same; waits up to `grace` for open exchanges to finish, then closes everything.
  // Any thread but an I/O thread (so not from `receiver`, `admit` or a stop callback); again does nothing.
  virtual void stop(std::chrono::milliseconds grace) = 0;
};

}  // namespace sluice::transport
