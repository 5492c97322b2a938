#include "sluice/transport/memory_transport.h"

#include "sluice/base/mutex.h"
#include "sluice/protocol/pipe_exchange.h"

namespace sluice::transport {

class MemoryPipe::Pipe final : public protocol::Connection {
 public:
  bool send(std::string message) override {
    if (gone_.stop_requested()) return false;
    {
      const MutexLock lock(mutex_);
      messages_.push_back(std::move(message));
    }
    changed_.notify_all();
    return true;
  }
  std::stop_token gone() const override { return gone_.get_token(); }

  std::optional<std::string> receive(std::chrono::milliseconds at_most) {
    const MutexLock lock(mutex_);
    if (!changed_.wait_for(mutex_, at_most, [this]() SLUICE_REQUIRES(mutex_) { return !messages_.empty(); }))
      return std::nullopt;
    std::string message = std::move(messages_.front());
    messages_.pop_front();
    return message;
  }
  void close() { gone_.request_stop(); }

 private:
  std::stop_source gone_;
  Mutex mutex_;
  CondVar changed_;
  std::deque<std::string> messages_ SLUICE_GUARDED_BY(mutex_);
};

MemoryPipe::MemoryPipe(protocol::Receiver receiver)
    : receiver_(std::move(receiver)), pipe_(std::make_shared<Pipe>()) {}
MemoryPipe::~MemoryPipe() { close(); }
void MemoryPipe::send(std::string message) {
  receiver_(std::make_shared<protocol::PipeExchange>(std::move(message), pipe_));
}
std::optional<std::string> MemoryPipe::receive(std::chrono::milliseconds at_most) {
  return pipe_->receive(at_most);
}
void MemoryPipe::close() { pipe_->close(); }

class MemoryRequest::Exchange final : public protocol::Exchange {
 public:
  Exchange(protocol::HttpHead head, std::string body, Principal principal) {
    inbound_.http = std::move(head);
    inbound_.body = std::move(body);
    inbound_.principal = std::move(principal);
  }

  const protocol::Inbound& inbound() const override { return inbound_; }
  bool send(protocol::Outbound message) override {
    const MutexLock lock(mutex_);
    if (over() || gone_.stop_requested() || !inbound_.http->accepts_stream) return false;
    outcome_.streamed = true;
    if (!message.message.empty())
      outcome_.events.push_back(
          Event{.message = std::move(message.message), .event_id = std::move(message.event_id)});
    changed_.notify_all();
    return true;
  }
  void finish(protocol::Final final) override {
    const MutexLock lock(mutex_);
    if (over()) return;
    outcome_.final = std::move(final);
    changed_.notify_all();
  }
  void release() override {
    const MutexLock lock(mutex_);
    if (over()) return;
    outcome_.released = true;
    changed_.notify_all();
  }
  std::stop_token gone() const override { return gone_.get_token(); }

  Outcome wait(std::size_t events, std::chrono::milliseconds at_most) {
    const MutexLock lock(mutex_);
    changed_.wait_for(mutex_, at_most,
                      [&]() SLUICE_REQUIRES(mutex_) { return over() || outcome_.events.size() >= events; });
    return outcome_;
  }
  void close() { gone_.request_stop(); }

 private:
  bool over() const SLUICE_REQUIRES(mutex_) { return outcome_.final.has_value() || outcome_.released; }

  protocol::Inbound inbound_;
  std::stop_source gone_;
  Mutex mutex_;
  CondVar changed_;
  Outcome outcome_ SLUICE_GUARDED_BY(mutex_);
};

MemoryRequest::MemoryRequest(const protocol::Receiver& receiver, protocol::HttpHead head, std::string body,
                             Principal principal)
    : exchange_(std::make_shared<Exchange>(std::move(head), std::move(body), std::move(principal))) {
  receiver(exchange_);
}
MemoryRequest::~MemoryRequest() { close(); }
MemoryRequest::Outcome MemoryRequest::wait(std::chrono::milliseconds at_most) {
  return exchange_->wait(static_cast<std::size_t>(-1), at_most);
}
MemoryRequest::Outcome MemoryRequest::wait_events(std::size_t count, std::chrono::milliseconds at_most) {
  return exchange_->wait(count, at_most);
}
void MemoryRequest::close() { exchange_->close(); }

}  // namespace sluice::transport
