#include "sluice/fetch/rate_limit.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"

namespace sluice::fetch {

namespace {

double refilled(double tokens, std::chrono::duration<double> passed, const Rate& rate) {
  return std::min(rate.burst, tokens + passed.count() * rate.per_second);
}

}  // namespace

Result<std::chrono::milliseconds> RateLimit::take(const std::string& host) {
  const MutexLock lock(mutex_);
  const Monotonic now = clock_.now();
  if (buckets_.size() >= kFetchHostsMax && buckets_.find(host) == buckets_.end()) {
    forget_full(now);
    if (buckets_.size() >= kFetchHostsMax)
      return limit_reached("hosts that are asked at once", kFetchHostsMax).with_code("rate_limited");
  }
  const auto place = buckets_.try_emplace(host, Bucket{.tokens = rate_.burst, .as_of = now}).first;
  Bucket& bucket = place->second;
  bucket.tokens = refilled(bucket.tokens, now - bucket.as_of, rate_);
  bucket.as_of = now;
  const double left = bucket.tokens - 1;
  const double missing = std::max(0.0, -left);
  const auto wait =
      std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(missing * 1'000 / rate_.per_second)));
  if (wait > rate_.wait_max)
    return limit_reached(fmt::format("milliseconds to wait for {}", excerpt(host)),
                         static_cast<std::uint64_t>(rate_.wait_max.count()))
        .with_code("rate_limited")
        .with_hint("Ask less often.");
  bucket.tokens = left;
  return wait;
}

// A full bucket is as good as none.
void RateLimit::forget_full(Monotonic now) {
  for (auto each = buckets_.begin(); each != buckets_.end();) {
    const Bucket& bucket = each->second;
    const bool is_full = refilled(bucket.tokens, now - bucket.as_of, rate_) >= rate_.burst;
    each = is_full ? buckets_.erase(each) : std::next(each);
  }
}

}  // namespace sluice::fetch
