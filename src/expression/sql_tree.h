#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "sluice/base/result.h"
#include "sluice/expression/question.h"
#include "sluice/expression/sql.h"
#include "sluice/json/value.h"

#include "sql_place.h"

namespace sluice::expression {

// What the tree of an allowed statement tells about its answer.
struct SqlFacts {
  bool is_ordered = false;
  bool has_join = false;  // Or something that is run as a join.
  bool has_with = false;  // It begins with WITH, and so cannot stand behind another.
  std::optional<std::uint64_t> rows_max;
  std::uint64_t kept_values = 0;
  // Where the statement names tables that are not its own, and which they are. The tree owns the nodes.
  std::map<const json::Object*, const SqlTables::Table*> tables;
};

// Checks what json_serialize_sql made of a caller's text: one SELECT, of parts that are known and allowed.
// Anything else is refused, by what it is or because it is unknown.
// Then `refused_at` is where it begins in the text, if the engine says so.
Result<SqlFacts> check_tree(const json::Value& serialized, SqlTables& tables, SqlPlace& refused_at);

}  // namespace sluice::expression
