#include "stdio/line_writer.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
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

// How much the descriptor takes without blocking. The descriptor may be shared, so it is not made
// non-blocking itself.
std::size_t LineWriter::write_at_once(std::string_view bytes) const {
  ssize_t written = 0;
  if (kind_ == Kind::kSocket) {
    written = ::send(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  } else if (kind_ == Kind::kPipe && bytes.size() <= kPipeBytesMax) {
    pollfd wanted{.fd = descriptor_, .events = POLLOUT, .revents = 0};
    if (::poll(&wanted, 1, 0) == 1 && wanted.revents == POLLOUT)
      written = ::write(descriptor_, bytes.data(), bytes.size());
  }
  return written > 0 ? static_cast<std::size_t>(written) : 0;  // A failure shows again on the thread.
}

bool LineWriter::write(std::string line) {
  line += '\n';
  bool overflow = false;
  {
    const std::scoped_lock lock(mutex_);
    if (closed_) return false;
    const std::size_t written = waiting_.empty() && !writing_ ? write_at_once(line) : 0;
    if (written == line.size()) return true;
    overflow = waiting_.size() + line.size() > queue_bytes_max_ && !waiting_.empty();
    if (!overflow) waiting_ += std::string_view(line).substr(written);
  }
  if (overflow) {
    log::warning("stdio.reader_too_slow", {{"queue_bytes_max", queue_bytes_max_}});
    close();
    return false;
  }
  changed_.notify_all();
  return true;
}

bool LineWriter::flush(std::chrono::milliseconds at_most) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, at_most, [this] { return closed_ || (waiting_.empty() && !writing_); });
  return waiting_.empty() && !writing_;
}

void LineWriter::close() {
  {
    const std::scoped_lock lock(mutex_);
    if (closed_) return;
    closed_ = true;
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_descriptor_, &one, sizeof one);
  changed_.notify_all();
  gone_.request_stop();
}

// Waits for room before each write, so that a close can end the wait. A write itself may still block where
// the descriptor is a pipe that has room for less than we write: so we never write more than a pipe takes
// atomically.
bool LineWriter::write_all(const std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    std::array<pollfd, 2> wanted{pollfd{.fd = descriptor_, .events = POLLOUT, .revents = 0},
                                 pollfd{.fd = wake_descriptor_, .events = POLLIN, .revents = 0}};
    if (::poll(wanted.data(), wanted.size(), -1) < 0 && errno != EINTR) return false;
    if ((wanted[1].revents & POLLIN) != 0) return false;
    if ((wanted[0].revents & (POLLERR | POLLNVAL)) != 0) return false;
    if ((wanted[0].revents & POLLOUT) == 0) continue;
    const ssize_t written =
        ::write(descriptor_, bytes.data() + done, std::min(bytes.size() - done, kPipeBytesMax));
    if (written < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  return true;
}

void LineWriter::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
    if (closed_) return;
    const std::string bytes = std::exchange(waiting_, {});
    writing_ = true;
    lock.unlock();
    const bool written = write_all(bytes);
    if (!written) close();
    lock.lock();
    writing_ = false;
    changed_.notify_all();
  }
}

}  // namespace sluice::transport
