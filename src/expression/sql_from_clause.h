#pragma once

#include <set>
#include <string>
#include <vector>

#include "sluice/json/value.h"

#include "sql_member.h"

namespace sluice::expression {

// A condition on the way from where it is applied down to the tables that it restricts.
struct AppliedCondition {
  const json::Value* condition = nullptr;
  const json::Value* using_of = nullptr;  // In place of a condition: a join whose USING columns are equal.
  // An outer join below it can put NULL in place of all columns of the table.
  bool is_above_outer_join = false;
};

using AppliedConditions = std::vector<AppliedCondition>;

// A table by its name in FROM. A row that can satisfy one of the conditions with no row of the other tables
// has no effect on the answer.
struct FromTable {
  const json::Value* node = nullptr;
  AppliedConditions conditions;

  bool has_renamed_columns() const { return !member_items(*node, "column_name_alias").empty(); }
};

// The FROM clause of one SELECT, with its WHERE. The tree owns the nodes.
struct FromClause {
  const json::Value* select = nullptr;
  std::vector<FromTable> tables;   // In the order of the text. WITH tables are among them, subqueries not.
  std::vector<std::string> names;  // Of all tables and subqueries, in lower case.
  std::set<std::string> merged;    // Columns that USING merges, in lower case.
  bool has_natural = false;
  bool keeps_first = true;  // No join puts NULL in place of the first table's columns.
  const json::Value* first = nullptr;

  // Whether nothing else in the clause has the name of the table.
  bool has_own_name(const json::Value& table) const;
};

// The alias of a table, else its name, in lower case.
std::string visible_name(const json::Value& table);

// Those of every SELECT: of subqueries, WITH tables and both sides of set operations, too.
std::vector<FromClause> from_clauses(const json::Value& tree);

}  // namespace sluice::expression
