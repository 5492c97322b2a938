#include "sluice/transport/line_writer.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <utility>

#include "sluice/base/log.h"

namespace sluice::transport {
namespace {

constexpr std::size_t kPipeBytesMax = 4096;  // PIPE_BUF: a pipe that is ready takes so much without blocking.
constexpr std::size_t kHeldLinesMax = 8;     // So that the peer has something to do meanwhile.
constexpr std::size_t kHeldBytesMax = 32 * 1024;  // Half of what a pipe takes.

}  // namespace

LineWriter::LineWriter(int descriptor, std::size_t queue_bytes_max)
    : descriptor_(descriptor),
      queue_bytes_max_(queue_bytes_max),
      kind_(kind_of(descriptor)),
      wake_descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      thread_([this] { run(); }) {}

LineWriter::~LineWriter() {
  close();
  thread_.join();
  ::close(wake_descriptor_);
}

LineWriter::Kind LineWriter::kind_of(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return Kind::kOther;
  if (S_ISFIFO(status.st_mode)) return Kind::kPipe;
  return S_ISSOCK(status.st_mode) ? Kind::kSocket : Kind::kOther;
}

// Writes what the descriptor takes without blocking, and returns how much that was; negative with errno where
// it takes nothing. The descriptor may be shared, so it is not made non-blocking itself.
long LineWriter::write_some(std::string_view bytes) const {
  if (kind_ == Kind::kSocket)
    return ::send(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (kind_ == Kind::kPipe) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): it is only read.
    const iovec part{.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
    const ssize_t written = ::pwritev2(descriptor_, &part, 1, -1, RWF_NOWAIT);
    if (written >= 0 || errno != EOPNOTSUPP) return written;
  }
  // Older kernels do not know that for a pipe. One that is ready takes so much at least.
  pollfd wanted{.fd = descriptor_, .events = POLLOUT, .revents = 0};
  if (::poll(&wanted, 1, 0) == 1 && (wanted.revents & POLLOUT) != 0)
    return ::write(descriptor_, bytes.data(), std::min(bytes.size(), kPipeBytesMax));
  errno = EAGAIN;
  return -1;
}

bool LineWriter::write(std::string line) {
  line += '\n';
  bool overflow = false;
  {
    const MutexLock lock(mutex_);
    if (closed_) return false;
    overflow = waiting_.size() + line.size() > queue_bytes_max_ && !waiting_.empty();
    if (waiting_.empty()) {
      waiting_ = std::move(line);
      waiting_from_ = 0;
    } else if (!overflow) {
      waiting_ += line;
    }
    const bool is_held = holder_ == std::this_thread::get_id() && ++held_lines_ < kHeldLinesMax &&
                         waiting_.size() < kHeldBytesMax;
    if (is_held && !overflow) return true;
    if (!overflow) write_waiting();
    if (waiting_.empty()) return true;
  }
  if (overflow) {
    log::warning("stdio.reader_too_slow", {{"queue_bytes_max", queue_bytes_max_}});
    close();
    return false;
  }
  changed_.notify_all();
  return true;
}

// A failure shows again on the thread.
void LineWriter::write_waiting() {
  held_lines_ = 0;
  if (writing_ || kind_ == Kind::kOther || waiting_.empty()) return;
  const long written = write_some(std::string_view(waiting_).substr(waiting_from_));
  waiting_from_ += static_cast<std::size_t>(std::max(0L, written));
  if (waiting_from_ < waiting_.size()) return;
  waiting_.clear();
  waiting_from_ = 0;
}

void LineWriter::hold() {
  const MutexLock lock(mutex_);
  holder_ = std::this_thread::get_id();
}

void LineWriter::release() {
  {
    const MutexLock lock(mutex_);
    if (holder_ == std::thread::id()) return;
    holder_ = {};
    write_waiting();
    if (waiting_.empty()) return;
  }
  changed_.notify_all();
}

bool LineWriter::flush(std::chrono::milliseconds at_most) {
  const MutexLock lock(mutex_);
  changed_.wait_for(mutex_, at_most,
                    [this]() SLUICE_REQUIRES(mutex_) { return closed_ || (waiting_.empty() && !writing_); });
  return waiting_.empty() && !writing_;
}

void LineWriter::close() {
  {
    const MutexLock lock(mutex_);
    if (closed_) return;
    closed_ = true;
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_descriptor_, &one, sizeof one);
  changed_.notify_all();
  gone_.request_stop();
}

// Waits for room before each write, so that a close can end the wait.
bool LineWriter::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    std::array<pollfd, 2> wanted{pollfd{.fd = descriptor_, .events = POLLOUT, .revents = 0},
                                 pollfd{.fd = wake_descriptor_, .events = POLLIN, .revents = 0}};
    if (::poll(wanted.data(), wanted.size(), -1) < 0 && errno != EINTR) return false;
    if ((wanted[1].revents & POLLIN) != 0) return false;
    if ((wanted[0].revents & (POLLERR | POLLNVAL)) != 0) return false;
    if ((wanted[0].revents & POLLOUT) == 0) continue;
    const long written = write_some(bytes);
    if (written < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void LineWriter::run() {
  MutexLock lock(mutex_);
  while (true) {
    changed_.wait(mutex_, [this]() SLUICE_REQUIRES(mutex_) { return closed_ || !waiting_.empty(); });
    if (closed_) return;
    const std::string bytes = std::exchange(waiting_, {});
    const std::size_t from = std::exchange(waiting_from_, 0);
    writing_ = true;
    lock.unlock();
    const bool written = write_all(std::string_view(bytes).substr(from));
    if (!written) close();
    lock.lock();
    writing_ = false;
    changed_.notify_all();
  }
}

}  // namespace sluice::transport
