#include "sluice/transport/stdio_server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/base/mutex.h"
#include "sluice/protocol/jsonrpc/message.h"
#include "sluice/protocol/pipe_exchange.h"
#include "sluice/transport/line_splitter.h"
#include "sluice/transport/line_writer.h"

#include "relay.h"

namespace sluice::transport {
namespace {

class PipeConnection final : public protocol::Connection {
 public:
  PipeConnection(int output, std::size_t queue_bytes_max) : writer_(output, queue_bytes_max) {}
  bool send(std::string message) override { return writer_.write(std::move(message)); }
  std::stop_token gone() const override { return writer_.gone(); }
  LineWriter& writer() { return writer_; }

 private:
  LineWriter writer_;
};

// An exchange whose thread the relay can replace while the receiver has not returned.
class RelayedExchange final : public protocol::PipeExchange {
 public:
  RelayedExchange(std::string body, std::shared_ptr<PipeConnection> connection, Relay* relay)
      : PipeExchange(std::move(body), std::move(connection)), relay_(relay) {}

  bool lends_thread() override {
    Relay* relay = relay_.exchange(nullptr);
    return relay != nullptr && relay->lend();
  }
  void received() { relay_ = nullptr; }

 private:
  std::atomic<Relay*> relay_;  // Null once the receiver has returned.
};

// Ends the wait for input; there is no other.
class Wake {
 public:
  explicit Wake(int descriptor) : descriptor_(descriptor) {}
  ~Wake() { ::close(descriptor_); }
  Wake(const Wake&) = delete;
  Wake& operator=(const Wake&) = delete;
  int descriptor() const { return descriptor_; }
  void ring() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(descriptor_, &one, sizeof one);
  }

 private:
  const int descriptor_;
};

class StdioServerImpl final : public StdioServer {
 public:
  StdioServerImpl(StdioOptions options, protocol::Receiver receiver, int wake)
      : options_(options),
        receiver_(std::move(receiver)),
        wake_(wake),
        connection_(std::make_shared<PipeConnection>(options.output, options.queue_bytes_max)),
        relay_(
            {.step = [this] { return step(); }, .on_change = [this] { connection_->writer().release(); }}) {}

  ~StdioServerImpl() override { StdioServerImpl::stop(std::chrono::milliseconds{0}); }

  void wait_for_end() override {
    const MutexLock lock(mutex_);
    ended_changed_.wait(mutex_, [this]() SLUICE_REQUIRES(mutex_) { return ended_; });
  }

  void stop(std::chrono::milliseconds grace) override {
    wake_.ring();
    wait_for_end();
    connection_->writer().flush(grace);
    connection_->writer().close();
  }

 private:
  // One message, or one read of more of them. What answers a message runs on this thread where it is short;
  // answers to messages that came together go out together.
  bool step() {
    if (!lines_.empty()) {
      LineSplitter::Line line = std::move(lines_.front());
      lines_.pop_front();
      take(std::move(line));
      return true;
    }
    connection_->writer().release();
    if (is_over_) {
      const MutexLock lock(mutex_);
      ended_ = true;
      ended_changed_.notify_all();
      return false;
    }
    read_lines();
    if (lines_.size() > 1) connection_->writer().hold();
    return true;
  }

  void read_lines() {
    const auto add = [this](LineSplitter::Line line) { lines_.push_back(std::move(line)); };
    const ssize_t count = wait_for_input() ? ::read(options_.input, chunk_.data(), chunk_.size()) : 0;
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (count > 0)
      return splitter_.push(std::string_view(chunk_.data(), static_cast<std::size_t>(count)), add);
    is_over_ = true;
    splitter_.finish(add);
  }

  bool wait_for_input() {
    while (true) {
      std::array<pollfd, 2> wanted{pollfd{.fd = options_.input, .events = POLLIN, .revents = 0},
                                   pollfd{.fd = wake_.descriptor(), .events = POLLIN, .revents = 0}};
      if (::poll(wanted.data(), wanted.size(), -1) < 0) {
        if (errno == EINTR) continue;
        return false;
      }
      if ((wanted[1].revents & POLLIN) != 0 || connection_->gone().stop_requested()) return false;
      if ((wanted[0].revents & (POLLIN | POLLHUP)) != 0) return true;
      if ((wanted[0].revents & (POLLERR | POLLNVAL)) != 0) return false;
    }
  }

  void take(LineSplitter::Line line) {
    if (line.too_long) {
      const protocol::WireError error{
          .code = protocol::kInvalidRequest,
          .message = fmt::format("a message has at most {} bytes", options_.message_bytes_max)};
      connection_->send(protocol::error_message(std::nullopt, error));
      return;
    }
    const auto exchange = std::make_shared<RelayedExchange>(std::move(line.text), connection_, &relay_);
    receiver_(exchange);
    exchange->received();
  }

  static constexpr std::size_t kReadBytes = 64 * 1024;
  const StdioOptions options_;
  const protocol::Receiver receiver_;
  const Wake wake_;
  const std::shared_ptr<PipeConnection> connection_;  // Shared with every exchange.
  Mutex mutex_;
  CondVar ended_changed_;
  bool ended_ SLUICE_GUARDED_BY(mutex_) = false;
  // Of the steps alone.
  LineSplitter splitter_{options_.message_bytes_max};
  std::string chunk_ = std::string(kReadBytes, '\0');
  std::deque<LineSplitter::Line> lines_;
  bool is_over_ = false;
  Relay relay_;
  // A peer that does not read our answers is not read from either.
  std::stop_callback<std::function<void()>> on_gone_{connection_->gone(), [this] { wake_.ring(); }};
};

}  // namespace

Result<std::unique_ptr<StdioServer>> StdioServer::start(StdioOptions options, protocol::Receiver receiver) {
  const int wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake < 0) return internal_error(fmt::format("create an event descriptor: {}", std::strerror(errno)));
  return std::unique_ptr<StdioServer>(std::make_unique<StdioServerImpl>(options, std::move(receiver), wake));
}

}  // namespace sluice::transport
