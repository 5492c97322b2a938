#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>

#include "sluice/base/clock.h"
#include "sluice/base/mutex.h"
#include "sluice/base/result.h"

namespace sluice::fetch {

struct Rate {
  double per_second = 5;
  double burst = 10;
  std::chrono::milliseconds wait_max{5'000};
};

// A bucket of tokens for each host. Any thread.
class RateLimit {
 public:
  // `clock` must outlive it.
  RateLimit(Rate rate, const Clock& clock) : rate_(rate), clock_(clock) {}

  // Takes a token: how long to wait before the request is made. rate_limited where that would be longer than
  // it may be; nothing is taken then.
  Result<std::chrono::milliseconds> take(const std::string& host);

 private:
  struct Bucket {
    double tokens = 0;  // Below zero: those that others already wait for.
    Monotonic as_of;
  };
  void forget_full(Monotonic now) SLUICE_REQUIRES(mutex_);

  const Rate rate_;
  const Clock& clock_;
  Mutex mutex_;
  std::map<std::string, Bucket, std::less<>> buckets_ SLUICE_GUARDED_BY(mutex_);
};

}  // namespace sluice::fetch
