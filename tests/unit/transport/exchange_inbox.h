#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>

#include "sluice/protocol/exchange.h"
#include "sluice/transport/http_server.h"

#include "tcp_client.h"

namespace sluice::transport {

// A receiver that keeps what arrives until the test takes it.
class ExchangeInbox {
 public:
  protocol::Receiver receiver();
  // The next exchange; null, and a failure of the test, if none comes in time.
  std::shared_ptr<protocol::Exchange> next();
  bool empty();

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::shared_ptr<protocol::Exchange>> exchanges_;
};

// False: not requested within kPatience.
bool wait_for_stop(const std::stop_token& token);

// Fails the test, and ends it by a thrown Error's message, if the server does not start.
std::unique_ptr<HttpServer> start_server(HttpServerOptions options, protocol::Receiver receiver);
// For HttpServerOptions::admit: answers at once what the function says, and challenges with "Bearer".
std::function<void(const AdmissionRequest&, AdmissionDone)> admit_by(
    std::function<Result<Principal>(const protocol::HttpHead&)> decide);
// Answers every request at once with its own body.
protocol::Receiver echo();

}  // namespace sluice::transport
