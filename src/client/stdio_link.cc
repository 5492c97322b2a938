#include "stdio_link.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <future>
#include <optional>
#include <thread>
#include <utility>

#include "sluice/base/limits.h"
#include "sluice/base/log.h"
#include "sluice/base/mutex.h"
#include "sluice/protocol/wire/notifications.h"
#include "sluice/transport/line_splitter.h"
#include "sluice/transport/line_writer.h"

#include "child_process.h"
#include "error_tail.h"
#include "pipe_calls.h"

namespace sluice::client {
namespace {

Error server_died() {
  return unavailable("the server's process has ended")
      .with_code("server_died")
      .with_hint("its last words are in the log; the next call starts it again");
}

class StdioLink final : public Link {
 public:
  StdioLink(Command command, const LinkParts& parts)
      : command_(std::move(command)),
        message_bytes_max_(parts.message_bytes_max),
        calls_({.incoming = parts.incoming, .clock = parts.clock, .message_bytes_max = message_bytes_max_}),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  ~StdioLink() override { StdioLink::close(); }

  Status start() {
    std::promise<Status> started;
    std::future<Status> result = started.get_future();
    thread_ = std::thread([this, &started] { run(started); });
    return result.get();
  }

  bool is_http() const override { return false; }

  Result<Reply> request(const Outgoing& outgoing) override {
    return calls_.request(outgoing, [this](std::string text) {
      const bool written = writer_->write(std::move(text));
      if (!written) gone_.request_stop();
      return written;
    });
  }

  Status send(std::string message, const fetch::Headers& /*headers*/, std::stop_token /*stop*/) override {
    if (writer_->write(std::move(message))) return {};
    return server_died();
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
    return server_died();
  }

  std::stop_token gone() const override { return gone_.get_token(); }

  void close() override {
    const MutexLock lock(close_mutex_);
    if (!thread_.joinable()) return;
    // A server that is told need not be waited for.
    for (const std::int64_t id : calls_.pending()) {
      if (!gone_.stop_requested())
        writer_->write(
            protocol::cancelled_notification(protocol::RequestId{id}, "the client is closing", ""));
    }
    calls_.fail(cancelled());
    wake();
    thread_.join();
  }

  std::string error_output() const override { return tail_.text(); }

 private:
  enum class Read : std::uint8_t { kMore, kEnd };

  void wake() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake_.number(), &one, sizeof one);
  }

  // The thread that the child hangs on; see ChildProcess::start.
  void run(std::promise<Status>& started) {
    Result<std::unique_ptr<ChildProcess>> child = ChildProcess::start(command_);
    if (!child) return started.set_value(std::move(child).error());
    child_ = *std::move(child);
    writer_.emplace(child_->input(), kStreamQueueBytesMax);
    const std::stop_callback on_writer_gone(writer_->gone(), [this] { wake(); });
    started.set_value({});
    read_all();
    gone_.request_stop();  // Before anybody learns of it and calls again.
    calls_.fail(failure_.value_or(server_died()));
    writer_->close();
    child_->end(command_.exit_grace);
    tail_.finish();
  }

  void read_all() {
    transport::LineSplitter splitter(message_bytes_max_);
    std::string chunk(kReadBytes, '\0');
    while (true) {
      std::array<pollfd, 4> wanted{
          pollfd{.fd = child_->output(), .events = POLLIN, .revents = 0},
          pollfd{.fd = errors_ended_ ? -1 : child_->errors(), .events = POLLIN, .revents = 0},
          pollfd{.fd = child_->exit_signal(), .events = POLLIN, .revents = 0},
          pollfd{.fd = wake_.number(), .events = POLLIN, .revents = 0}};
      if (::poll(wanted.data(), wanted.size(), -1) < 0 && errno != EINTR) return;
      if (wanted[3].revents != 0) return;  // Closed, or the child takes no more input.
      if (wanted[1].revents != 0) read_errors(chunk);
      if (wanted[0].revents != 0 && read_output(splitter, chunk) == Read::kEnd) return;
      // Ended, and all that it wrote has been read. Its children may hold the pipe open; they go with it.
      if (wanted[2].revents != 0 && wanted[0].revents == 0) return;
    }
  }

  Read read_output(transport::LineSplitter& splitter, std::string& chunk) {
    const ssize_t count = ::read(child_->output(), chunk.data(), chunk.size());
    if (count < 0) return errno == EAGAIN || errno == EINTR ? Read::kMore : Read::kEnd;
    if (count == 0) return Read::kEnd;
    splitter.push(std::string_view(chunk.data(), static_cast<std::size_t>(count)),
                  [this](const transport::LineSplitter::Line& line) { take(line); });
    return failure_ ? Read::kEnd : Read::kMore;
  }

  void take(const transport::LineSplitter::Line& line) {
    if (failure_) return;
    if (line.too_long) {
      failure_ =
          limit_reached("bytes in a message of the server", message_bytes_max_).with_code("answer_too_large");
      return;
    }
    if (const Status taken = calls_.take(line.text); !taken.ok()) failure_ = taken.error();
  }

  void read_errors(std::string& chunk) {
    const ssize_t count = ::read(child_->errors(), chunk.data(), chunk.size());
    if (count > 0) tail_.push(std::string_view(chunk.data(), static_cast<std::size_t>(count)));
    errors_ended_ = count == 0;
  }

  static constexpr std::size_t kReadBytes = 64 * 1024;
  const Command command_;
  const std::size_t message_bytes_max_;
  PipeCalls calls_;
  const fs::Descriptor wake_;
  ErrorTail tail_;
  std::stop_source gone_;
  std::unique_ptr<ChildProcess> child_;          // Of the thread, but for its input, which the writer has.
  std::optional<transport::LineWriter> writer_;  // Set before `start` returns, and stays.
  std::optional<Error> failure_;                 // Of the thread.
  bool errors_ended_ = false;                    // Of the thread.
  Mutex close_mutex_;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<Link>> open_stdio(const Command& command, const LinkParts& parts) {
  auto link = std::make_unique<StdioLink>(command, parts);
  SLUICE_CHECK(link->start());
  return std::unique_ptr<Link>(std::move(link));
}

}  // namespace sluice::client
