#include "call/responder.h"

#include <atomic>

namespace sluice::server {
namespace {

class ExchangeResponder final : public Responder {
 public:
  explicit ExchangeResponder(std::shared_ptr<protocol::Exchange> exchange) : exchange_(std::move(exchange)) {}

  bool notify(std::string message) override {
    streaming_ = true;
    return exchange_->send(protocol::Outbound{.message = std::move(message)});
  }

  void finish(protocol::Final final) override { exchange_->finish(std::move(final)); }

  void abandon() override {
    if (streaming_) {
      exchange_->release();
    } else {
      exchange_->finish(protocol::Final{.status = 202});
    }
  }

  void release_connection() override {}  // The modern era has no way to come back for the rest.

  bool can_notify() const override {
    return !exchange_->inbound().http || exchange_->inbound().http->accepts_stream;
  }

  bool is_connected() const override { return !exchange_->gone().stop_requested(); }

 private:
  const std::shared_ptr<protocol::Exchange> exchange_;  // Shared with the transport.
  std::atomic<bool> streaming_{false};
};

}  // namespace

std::shared_ptr<Responder> make_exchange_responder(std::shared_ptr<protocol::Exchange> exchange) {
  return std::make_shared<ExchangeResponder>(std::move(exchange));
}

}  // namespace sluice::server
