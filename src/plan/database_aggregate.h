#pragma once

#include <optional>
#include <string>

#include "sluice/plan/plan.h"

#include "database_condition.h"

namespace sluice::plan {

// The column where its values do not show in the answer. A column of SQLite may hold values that do not fit
// the type that a sample showed: that must not go unnoticed.
std::string checked(const DatabaseColumn& column, engine::Dialect dialect);

// An aggregate in the SQL of a database, and the type that it yields.
struct DatabaseAggregate {
  std::string sql;
  engine::Type type;
};

// Nullopt if the table of overloads does not have it as exact. `column` is empty for kCountRows.
std::optional<DatabaseAggregate> database_aggregate(AggregateFunction function, const DatabaseColumn& column,
                                                    engine::Dialect dialect);

}  // namespace sluice::plan
