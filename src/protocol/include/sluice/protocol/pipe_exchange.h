#pragma once

#include <atomic>
#include <memory>
#include <stop_token>
#include <string>

#include "sluice/protocol/exchange.h"

namespace sluice::protocol {

// One message that came over a pipe. What is sent, and the final message, go to the connection. Any thread.
class PipeExchange : public Exchange {
 public:
  PipeExchange(std::string body, std::shared_ptr<Connection> connection);

  const Inbound& inbound() const override { return inbound_; }
  bool send(Outbound message) override;
  void finish(Final final) override;
  void release() override {}
  std::stop_token gone() const override;

 private:
  Inbound inbound_;
  std::atomic<bool> done_{false};
};

}  // namespace sluice::protocol
