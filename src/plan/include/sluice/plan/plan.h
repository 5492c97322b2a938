#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/plan/condition.h"
#include "sluice/plan/scalar_call.h"

namespace sluice::plan {

struct Node;
// Nodes are immutable and shared by the plans that contain them.
using NodePtr = std::shared_ptr<const Node>;

// The rows of one table, in the order of the table.
struct Scan {
  std::string table;  // Its name in the SQL of the engine: `data`, or that of a statement's table.
};

// The rows for which the condition is true.
struct Filter {
  NodePtr input;
  Condition condition;
};

// Some columns of the input, by position.
struct Project {
  NodePtr input;
  std::vector<std::size_t> columns;
  std::vector<std::string> names;  // Of the output, one for each column. Empty: the names of the input.
};

// The columns of the input, then one for each call. A call may use the columns before its own.
struct Compute {
  NodePtr input;
  std::vector<ScalarCall> calls;
};

enum class AggregateFunction : std::uint8_t {
  kCountRows,
  kCount,
  kCountDistinct,
  kMin,
  kMax,
  kSum,
  kAvg,
  kMedian,
  kBoolAnd,
  kBoolOr,
  kSumOrZero,              // The sum, or 0 if there is no value.
  kCountDistinctWithNull,  // As kCountDistinct; null is a value of its own.
};

struct AggregateCall {
  AggregateFunction function = AggregateFunction::kCountRows;
  std::size_t column = 0;  // Not used by kCountRows.
  std::string name;        // Of the output column.
};

// Groups by the keys, or one row of everything if there are none. Its columns are the keys, then the calls.
struct Aggregate {
  NodePtr input;
  std::vector<std::size_t> keys;
  std::vector<AggregateCall> calls;
};

// Each row once.
struct Distinct {
  NodePtr input;
};

// The first row, in the order of the table, of those with equal keys.
struct FirstOfEach {
  NodePtr input;
  std::vector<std::size_t> keys;
};

struct SortKey {
  std::size_t column = 0;
  bool descending = false;
  bool nulls_first = false;  // Else they come last, in both directions.
  // Texts of cells in the order of their rows, which `descending` turns round. Rows with other values come
  // behind them. Empty: the order of the column's type.
  std::vector<std::string> order;
};

struct Sort {
  NodePtr input;
  std::vector<SortKey> keys;
  bool then_by_row = false;  // Rows with equal keys stay in the order of the table.
};

struct Limit {
  NodePtr input;
  std::optional<std::uint64_t> rows;
  std::uint64_t offset = 0;
};

// What only the engine computes: a checked SELECT in its dialect over the inputs, which are Scans, or Filters
// over Scans. Such a filter keeps every row that the SELECT needs; the SELECT itself does not rely on it.
struct EngineQuery {
  std::string sql;
  std::vector<NodePtr> inputs;
};

enum class JoinKind : std::uint8_t { kInner, kLeft };

// Two columns of one type, one of each side. Rows meet if all such pairs are equal; null equals nothing.
struct JoinKey {
  std::size_t left = 0;
  std::size_t right = 0;
};

// The columns of the left side, then those of the right side. Both may have columns of one name: those of the
// join are called c0, c1, … Its rows have no order.
struct Join {
  JoinKind kind = JoinKind::kInner;
  NodePtr left;
  NodePtr right;
  std::vector<JoinKey> keys;
};

enum class SetKind : std::uint8_t { kUnion, kExcept, kIntersect };

// The rows of both sides, those of the left one that the right one has not, or those that both have. Both
// have columns of the same types; those of the answer have the names of the left side. Without `all`, equal
// rows are one. The answer has no order. Neither side has a Sort or a Limit.
struct SetOperation {
  SetKind kind = SetKind::kUnion;
  bool all = false;
  NodePtr left;
  NodePtr right;
};

struct Node {
  std::variant<Scan, Filter, Project, Aggregate, Distinct, FirstOfEach, Sort, Limit, EngineQuery, Join,
               Compute, SetOperation>
      op;
  // Names and types of what it yields. The type kOther stands for one that the engine decides; the columns of
  // an EngineQuery are not known.
  Columns columns;
};

// These check that columns are those of the input and derive the output. A violation is an internal error: it
// means that whoever compiles to a plan has checked its input badly.
NodePtr scan(std::string table, Columns columns);
Result<NodePtr> filter(NodePtr input, Condition condition);  // The input itself if it is always true.
Result<NodePtr> project(NodePtr input, std::vector<std::size_t> columns, std::vector<std::string> names = {});
Result<NodePtr> aggregate(NodePtr input, std::vector<std::size_t> keys, std::vector<AggregateCall> calls);
// The input itself if there are no calls.
Result<NodePtr> compute(NodePtr input, std::vector<ScalarCall> calls);
NodePtr distinct(NodePtr input);
Result<NodePtr> first_of_each(NodePtr input, std::vector<std::size_t> keys);
Result<NodePtr> sort(NodePtr input, std::vector<SortKey> keys, bool then_by_row);
NodePtr limit(NodePtr input, std::optional<std::uint64_t> rows, std::uint64_t offset);
NodePtr engine_query(std::string sql, std::vector<NodePtr> inputs);
Result<NodePtr> join(JoinKind kind, NodePtr left, NodePtr right, std::vector<JoinKey> keys);

Result<NodePtr> set_operation(SetKind kind, bool all, NodePtr left, NodePtr right);

// The type of an aggregate in the engine; kOther if it is not known here.
engine::Type type_of(AggregateFunction function, const engine::Type& column);

// Null for a Scan, and for a Join and a SetOperation, which have two; the first one for an EngineQuery.
const Node* input_of(const Node& node);
// Whether only the engine can compute it.
bool is_engine_query(const Node& node);
// Whether rows of several tables meet or stand one below the other, so that there may be more of them than
// any table has.
bool has_join(const Node& node);
// Whether its answer is groups of rows rather than rows.
bool is_grouped(const Node& node);

// The whole plan as JSON, the same text for equal plans: the key of caches.
std::string to_json(const Node& node);
std::string to_json(const ScalarCall& call);

}  // namespace sluice::plan
