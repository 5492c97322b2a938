#include "sluice/catalog/watch_table.h"

#include <algorithm>

namespace sluice::catalog {

WatchTable::Turn::Turn(WatchTable& table, const std::string& uri) : table_(table), uri_(uri) {
  const MutexLock lock(table.mutex_);
  table.changed_.wait(table.mutex_, [&]() SLUICE_REQUIRES(table.mutex_) {
    if (table.turns_.contains(uri)) return false;
    const auto is_ours = [](const auto& turn) { return turn.second == std::this_thread::get_id(); };
    return !table.is_paused_ || std::any_of(table.turns_.begin(), table.turns_.end(), is_ours);
  });
  table.turns_.emplace(uri, std::this_thread::get_id());
}

WatchTable::Turn::~Turn() {
  const MutexLock lock(table_.mutex_);
  table_.turns_.erase(uri_);
  table_.changed_.notify_all();
}

bool WatchTable::Turn::add() {
  const MutexLock lock(table_.mutex_);
  return ++table_.counts_[uri_] == 1;
}

bool WatchTable::Turn::remove() {
  const MutexLock lock(table_.mutex_);
  const auto at = table_.counts_.find(uri_);
  if (at == table_.counts_.end() || --at->second > 0) return false;
  table_.counts_.erase(at);
  return true;
}

WatchTable::Pause::Pause(WatchTable& table) : table_(table) {
  const MutexLock lock(table.mutex_);
  table.is_paused_ = true;  // First, so that new turns cannot keep it waiting for ever.
  table.changed_.wait(table.mutex_, [&]() SLUICE_REQUIRES(table.mutex_) { return table.turns_.empty(); });
}

WatchTable::Pause::~Pause() {
  const MutexLock lock(table_.mutex_);
  table_.is_paused_ = false;
  table_.changed_.notify_all();
}

std::vector<std::string> WatchTable::Pause::uris() const {
  const MutexLock lock(table_.mutex_);
  std::vector<std::string> out;
  for (const auto& [uri, count] : table_.counts_) out.push_back(uri);
  return out;
}

bool WatchTable::contains(const std::string& uri) const {
  const MutexLock lock(mutex_);
  return counts_.contains(uri);
}

}  // namespace sluice::catalog
