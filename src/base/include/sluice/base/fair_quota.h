#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "sluice/base/mutex.h"

namespace sluice {

// Divides a fixed total among the holders that ask for parts of it, so that no holder can lock the others
// out. A holder may grow only while it holds no more than what is free: one holder alone reaches half of the
// total, n holders reach total / (n + 1) each. Any thread.
class FairQuota {
 public:
  explicit FairQuota(std::uint64_t total) : total_(total) {}

  std::uint64_t total() const { return total_; }
  // False: the holder has its share, or nothing is free. Nothing is taken then.
  bool take(std::string_view holder, std::uint64_t amount);
  void give_back(std::string_view holder, std::uint64_t amount);

 private:
  const std::uint64_t total_;
  Mutex mutex_;
  std::uint64_t used_ SLUICE_GUARDED_BY(mutex_) = 0;
  std::map<std::string, std::uint64_t, std::less<>> held_ SLUICE_GUARDED_BY(mutex_);  // Never 0.
};

// What one user of a FairQuota holds; the destructor gives it back. One thread at a time. The quota must
// outlive it.
class QuotaShare {
 public:
  QuotaShare() = default;  // Holds nothing and cannot grow.
  QuotaShare(FairQuota& quota, std::string holder) : quota_(&quota), holder_(std::move(holder)) {}
  QuotaShare(QuotaShare&& other) noexcept
      : quota_(std::exchange(other.quota_, nullptr)),
        holder_(std::move(other.holder_)),
        held_(std::exchange(other.held_, 0)) {}
  QuotaShare& operator=(QuotaShare&& other) noexcept {
    if (this == &other) return *this;
    release();
    quota_ = std::exchange(other.quota_, nullptr);
    holder_ = std::move(other.holder_);
    held_ = std::exchange(other.held_, 0);
    return *this;
  }
  ~QuotaShare() { release(); }

  // False: nothing was added.
  bool grow(std::uint64_t amount);
  void shrink(std::uint64_t amount);  // At most what it holds.
  void release() { shrink(held_); }
  std::uint64_t held() const { return held_; }

 private:
  FairQuota* quota_ = nullptr;
  std::string holder_;
  std::uint64_t held_ = 0;
};

}  // namespace sluice
