#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>

#include <boost/asio/ssl/context.hpp>

#include "sluice/protocol/exchange.h"
#include "sluice/transport/http_server.h"

#include "http/host_check.h"

namespace sluice::transport {

// How many connections are open. Any thread.
class ConnectionCount {
 public:
  std::size_t add();  // The count with the new one.
  void remove();
  // False: some are still open after `wait`.
  bool wait_for_none(std::chrono::milliseconds wait);

 private:
  std::mutex mutex_;
  std::condition_variable none_;
  std::size_t open_ = 0;
};

// What all connections of one server share. It outlives them, and only the count changes.
struct HttpCore {
  HttpServerOptions options;
  protocol::Receiver receiver;
  HostRules rules;
  std::optional<boost::asio::ssl::context> tls;
  ConnectionCount connections;
};

}  // namespace sluice::transport
