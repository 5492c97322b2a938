#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/fetch/message.h"
#include "sluice/json/value.h"
#include "sluice/protocol/jsonrpc/message.h"

namespace sluice::client {

class AskScope;

// What came back for a request.
struct Reply {
  enum class Kind : std::uint8_t {
    kResult,
    kError,        // A JSON-RPC error.
    kStatus,       // HTTP only: a failure that is no message.
    kSessionGone,  // HTTP only: the server has forgotten the session that the request named.
  };
  Kind kind = Kind::kResult;
  json::Object result;
  std::int64_t code = 0;
  std::string message;
  std::optional<json::Value> data;
  int status = 0;            // HTTP only.
  bool is_nameless = false;  // An error that does not say which request it is of.
};

Reply reply_of(protocol::Response response);

// A request on its way.
struct Outgoing {
  std::int64_t id = 0;
  std::string_view method;
  std::string text;        // The whole message.
  fetch::Headers headers;  // HTTP only.
  Monotonic deadline;
  std::stop_token stop;
  bool lasting = false;  // Its answer is a stream that stays: it is quiet for long, and long.
  // What the server says about this request before it answers. Called on the thread that waits.
  std::function<void(const protocol::Notification&)> on_notification;
  std::shared_ptr<AskScope> asks;  // Who answers what the server asks meanwhile. Shared with who answers.
};

// Takes what a server sends of its own accord, on whatever thread. Must not block.
class Incoming {
 public:
  virtual ~Incoming() = default;
  virtual void notified(const protocol::Notification& notification) = 0;
  // `asks` is of the request that it belongs to, as far as that can be known.
  virtual void asked(protocol::Request request, std::shared_ptr<AskScope> asks) = 0;
};

// The connection to a server: a pipe, or an HTTP endpoint with its session. It never tries anything twice
// but what its transport demands. Any thread.
class Link {
 public:
  virtual ~Link() = default;  // Closes it.

  virtual bool is_http() const = 0;
  // Blocks. Errors are of the transport; kCancelled and kDeadline leave the server unaware on a pipe.
  virtual Result<Reply> request(const Outgoing& outgoing) = 0;
  // A notification or an answer; does not wait for anything on a pipe.
  virtual Status send(std::string message, const fetch::Headers& headers, std::stop_token stop) = 0;
  // What every later message says beside its own headers (HTTP).
  virtual void adopt(fetch::Headers headers) = 0;
  // Takes what the server sends unasked until the link ends or a stop is requested. kUnsupported: the server
  // offers no such stream.
  virtual Status listen(std::stop_token stop, const std::function<void()>& on_open) = 0;
  // Requested once nothing can be sent any more. HTTP: once the session is gone.
  virtual std::stop_token gone() const = 0;
  virtual void close() = 0;
  virtual std::string error_output() const { return {}; }
};

}  // namespace sluice::client
