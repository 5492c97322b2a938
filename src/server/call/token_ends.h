#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>

#include "sluice/base/caller_identity.h"
#include "sluice/base/clock.h"
#include "sluice/base/mutex.h"

#include "call/deadlines.h"

namespace sluice::server {

// Ends what was opened with a token once the token is not accepted any more. Any thread.
class TokenEnds {
 public:
  // Both must outlive it; `deadlines` is stopped before it is destroyed.
  TokenEnds(Deadlines& deadlines, const Clock& clock) : deadlines_(deadlines), clock_(clock) {}

  // Calls `end` if `stream` still lives then. Does nothing without an identity: there is no token that
  // expires.
  void add(const CallerIdentity* identity, std::weak_ptr<const void> stream, std::function<void()> end);
  std::size_t size() const;  // Some of them may be gone already.

 private:
  struct Entry {
    std::weak_ptr<const void> stream;
    std::function<void()> end;
  };

  void end_due();
  void drop_gone() SLUICE_REQUIRES(mutex_);

  Deadlines& deadlines_;
  const Clock& clock_;
  mutable Mutex mutex_;
  std::multimap<Monotonic, Entry> entries_ SLUICE_GUARDED_BY(mutex_);
  Monotonic alarm_ SLUICE_GUARDED_BY(mutex_) = Monotonic::max();  // The next call of `end_due`.
  std::size_t drop_at_ SLUICE_GUARDED_BY(mutex_) =
      64;  // As many entries: those of closed streams are dropped.
};

}  // namespace sluice::server
