#pragma once

#include <functional>
#include <optional>
#include <stop_token>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"

namespace sluice::engine::postgres {

// Waits for a socket within limits. One thread; a stop wakes it at once.
class Waiter {
 public:
  static Result<Waiter> make(const RunLimits& limits);
  Waiter(Waiter&& other) noexcept;
  Waiter& operator=(Waiter&&) = delete;
  ~Waiter();

  // Until `socket` is ready for any of `events` (POLLIN, POLLOUT), or the error of the limit that was met.
  Status wait(int socket, short events) const;
  const RunLimits& limits() const { return limits_; }

 private:
  Waiter(const RunLimits& limits, int bell) : limits_(limits), bell_(bell) { watch(); }
  void watch();

  RunLimits limits_;
  int bell_;  // An eventfd, rung when the stop comes; -1 where none can come.
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
};

}  // namespace sluice::engine::postgres
