#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sluice/engine/database.h"
#include "sluice/plan/guarded_plan.h"

namespace sluice::plan {

// A table of a database that a fragment of a plan runs on.
struct Target {
  engine::Dialect dialect = engine::Dialect::kSqlite;
  const engine::TableLayout& layout;
  const Columns& columns;  // As callers know them, in the order of the layout's.
  // Of the table of each column, where the columns are those of several tables. Null: they need none.
  const std::vector<std::string>* aliases = nullptr;
};

// Tables of one database, by the names that Scans have for them.
using Targets = std::map<std::string, Target, std::less<>>;

// Rows with equal sort keys, in a table without a key that would order them.
enum class Ties : std::uint8_t { kRefuse, kAnyOrder };

// The whole plan as one SELECT of the database, if it gives the same rows there, in the same order and of the
// same types as in the engine. Nullopt if the database would compute anything else, or cannot compute it.
std::optional<engine::Select> fragment(const PhysicalPlan& plan, const Target& target,
                                       Ties ties = Ties::kRefuse);
// The same of a plan over several tables. The rows of a join have no order but that of a Sort.
std::optional<engine::Select> fragment(const PhysicalPlan& plan, const Targets& targets);

struct ScanOptions {
  // Rows that do not meet it may be left out. Parts that the database does not evaluate as the engine does
  // are not sent. Null: all rows.
  const Condition* filter = nullptr;
  bool is_ordered = false;  // In the order of the table's key, if it has one.
  std::optional<std::uint64_t> rows_max;
};

// The rows of the table with the columns at `wanted`, under the names that the table itself gives them.
engine::Select scan_select(const ScanOptions& options, const Target& target,
                           const std::vector<std::size_t>& wanted);

// The strongest condition that follows from `condition` and means the same in the database as in the engine;
// nullopt if there is none. It keeps every row that `condition` keeps.
std::optional<Condition> pushable(const Condition& condition, const Target& target);

// The columns that the outputs, groups and joins of the plan read, by the names of their tables.
std::map<std::string, std::set<std::size_t>> columns_read(const Node& plan);

}  // namespace sluice::plan
