#include <memory>
#include <utility>

#include "sluice/base/mutex.h"
#include "sluice/protocol/pipe_exchange.h"

#include "pipe_calls.h"
#include "stdio_link.h"

namespace sluice::client {
namespace {

Error server_gone() { return unavailable("the server in this process is gone").with_code("server_died"); }

// The server's end of the pipe. It may outlive the client's end.
class ServerEnd final : public protocol::Connection {
 public:
  ServerEnd(PipeCalls& calls, std::stop_source broken) : broken_(std::move(broken)), calls_(&calls) {}

  bool send(std::string message) override {
    const RecursiveMutexLock lock(mutex_);
    if (calls_ == nullptr) return false;
    const Status taken = calls_->take(message);
    if (taken.ok()) return true;
    calls_->fail(taken.error());
    broken_.request_stop();
    return false;
  }
  std::stop_token gone() const override { return gone_.get_token(); }
  void close() {
    gone_.request_stop();
    const RecursiveMutexLock lock(mutex_);
    calls_ = nullptr;
  }

 private:
  std::stop_source gone_;
  std::stop_source broken_;  // The client's: what came is nothing to go on with.
  // A server may answer an answer before it returns.
  RecursiveMutex mutex_;
  PipeCalls* calls_ SLUICE_GUARDED_BY(mutex_);  // Null once the client is gone.
};

class InProcessLink final : public Link {
 public:
  InProcessLink(protocol::Receiver receiver, const LinkParts& parts)
      : receiver_(std::move(receiver)),
        calls_(
            {.incoming = parts.incoming, .clock = parts.clock, .message_bytes_max = parts.message_bytes_max}),
        end_(std::make_shared<ServerEnd>(calls_, gone_)) {}
  ~InProcessLink() override { InProcessLink::close(); }

  bool is_http() const override { return false; }
  Result<Reply> request(const Outgoing& outgoing) override {
    return calls_.request(outgoing, [this](std::string text) { return hand_over(std::move(text)); });
  }
  Status send(std::string message, const fetch::Headers& /*headers*/, std::stop_token /*stop*/) override {
    if (hand_over(std::move(message))) return {};
    return server_gone();
  }
  void adopt(fetch::Headers /*headers*/) override {}
  Status listen(std::stop_token stop, const std::function<void()>& on_open) override {
    on_open();
    Mutex mutex;
    CondVar changed;
    const std::stop_callback on_gone(gone_.get_token(), [&] {
      const MutexLock lock(mutex);
      changed.notify_all();
    });
    const MutexLock lock(mutex);
    changed.wait(mutex, std::move(stop), [this]() SLUICE_REQUIRES(mutex) { return gone_.stop_requested(); });
    return server_gone();
  }
  std::stop_token gone() const override { return gone_.get_token(); }
  void close() override {
    calls_.fail(cancelled());
    end_->close();
    gone_.request_stop();
  }

 private:
  bool hand_over(std::string text) {
    if (calls_.failure()) return false;
    receiver_(std::make_shared<protocol::PipeExchange>(std::move(text), end_));
    return true;
  }

  const protocol::Receiver receiver_;
  PipeCalls calls_;
  std::stop_source gone_;
  const std::shared_ptr<ServerEnd> end_;  // Shared with the exchanges that the server still has.
};

}  // namespace

Result<std::unique_ptr<Link>> open_in_process(const InProcess& target, const LinkParts& parts) {
  if (!target.receiver) return invalid_input("a server in this process needs a receiver");
  return std::unique_ptr<Link>(std::make_unique<InProcessLink>(target.receiver, parts));
}

}  // namespace sluice::client
