#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sluice/json/value.h"

#include "sql_node.h"

namespace sluice::expression {

// A term of ORDER BY. Nulls come last.
struct SqlOrderTerm {
  const json::Value* expression = nullptr;
  bool descending = false;
};

// What a SELECT does with its rows in the end.
struct SqlModifiers {
  bool is_distinct = false;
  std::vector<SqlOrderTerm> order;
  std::optional<std::uint64_t> limit;
  std::uint64_t offset = 0;
};

// Of a SELECT: DISTINCT, ORDER BY and LIMIT, each at most once and in this order. Nullopt for anything else.
std::optional<SqlModifiers> read_modifiers(SqlNode& select);

}  // namespace sluice::expression
