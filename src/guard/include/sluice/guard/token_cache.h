#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "sluice/base/admission.h"
#include "sluice/base/mutex.h"

namespace sluice::guard {

inline constexpr std::size_t kTokensCachedMax = 10'000;

// Decisions about tokens that were verified, by the digest of the token, for as long as their leases are
// good. The oldest one is dropped to make room. Any thread.
class TokenCache {
 public:
  std::optional<Admitted> find(const std::string& digest, Monotonic now);
  void put(const std::string& digest, Admitted admitted);

 private:
  Mutex mutex_;
  std::map<std::string, Admitted> entries_ SLUICE_GUARDED_BY(mutex_);
  std::deque<std::string> order_ SLUICE_GUARDED_BY(mutex_);  // Digests of the entries, oldest first.
};

}  // namespace sluice::guard
