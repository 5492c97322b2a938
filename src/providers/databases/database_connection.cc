#include "database_connection.h"

#include <algorithm>
#include <utility>

#include "sluice/base/log.h"

namespace sluice::databases {

namespace {

constexpr std::size_t kPendingLooksMax = 16;

bool same_tables(const std::vector<engine::TableSummary>& a, const std::vector<engine::TableSummary>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.name == y.name && x.kind == y.kind; });
}

}  // namespace

Result<std::vector<engine::TableSummary>> DatabaseConnection::tables(const engine::RunLimits& limits) const {
  SLUICE_TRY(std::vector<engine::TableSummary> tables, database_->tables(limits));
  if (spec_.schemas.empty()) return tables;
  std::erase_if(tables, [&](const engine::TableSummary& table) {
    return std::find(spec_.schemas.begin(), spec_.schemas.end(), table.name.schema) == spec_.schemas.end();
  });
  return tables;
}

bool DatabaseConnection::look(const engine::RunLimits& limits) {
  Known next;
  const Result<std::string> version = database_->version(limits);
  if (version.ok()) next.version = *version;
  {
    const MutexLock lock(mutex_);
    // A version tells of tables too; without one, they are asked for each time.
    if (version.ok() && !next.version.empty() && next.version == known_.version && known_.error.empty())
      return false;
  }
  Result<std::vector<engine::TableSummary>> found = tables(limits);
  if (found.ok()) {
    next.tables = *std::move(found);
  } else {
    next.error = found.error().message;
  }
  const MutexLock lock(mutex_);
  if (!next.error.empty()) {
    if (known_.error != next.error)
      log::warning("database.unavailable", {{"database", name()}, {"reason", next.error}});
    // What was there is still offered: it may come back, and each call says what is wrong.
    next.tables = known_.tables;
  }
  const bool changed = next.version != known_.version || next.error != known_.error ||
                       !same_tables(next.tables, known_.tables);
  known_ = std::move(next);
  return changed;
}

bool DatabaseConnection::is_away() const {
  const MutexLock lock(mutex_);
  return !known_.error.empty();
}

DatabaseConnection::Known DatabaseConnection::known() const {
  const MutexLock lock(mutex_);
  return known_;
}

void DatabaseConnection::outdate() {
  edition_.fetch_add(1, std::memory_order_acq_rel);
  if (listener_) listener_();
}

void DatabaseConnection::look_later(Look look) {
  const MutexLock lock(mutex_);
  if (looks_.size() < kPendingLooksMax) looks_.push_back(std::move(look));
}

void DatabaseConnection::look_now(const engine::RunLimits& limits) {
  std::vector<Look> looks;
  {
    const MutexLock lock(mutex_);
    looks.swap(looks_);
  }
  for (const Look& look : looks) look(*database_, limits);
}

}  // namespace sluice::databases
