#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/engine/bounded_pool.h"
#include "sluice/engine/database.h"

#include "connection/link.h"

namespace sluice::engine::postgres {

// The connections of a statement. If it reads more than once, all of its reads see the database at one
// moment: the first exports the snapshot of its transaction, the others import it, and each connection stays
// in its transaction, ready for another read, until the statement ends. Any thread. The pool must outlive it.
class StatementConnections final : public Reservation {
 public:
  using Pool = BoundedPool<Link>;

  StatementConnections(Pool& pool, std::shared_ptr<Pool::Group> group, std::size_t reads)
      : pool_(pool), group_(std::move(group)), reads_(reads) {}
  StatementConnections(const StatementConnections&) = delete;
  StatementConnections& operator=(const StatementConnections&) = delete;
  ~StatementConnections() override;

  std::size_t connections() const override { return group_->connections(); }
  const std::shared_ptr<Pool::Group>& group() const { return group_; }
  bool needs_one_moment() const { return reads_ > 1; }

  // The id of the snapshot. The first call makes it by `exported`, which returns it together with the
  // connection whose transaction it is.
  struct Exported {
    std::string id;
    std::unique_ptr<Link> link;
  };
  Result<std::string> snapshot(const std::function<Result<Exported>()>& exported);
  // A connection that is in its transaction and that no read uses; null if there is none.
  std::unique_ptr<Link> take_idle();
  void add_idle(std::unique_ptr<Link> link);

 private:
  Pool& pool_;
  const std::shared_ptr<Pool::Group> group_;  // Shared with the leases of the reads.
  const std::size_t reads_;
  Mutex mutex_;
  std::string snapshot_ SLUICE_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Link>> idle_ SLUICE_GUARDED_BY(mutex_);
};

}  // namespace sluice::engine::postgres
