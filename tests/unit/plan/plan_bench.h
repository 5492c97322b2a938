#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sluice/engine/database.h"
#include "sluice/engine/engine.h"
#include "sluice/engine/source.h"
#include "sluice/plan/fragment.h"
#include "sluice/plan/guarded_plan.h"

#include "sample_columns.h"

namespace sluice::plan::testing {

// The plan under no rules.
inline PhysicalPlan runnable(const Node& plan) {
  return physical_plan(std::make_shared<const Node>(plan), Guard());
}

// The databases that plans are printed for: SQLite, or a PostgreSQL server of that version.
enum class Server : int { kSqlite = 0, kPostgres15 = 15, kPostgres18 = 18 };

using TextRows = std::vector<std::vector<std::string>>;

struct Answer {
  std::vector<std::string> columns;  // Names and types.
  TextRows rows;                     // Cells as JSON.
};

// A table of the database. The engine has a copy of its rows, as a plain scan reads them, in `engine_table`.
struct LoadedTable {
  engine::TableLayout layout;
  Columns columns;  // Some have other names than in the database.
  std::string engine_table;

  Target target(engine::Dialect dialect) const {
    return {.dialect = dialect, .layout = layout, .columns = columns};
  }
  NodePtr scan() const { return plan::scan("data", columns); }
};

// A real database and the engine beside it.
class PlanBench {
 public:
  explicit PlanBench(Server server);
  ~PlanBench();
  PlanBench(const PlanBench&) = delete;
  PlanBench& operator=(const PlanBench&) = delete;

  engine::Dialect dialect() const { return database_->dialect(); }
  std::vector<SampleColumn> samples() const;

  void run(const std::string& sql);  // As the owner of the database.
  // The table as it is described first, without a copy in the engine: a sample may have missed values.
  LoadedTable describe(const std::string& name);
  LoadedTable load(const std::string& name);

  Result<Answer> in_database(const engine::Select& select) const;
  // The plan over the copy of the table, with one row more than its limit.
  Result<Answer> in_engine(const Node& plan, const LoadedTable& table) const;
  // The same of a plan over several tables, by the names of its Scans.
  Result<Answer> in_engine(const Node& plan, const std::map<std::string, const LoadedTable*>& tables) const;
  // A statement over the relations `data` and `numbered`.
  Result<Answer> in_engine(engine::Statement statement, const LoadedTable& table) const;
  // A statement without a table.
  Result<Answer> in_engine(const std::string& sql) const;
  // The same over the rows that the database yields.
  Result<Answer> in_engine(engine::Statement statement, const engine::Select& rows) const;
  engine::Engine& engine() const { return *engine_; }

 private:
  struct Files;

  const Server server_;
  std::unique_ptr<Files> files_;
  std::unique_ptr<engine::Database> database_;
  std::shared_ptr<engine::Sources> sources_ = std::make_shared<engine::Sources>();  // With the engine.
  std::unique_ptr<engine::Engine> engine_;
  int tables_ = 0;
};

// The statement of the engine, with the limit of the plan.
engine::Statement limited_sql(const Node& plan);

// What a failed comparison shows: the plan, both statements, and rows that one answer has and the other has
// not.
std::string difference(const Node& plan, const engine::Statement& theirs, const engine::Statement& ours,
                       const Answer& database, const Answer& engine);

std::string to_text(const engine::Statement& statement);

// The columns of an answer that are sums or averages of doubles.
std::set<std::size_t> inexact_columns(const Node& plan);
// Whether the rows are the same, in this order. Numbers of the inexact columns may differ by 1e-9 of the
// larger.
bool are_equal(const TextRows& left, const TextRows& right, const std::set<std::size_t>& inexact);

// Whether the answer has rows of the table as they are, and nothing that several rows were merged into.
bool is_plain(const Node& plan);

// Of zero and minus zero, which are equal, a group or a minimum shows either, in the database and in the
// engine. The engine also makes zero of minus zero in a column that it sorts by.
void forget_signs_of_zeros(Answer& answer);

}  // namespace sluice::plan::testing
