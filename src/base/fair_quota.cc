#include "sluice/base/fair_quota.h"

#include "sluice/base/assert.h"

namespace sluice {

bool FairQuota::take(std::string_view holder, std::uint64_t amount) {
  if (amount == 0) return true;
  const MutexLock lock(mutex_);
  const std::uint64_t free = total_ - used_;
  const auto at = held_.find(holder);
  const std::uint64_t held = at == held_.end() ? 0 : at->second;
  if (amount > free || held > free - amount) return false;
  used_ += amount;
  if (at == held_.end()) {
    held_.emplace(holder, amount);
  } else {
    at->second += amount;
  }
  return true;
}

void FairQuota::give_back(std::string_view holder, std::uint64_t amount) {
  if (amount == 0) return;
  const MutexLock lock(mutex_);
  const auto at = held_.find(holder);
  SLUICE_ASSERT(at != held_.end() && at->second >= amount, "only what was taken is given back");
  at->second -= amount;
  used_ -= amount;
  if (at->second == 0) held_.erase(at);
}

bool QuotaShare::grow(std::uint64_t amount) {
  if (quota_ == nullptr || !quota_->take(holder_, amount)) return false;
  held_ += amount;
  return true;
}

void QuotaShare::shrink(std::uint64_t amount) {
  SLUICE_ASSERT(amount <= held_, "a share gives back only what it holds");
  if (amount == 0) return;
  held_ -= amount;
  quota_->give_back(holder_, amount);
}

}  // namespace sluice
