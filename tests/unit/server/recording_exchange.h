#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sluice/protocol/exchange.h"

#include "one_time_signal.h"

namespace sluice::server::testing {

// One HTTP exchange that keeps every event as it was sent, those without a message included.
class RecordingExchange final : public protocol::Exchange {
 public:
  RecordingExchange(protocol::HttpHead head, std::string body) {
    inbound_.http = std::move(head);
    inbound_.body = std::move(body);
  }

  const protocol::Inbound& inbound() const override { return inbound_; }
  bool send(protocol::Outbound message) override {
    const std::scoped_lock lock(mutex_);
    if (over_ || gone_.stop_requested()) return false;
    events_.push_back(std::move(message));
    changed_.notify_all();
    return true;
  }
  void finish(protocol::Final final) override {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(over_, true)) return;
    final_ = std::move(final);
    changed_.notify_all();
  }
  void release() override {
    const std::scoped_lock lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }
  std::stop_token gone() const override { return gone_.get_token(); }

  void close() { gone_.request_stop(); }
  // The events once there are `count` of them; fewer where they do not come in time.
  std::vector<protocol::Outbound> events(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kPatience, [&] { return events_.size() >= count; });
    return events_;
  }
  // The answer, once the response is over.
  std::optional<protocol::Final> final() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kPatience, [&] { return over_; });
    return final_;
  }

 private:
  protocol::Inbound inbound_;
  std::stop_source gone_;
  std::mutex mutex_;  // Guards everything below.
  std::condition_variable changed_;
  std::vector<protocol::Outbound> events_;
  std::optional<protocol::Final> final_;
  bool over_ = false;
};

}  // namespace sluice::server::testing
