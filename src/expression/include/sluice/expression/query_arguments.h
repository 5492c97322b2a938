#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/json/value.h"

namespace sluice::expression {

enum class FilterOp : std::uint8_t {
  kEq,
  kNeq,
  kIn,
  kContains,
  kRegex,
  kRange,
  kNormalizedContains,
  kGt,
  kGte,
  kLt,
  kLte,
  kIsNull,
};

struct Filter {
  std::string column;
  FilterOp op = FilterOp::kEq;
  json::Value value;
};

enum class AggregateFn : std::uint8_t { kSum, kAvg, kMin, kMax, kMedian, kCount, kCountDistinct };

struct Aggregate {
  std::string column;  // Empty counts rows.
  AggregateFn fn = AggregateFn::kCount;
};

struct Order {
  std::string column;
  bool descending = false;
};

// A question as the tools' arguments put it.
struct QueryArguments {
  std::vector<std::string> columns;  // Empty: all.
  std::vector<Filter> filters;       // All must hold.
  bool grouped = false;              // Aggregates over groups, or over everything where there are none.
  std::vector<std::string> group_by;
  std::vector<Aggregate> aggregates;
  bool distinct = false;
  bool deduplicate = false;                 // Keeps the first row of each,
  std::vector<std::string> deduplicate_by;  // by these columns, or by all that are selected.
  bool drop_nulls = false;                  // Rows with a null in a selected or grouped column.
  std::vector<Order> order_by;
  std::optional<std::uint64_t> limit;
  std::uint64_t offset = 0;
};

}  // namespace sluice::expression
