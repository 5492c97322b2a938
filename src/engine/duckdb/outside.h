#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/engine/row_buffer.h"
#include "sluice/engine/source.h"

#include "handles.h"
#include "transfer_meter.h"

namespace sluice::engine::duck {

// Makes `outside(17)` a table of the rows that were offered under that number.
Status register_outside(duckdb_connection connection, std::shared_ptr<const Sources> sources);

// What one statement reads from outside. Its sources are noted while the engine binds it, `reserve` takes a
// connection for each read before it runs, and `end` closes what is still open: the engine may keep the tasks
// of a statement that has ended for as long as no other needs its threads. Any thread.
class OutsideReads {
 public:
  // While it lives, statements that this thread prepares note their sources here.
  class Scope {
   public:
    explicit Scope(std::shared_ptr<OutsideReads> reads);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
  };

  OutsideReads(RunLimits limits, BufferSpace& space)
      : limits_(std::move(limits)), space_(space), meter_(limits_.transfer_bytes_max) {}

  static std::shared_ptr<OutsideReads> current();  // Of this thread; null outside of every scope.

  void note(const Source& source);
  // Takes the connections of all databases or none, and holds none while it waits for others. The engine has
  // prepared the statement; if it binds it again to run it, that time counts.
  Status reserve();
  // Begins to read. The rows live until `close` or `end`.
  Result<Rows*> open(Source& source, const std::vector<std::size_t>& wanted);
  void close(Rows* rows);
  void end();

 private:
  struct Connections {  // Of one database.
    std::size_t reads = 0;
    std::shared_ptr<Reservation> reservation;  // Shared by the reads of the statement.
  };
  using Reserved = std::map<engine::Database*, Connections>;

  using Counts = std::map<engine::Database*, std::size_t>;  // Ordered, see reserve_in_order().

  Result<Reserved> reserve_all(const Counts& counts) const;
  Result<Reserved> reserve_in_order(const Counts& counts) const;
  Status reserve_again() SLUICE_REQUIRES(mutex_);
  Result<std::unique_ptr<Rows>> read(Source& source, const std::vector<std::size_t>& wanted,
                                     const ReadOptions& options);
  Result<std::unique_ptr<Rows>> read_whole(Source& source, const std::vector<std::size_t>& wanted,
                                           const ReadOptions& options);

  const RunLimits limits_;
  BufferSpace& space_;
  TransferMeter meter_;  // Before the rows that it counts.
  Mutex turn_;           // Held by the one read of a database that has too few connections.
  Mutex mutex_;
  Counts counts_ SLUICE_GUARDED_BY(mutex_);          // Reads of each.
  bool is_bound_ SLUICE_GUARDED_BY(mutex_) = false;  // What is noted next is noted for the second time.
  bool has_begun_ SLUICE_GUARDED_BY(mutex_) = false;
  bool has_ended_ SLUICE_GUARDED_BY(mutex_) = false;
  Reserved reserved_ SLUICE_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Rows>> open_ SLUICE_GUARDED_BY(mutex_);
};

// The reads of one statement, which end with it.
class StatementReads {
 public:
  StatementReads(const RunLimits& limits, BufferSpace& space)
      : reads_(std::make_shared<OutsideReads>(limits, space)) {}
  ~StatementReads() { reads_->end(); }
  StatementReads(const StatementReads&) = delete;
  StatementReads& operator=(const StatementReads&) = delete;

  const std::shared_ptr<OutsideReads>& get() const { return reads_; }

 private:
  const std::shared_ptr<OutsideReads> reads_;  // Shared with what the engine keeps of the statement.
};

// Why the source failed that a message of the engine speaks of; nothing where it speaks of none.
std::optional<Error> error_from_outside(const Sources& sources, std::string_view message);

}  // namespace sluice::engine::duck
