#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/json/value.h"
#include "sluice/plan/plan.h"

namespace sluice::expression {

// How to count the rows of one FROM clause with several tables without joining them: each table is grouped by
// the values that its joins compare, and the sizes of the groups are multiplied.
struct JoinCount {
  struct Key {
    std::size_t parent_value = 0;  // Of `values` of the table that it is joined to.
    std::size_t value = 0;         // Of `values` of this table.
    bool is_null_safe = false;     // IS NOT DISTINCT FROM instead of =.
  };
  struct Table {
    std::string name;    // In the SQL of the question; empty for a subquery, a WITH table or VALUES.
    json::Value select;  // A statement, as the engine serializes it, that gives the values v0, v1, …
    // The table that it is joined to, which stands before it. The first table is joined to none.
    std::size_t parent = 0;
    std::vector<Key> keys;         // Empty: every row meets every row.
    bool keeps_unmatched = false;  // A row of the parent that it has no partner for stays, once.
    bool is_filtered = false;      // Conditions leave out rows of it.
  };

  std::vector<Table> tables;
  // Whether the count is the number of rows that FROM and WHERE give. If not, some conditions do not take
  // part in it, so that it is an upper bound.
  bool is_exact = true;
  // Whether the answer of the question has the rows of this FROM clause, but for `offset` and `limit`.
  bool is_answer = false;
  std::optional<std::uint64_t> limit;
  std::uint64_t offset = 0;
  bool stops_at_limit = false;  // Rows beyond the limit are not computed.
};

using ColumnsByTable = std::map<std::string, plan::Columns, std::less<>>;

// The FROM clauses of a checked statement that join tables, in no certain order, by the columns of the tables
// that it reads. Those whose joins cannot be counted so (FULL, SEMI, ANTI and ASOF joins) are left out.
std::vector<JoinCount> join_counts(const json::Value& tree, const ColumnsByTable& tables);

// In which type the sizes of groups are multiplied: whole numbers of 128 bits may overflow, which is an
// error.
enum class CountType : std::uint8_t { kInteger, kDouble };

// A SELECT that gives the count as one text. Like the question's SQL, it may stand behind WITH.
Result<std::string> count_sql(engine::Engine& engine, const JoinCount& count, CountType type,
                              const engine::RunLimits& limits);

}  // namespace sluice::expression
