#include "polars_plan.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "sluice/base/text.h"
#include "sluice/engine/sql.h"

#include "plan_node.h"
#include "polars_expression.h"
#include "sql_aggregate.h"

namespace sluice::expression {

namespace {

using plan::AggregateCall;
using plan::AggregateFunction;
using plan::NodePtr;

struct PlannedMethod {
  std::string_view name;
  AggregateFunction function;
};
constexpr std::array kPlannedMethods = {
    PlannedMethod{"len", AggregateFunction::kCountRows},
    PlannedMethod{"count", AggregateFunction::kCount},
    PlannedMethod{"min", AggregateFunction::kMin},
    PlannedMethod{"max", AggregateFunction::kMax},
    PlannedMethod{"sum", AggregateFunction::kSumOrZero},
    PlannedMethod{"mean", AggregateFunction::kAvg},
    PlannedMethod{"median", AggregateFunction::kMedian},
    PlannedMethod{"n_unique", AggregateFunction::kCountDistinctWithNull},
};

bool is_possible(const AggregateCall& call, const engine::Type& type) {
  switch (call.function) {
    case AggregateFunction::kSumOrZero:  // Of booleans, it counts those that are true.
    case AggregateFunction::kAvg:
      return engine::is_number(type.id);
    case AggregateFunction::kMedian:
      return has_double_median(type.id);
    default:
      return true;
  }
}

bool has_usable_name(const PolarsOutput& output) {
  return !output.name.empty() && output.name.size() <= kNameBytesMax &&
         output.name.find('\0') == std::string::npos;
}

}  // namespace

PolarsPlan::PolarsPlan(plan::Columns columns) : columns_(std::move(columns)) {
  for (std::size_t i = 0; i < columns_.size(); ++i) outputs_.push_back({.name = columns_[i].name, .at = i});
}

// What an expression was compiled to is a quoted name only if it is a column.
std::optional<std::size_t> PolarsPlan::column_of(const PolarsValue& value) const {
  const auto found = std::find_if(outputs_.begin(), outputs_.end(), [&](const PolarsOutput& output) {
    return engine::quote_name(output.name) == value.sql;
  });
  return found == outputs_.end() ? std::nullopt : std::optional(found->at);
}

void PolarsPlan::filter(const std::vector<const PolarsNode*>& conditions) {
  if (is_grouped() || rows_max_) end();  // It is about what is left.
  std::vector<plan::Condition> bound;
  for (const PolarsNode* node : conditions) {
    std::optional<plan::Condition> condition =
        is_whole_ ? condition_of(*node, {.columns = columns_, .outputs = outputs_}) : std::nullopt;
    if (!condition) return end();
    bound.push_back(*std::move(condition));
  }
  std::move(bound.begin(), bound.end(), std::back_inserter(conditions_));
}

void PolarsPlan::select(const std::vector<PolarsValue>& values) {
  if (!is_whole_) return;
  std::vector<PolarsOutput> selected;
  for (const PolarsValue& value : values) {
    const std::optional<std::size_t> column = column_of(value);
    if (!column) return end();
    selected.push_back({.name = value.name, .at = *column});
  }
  outputs_ = std::move(selected);
}

void PolarsPlan::keep(const std::vector<PolarsColumn>& columns) {
  const auto is_dropped = [&](const PolarsOutput& output) {
    return std::none_of(columns.begin(), columns.end(),
                        [&](const PolarsColumn& column) { return column.name == output.name; });
  };
  std::erase_if(outputs_, is_dropped);
}

// `pl.len()`, `pl.col("x").sum()` or `pl.sum("x")`, under whatever name.
std::optional<AggregateCall> PolarsPlan::call_of(const PolarsNode& node) const {
  if (node.kind != PolarsKind::kCall || node.children[0].kind != PolarsKind::kAttribute) return std::nullopt;
  const PolarsNode& callee = node.children[0];
  if (callee.text == "alias") return call_of(callee.children[0]);
  const auto* const known = std::find_if(kPlannedMethods.begin(), kPlannedMethods.end(),
                                         [&](const PlannedMethod& one) { return one.name == callee.text; });
  if (known == kPlannedMethods.end()) return std::nullopt;
  AggregateCall call{.function = known->function, .column = 0, .name = {}};
  const PolarsInput input{.columns = columns_, .outputs = outputs_};
  std::optional<std::size_t> column;
  if (!is_of_polars(callee)) {
    column = expression::column_of(callee.children[0], input);
  } else if (node.children.size() == 1) {
    return AggregateCall{};  // pl.len(), pl.count()
  } else if (node.children[1].kind == PolarsKind::kText) {
    column = input.find(node.children[1].text);
  }
  if (!column || !is_possible(call, columns_[*column].type)) return std::nullopt;
  if (call.function != AggregateFunction::kCountRows) call.column = *column;
  return call;
}

std::size_t PolarsPlan::place_of(AggregateCall call) {
  const auto found = std::find_if(calls_.begin(), calls_.end(), [&](const AggregateCall& other) {
    return other.function == call.function && other.column == call.column;
  });
  if (found != calls_.end()) return static_cast<std::size_t>(found - calls_.begin());
  call.name = "value_" + std::to_string(calls_.size() + 1);
  const auto is_taken = [&](const engine::Field& column) {
    return equal_ignoring_case(column.name, call.name);
  };
  while (std::any_of(columns_.begin(), columns_.end(), is_taken)) call.name += '_';
  calls_.push_back(std::move(call));
  return calls_.size() - 1;
}

void PolarsPlan::group(const std::vector<PolarsValue>& keys, const std::vector<const PolarsNode*>& calls,
                       const std::vector<PolarsValue>& results) {
  if (is_grouped() || rows_max_) end();
  if (!is_whole_) return;
  std::vector<PolarsOutput> grouped;
  for (const PolarsValue& key : keys) {
    const std::optional<std::size_t> column = column_of(key);
    if (!column) return end();
    auto at = std::find(keys_.begin(), keys_.end(), *column);
    if (at == keys_.end()) at = keys_.insert(keys_.end(), *column);
    grouped.push_back({.name = key.name, .at = static_cast<std::size_t>(at - keys_.begin())});
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    std::optional<AggregateCall> call = calls[i] == nullptr ? AggregateCall{} : call_of(*calls[i]);
    if (!call) return end();
    grouped.push_back({.name = results[i].name, .at = keys_.size() + place_of(*std::move(call))});
  }
  outputs_ = std::move(grouped);
  order_.clear();  // Groups come in the order of their keys.
  for (std::size_t i = 0; i < keys_.size(); ++i) order_.push_back({.column = i});
}

// A sort is stable: where its keys are equal, the order before it stays.
void PolarsPlan::sort(const std::vector<SortTerm>& terms) {
  if (rows_max_) end();
  if (!is_whole_) return;
  std::vector<plan::SortKey> order;
  for (const SortTerm& term : terms) {
    const std::optional<std::size_t> column = column_of(*term.value);
    if (!column) return end();
    order.push_back({.column = *column, .descending = term.descending, .nulls_first = term.nulls_first});
  }
  order.insert(order.end(), order_.begin(), order_.end());
  order_ = std::move(order);
}

void PolarsPlan::head(std::uint64_t rows) { rows_max_ = std::min(rows_max_.value_or(rows), rows); }

NodePtr PolarsPlan::whole(NodePtr rows) && {
  const bool is_sorted = !order_.empty();
  const bool is_grouped = this->is_grouped();
  if (is_grouped) rows = node_or_null(plan::aggregate(std::move(rows), std::move(keys_), std::move(calls_)));
  if (rows) rows = node_or_null(plan::sort(std::move(rows), std::move(order_), is_sorted && !is_grouped));
  if (!rows) return nullptr;
  std::vector<std::size_t> positions;
  std::vector<std::string> names;
  bool is_identity = outputs_.size() == rows->columns.size();
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    is_identity = is_identity && outputs_[i].at == i && outputs_[i].name == rows->columns[i].name;
    positions.push_back(outputs_[i].at);
    names.push_back(outputs_[i].name);
  }
  if (!is_identity)
    rows = node_or_null(plan::project(std::move(rows), std::move(positions), std::move(names)));
  return rows ? plan::limit(std::move(rows), rows_max_, 0) : nullptr;
}

NodePtr PolarsPlan::finish(const std::string& sql) && {
  const bool is_filtered = !conditions_.empty();
  NodePtr rows =
      node_or_null(plan::filter(plan::scan("data", columns_), plan::all_of(std::move(conditions_))));
  if (!rows) return nullptr;
  if (is_whole_ && std::all_of(outputs_.begin(), outputs_.end(), has_usable_name))
    return std::move(*this).whole(std::move(rows));
  return is_filtered ? plan::engine_query(sql, {std::move(rows)}) : nullptr;
}

}  // namespace sluice::expression
