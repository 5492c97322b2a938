#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "sluice/base/budget.h"
#include "sluice/base/clock.h"
#include "sluice/base/limits.h"
#include "sluice/base/result.h"
#include "sluice/base/version.h"
#include "sluice/catalog/gate.h"
#include "sluice/catalog/generation.h"
#include "sluice/catalog/provider.h"
#include "sluice/crypto/signer.h"
#include "sluice/json/value.h"
#include "sluice/protocol/exchange.h"
#include "sluice/protocol/model/annotations.h"

namespace sluice::server {

struct ServerOptions {
  protocol::Implementation info{.name = "sluice", .version = std::string(product_version())};
  std::string instructions;  // For the model: how to use this server well. Short.
  json::Object extensions;   // Further extensions to announce: id to settings. Tasks announce themselves.
  bool logging = true;
  Budget budget;
  std::chrono::milliseconds request_timeout = kRequestTimeout;
  // How long a handler may go on after its request ran out of time. Then the request is answered without it,
  // and another thread takes the place of its own, within a bound.
  std::chrono::milliseconds stuck_grace{5'000};
  std::chrono::milliseconds ask_timeout = kAskTimeout;
  // How long a question of the legacy era waits for a client that has lost its connection.
  std::chrono::milliseconds ask_reconnect_timeout{10'000};
  std::size_t message_bytes_max = kMessageBytesMax;
  std::size_t worker_threads_max = kWorkerThreadsMax;
  bool check_outputs = true;  // Structured results are checked against their output schema before they leave.
  // Signs cursors and request states. Replicas that serve one audience share the key.
  crypto::Signer signer = crypto::Signer::with_random_key();
  std::shared_ptr<catalog::Gate> gate;   // Null: everything is allowed. Shared with the transport.
  const Clock* clock = &system_clock();  // Must outlive the server.
};

// The protocol in both eras over any transport: classifies each message, finds its handler, runs it, answers.
// It keeps the sessions of the legacy era, subscriptions and tasks. Any thread.
class Server {
 public:
  // Fails where providers offer a name twice or a definition is not valid.
  static Result<std::unique_ptr<Server>> create(ServerOptions options,
                                                std::vector<std::shared_ptr<catalog::Provider>> providers);
  static Result<std::unique_ptr<Server>> create(ServerOptions options,
                                                std::shared_ptr<catalog::Generation> generation);
  virtual ~Server() = default;

  // Other providers take the place of those there are; clients are told. Requests that run end on what they
  // began with, and subscriptions go on. Fails as `create` does; then nothing changes. One call at a time.
  virtual Status replace(const std::shared_ptr<catalog::Generation>& generation) = 0;

  // Takes one message. Returns soon; the answer goes through the exchange.
  virtual void receive(std::shared_ptr<protocol::Exchange> exchange) = 0;
  // A Receiver for a transport. The server must outlive the transport.
  protocol::Receiver receiver();

  // No new requests; closes subscriptions gracefully, lets requests finish for `grace`, then cancels them.
  // False: a handler has not obeyed its stop token in time, and destroying the server would wait for it.
  virtual bool stop(std::chrono::milliseconds grace) = 0;
};

}  // namespace sluice::server
