#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/expression/question.h"
#include "sluice/json/value.h"
#include "sluice/query/dataset.h"

namespace sluice::query {

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
struct Knobs {
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

// From the arguments `columns`, `filters`, `group_by`, `aggs`, `distinct`, `deduplicate`, `null_policy`,
// `order_by`, `limit` and `offset`. Their types have been checked against the tool's schema.
Result<Knobs> read_knobs(const json::Object& arguments);

// The SELECT that answers the question, checked against the table. Deterministic: without an order, rows come
// as in the file and groups by their keys; ties go by row or key.
Result<expression::Question> compile(const Knobs& knobs, const Table& table, const Collection& collection);

// What the answer calls an aggregate: `amount_sum`, or `count`.
std::string output_name(const Aggregate& aggregate);

// The column of that name, or an error with the nearest one.
Result<const engine::Field*> find_column(const expression::Columns& columns, std::string_view name);

}  // namespace sluice::query
