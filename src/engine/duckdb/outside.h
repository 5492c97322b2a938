#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/source.h"

#include "duckdb/handles.h"

namespace sluice::engine::duck {

// Makes `outside(17)` a table of the rows that were offered under that number.
Status register_outside(duckdb_connection connection, std::shared_ptr<const Sources> sources);

// What one statement reads from outside. Its sources are noted while the engine prepares it, `reserve` takes
// a connection for each read at once before it runs, and `end` closes what is still open: the engine may keep
// the tasks of a statement that has ended for as long as no other needs its threads.
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

  static std::shared_ptr<OutsideReads> current();  // Of this thread; null outside of every scope.

  void note(const Source& source);
  Status reserve(const RunLimits& limits);
  // Begins to read. The rows live until `close` or `end`.
  Result<Rows*> open(Source& source, const std::vector<std::size_t>& wanted);
  void close(Rows* rows);
  void end();

 private:
  std::map<engine::Database*, std::size_t> counts_;  // Ordered: all statements reserve in the same order.
  std::mutex mutex_;                                 // Guards what follows.
  std::map<engine::Database*, std::shared_ptr<Reservation>> reservations_;
  std::vector<std::unique_ptr<Rows>> open_;
};

// The reads of one statement, which end with it.
class StatementReads {
 public:
  StatementReads() : reads_(std::make_shared<OutsideReads>()) {}
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
