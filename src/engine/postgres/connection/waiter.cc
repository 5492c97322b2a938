#include "connection/waiter.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <utility>

#include "sluice/engine/bounded_pool.h"

namespace sluice::engine::postgres {

namespace {

constexpr std::chrono::milliseconds kPollMax{60'000};

int poll_ms(Monotonic deadline) {
  if (deadline == Monotonic::max()) return static_cast<int>(kPollMax.count());
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - system_clock().now());
  return static_cast<int>(std::clamp(left, std::chrono::milliseconds(0), kPollMax).count());
}

}  // namespace

Result<Waiter> Waiter::make(const RunLimits& limits) {
  int bell = -1;
  if (limits.stop.stop_possible()) {
    bell = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (bell < 0) return limit_reached("open descriptors of this program", 0);
  }
  return Waiter(limits, bell);
}

Waiter::Waiter(Waiter&& other) noexcept : limits_(std::move(other.limits_)), bell_(-1) {
  other.on_stop_.reset();  // It knows the old place of the bell, not this one.
  bell_ = std::exchange(other.bell_, -1);
  watch();
}

Waiter::~Waiter() {
  on_stop_.reset();  // Waits for one that is ringing.
  if (bell_ >= 0) ::close(bell_);
}

void Waiter::watch() {
  if (bell_ < 0) return;
  on_stop_.emplace(limits_.stop, [bell = bell_] {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(bell, &one, sizeof(one));
  });
}

Status Waiter::wait(int socket, short events) const {
  while (true) {
    SLUICE_CHECK(check_limits(limits_));
    std::array<pollfd, 2> polled = {pollfd{.fd = socket, .events = events, .revents = 0},
                                    pollfd{.fd = bell_, .events = POLLIN, .revents = 0}};
    const int ready = ::poll(polled.data(), bell_ < 0 ? 1 : 2, poll_ms(limits_.deadline));
    if (ready < 0 && errno != EINTR) return internal_error("wait for the database");
    if (ready > 0 && polled[0].revents != 0) return {};
  }
}

}  // namespace sluice::engine::postgres
