#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sluice/protocol/exchange.h"

namespace sluice::server {

// How one request is answered. All methods may be called from any thread; at most one of finish and abandon
// counts.
class Responder {
 public:
  virtual ~Responder() = default;
  // A message that belongs to this request: progress, a log line, or a question of the legacy era.
  virtual bool notify(std::string message) = 0;
  virtual void finish(protocol::Final final) = 0;
  // Ends the exchange without an answer: the caller has cancelled.
  virtual void abandon() = 0;
  virtual void release_connection() = 0;
  // Whether `notify` can reach the client at all.
  virtual bool can_notify() const = 0;
  // Whether the client is connected now. One that is not may come back for the rest in the legacy era.
  virtual bool is_connected() const = 0;
};

// Answers straight through an exchange: pipes, and HTTP in the modern era.
std::shared_ptr<Responder> make_exchange_responder(std::shared_ptr<protocol::Exchange> exchange);

}  // namespace sluice::server
