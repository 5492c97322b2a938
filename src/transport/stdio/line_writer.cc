#include "stdio/line_writer.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <utility>

#include "sluice/base/log.h"

namespace sluice::transport {

LineWriter::LineWriter(int descriptor, std::size_t queue_bytes_max)
    : descriptor_(descriptor),
      queue_bytes_max_(queue_bytes_max),
      wake_descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      thread_([this] { run(); }) {}

LineWriter::~LineWriter() {
  close();
  thread_.join();
  ::close(wake_descriptor_);
}

bool LineWriter::write(std::string line) {
  bool overflow = false;
  {
    const std::scoped_lock lock(mutex_);
    if (closed_) return false;
    overflow = waiting_.size() + line.size() + 1 > queue_bytes_max_ && !waiting_.empty();
    if (!overflow) {
      waiting_ += line;
      waiting_ += '\n';
    }
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
  constexpr std::size_t kChunkBytesMax = 4096;  // PIPE_BUF
  std::size_t done = 0;
  while (done < bytes.size()) {
    std::array<pollfd, 2> wanted{pollfd{.fd = descriptor_, .events = POLLOUT, .revents = 0},
                                 pollfd{.fd = wake_descriptor_, .events = POLLIN, .revents = 0}};
    if (::poll(wanted.data(), wanted.size(), -1) < 0 && errno != EINTR) return false;
    if ((wanted[1].revents & POLLIN) != 0) return false;
    if ((wanted[0].revents & (POLLERR | POLLNVAL)) != 0) return false;
    if ((wanted[0].revents & POLLOUT) == 0) continue;
    const ssize_t written =
        ::write(descriptor_, bytes.data() + done, std::min(bytes.size() - done, kChunkBytesMax));
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
