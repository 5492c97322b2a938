#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/expression/question.h"
#include "sluice/expression/scan_filter.h"
#include "sluice/expression/sql_parameters.h"

namespace sluice::expression {

// What the names of all tables in a question's SQL begin with, except `data`. No WITH table may be called so.
inline constexpr std::string_view kTablePrefix = "sluice_table_";

// The tables that a statement may read.
class SqlTables {
 public:
  struct Table {
    std::string name;  // What the question's SQL calls it: `data`, or kTablePrefix and a number.
    Columns columns;
  };

  virtual ~SqlTables() = default;
  // The table that a name in FROM means: the parts between its dots, as they are written. What it returns
  // lives as long as this. Fails where there is no such table, or no single one.
  // This reading of the table needs no rows that cannot pass `filters`. The statement applies its conditions
  // itself, so that a table may have more rows.
  virtual Result<const Table*> find(const std::vector<std::string>& parts, const ScanFilters& filters) = 0;
  // The same for `name AT (VERSION => version)`: the table as it was then. Here, tables have no versions:
  // code `unsupported_clause`.
  virtual Result<const Table*> find_version(const std::vector<std::string>& parts, std::int64_t version,
                                            const ScanFilters& filters);
  // A sentence: which tools list the tables and their columns, for statements like SHOW TABLES.
  virtual std::string_view listing_hint() const;
};

// Checks the SQL of a caller as below, over several tables: the question reads them by their `name`, and can
// stand behind `WITH name AS (…), …`. A name of a WITH table of the statement comes before those of `tables`.
// `$name` stands for the value of that parameter; without parameters there are no placeholders.
Result<Question> check_sql(engine::Engine& engine, std::string_view sql, SqlTables& tables,
                           const plan::Guard& guard, const engine::RunLimits& limits,
                           const SqlParameters& parameters = {});

// Whether a text is exactly one SELECT, as far as that can be said without its tables.
Status check_select(engine::Engine& engine, std::string_view sql, const SqlParameters& parameters,
                    const engine::RunLimits& limits);

// Checks the SQL of a caller: exactly one SELECT over `data` and its own WITH tables, of allowed clauses and
// functions, which cannot make much more text than it reads. The engine parses it, the tree is checked node
// by node, and what the question holds is written from that tree, parses to it again, and binds to `columns`.
// The question can stand behind `WITH data AS (…)` and inside a subquery. Any thread.
//
// Fails with the codes `invalid_sql`, `invalid_column` and `expression_too_large`.
Result<Question> check_sql(engine::Engine& engine, std::string_view sql, const Columns& columns,
                           const plan::Guard& guard, const engine::RunLimits& limits);

}  // namespace sluice::expression
