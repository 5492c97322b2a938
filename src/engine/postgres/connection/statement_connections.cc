#include "connection/statement_connections.h"

namespace sluice::engine::postgres {

// The connections go back before the right to them does: whoever waits for one finds it.
StatementConnections::~StatementConnections() {
  for (std::unique_ptr<Link>& link : idle_) {
    link->leave_transaction();
    pool_.add_idle(std::move(link));
  }
}

Result<std::string> StatementConnections::snapshot(const std::function<Result<Exported>()>& exported) {
  const MutexLock lock(mutex_);
  if (snapshot_.empty()) {
    SLUICE_TRY(Exported made, exported());
    snapshot_ = std::move(made.id);
    idle_.push_back(std::move(made.link));
  }
  return snapshot_;
}

std::unique_ptr<Link> StatementConnections::take_idle() {
  const MutexLock lock(mutex_);
  if (idle_.empty()) return nullptr;
  std::unique_ptr<Link> link = std::move(idle_.back());
  idle_.pop_back();
  return link;
}

void StatementConnections::add_idle(std::unique_ptr<Link> link) {
  const MutexLock lock(mutex_);
  idle_.push_back(std::move(link));
}

}  // namespace sluice::engine::postgres
