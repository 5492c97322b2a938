#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>

#include <boost/asio/ssl/context.hpp>

#include "sluice/base/fair_quota.h"
#include "sluice/base/mutex.h"
#include "sluice/protocol/exchange.h"
#include "sluice/transport/http_server.h"

#include "http/blocking_threads.h"
#include "http/host_check.h"

namespace sluice::transport {

class ConnectionCount;

// Counts one connection for as long as it lives.
class ConnectionTicket {
 public:
  explicit ConnectionTicket(ConnectionCount& count);
  ConnectionTicket(ConnectionTicket&& other) noexcept : count_(std::exchange(other.count_, nullptr)) {}
  ConnectionTicket& operator=(ConnectionTicket&&) = delete;
  ~ConnectionTicket();

 private:
  ConnectionCount* count_;  // Outlives all tickets; null in one that was moved from.
};

// How many connections are open. Any thread.
class ConnectionCount {
 public:
  std::size_t open() const;
  // False: some are still open after `wait`.
  bool wait_for_none(std::chrono::milliseconds wait);

 private:
  friend class ConnectionTicket;

  mutable Mutex mutex_;
  CondVar none_;
  std::size_t open_ SLUICE_GUARDED_BY(mutex_) = 0;
};

// What all connections of one server share. It outlives them; only the last five members change.
struct HttpCore {
  HttpServerOptions options;
  protocol::Receiver receiver;
  HostRules rules;
  std::optional<boost::asio::ssl::context> tls;
  ConnectionCount connections;
  FairQuota body_bytes;      // Of requests that are being received, by caller.
  FairQuota answer_bytes;    // Of answers that are being sent, by caller.
  FairQuota route_requests;  // That are under way, by caller.
  BlockingThreads threads;   // For requests to routes. Last: what runs there uses the others.
};

}  // namespace sluice::transport
