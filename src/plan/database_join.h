#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sluice/plan/fragment.h"

namespace sluice::plan {

// The tables of a join in the SQL of a database, and their columns as those of one table.
struct DatabaseJoin {
  engine::TableLayout layout;
  std::vector<std::string> aliases;  // For each column.
  std::string from;                  // "a" AS t0 JOIN "b" AS t1 ON …
  std::string where;                 // " WHERE …", of the first table; may be empty.
  std::vector<engine::Parameter> parameters;
};

// Nullopt if the database would find other rows to be equal than the engine does, or evaluates a filter of
// one of the tables differently. `from` is made of Joins, see joined_scans().
// Placeholders are numbered behind those of `parameters`, to which theirs are added.
std::optional<DatabaseJoin> database_join(const Node& from, const Targets& targets,
                                          std::vector<engine::Parameter> parameters);

}  // namespace sluice::plan
