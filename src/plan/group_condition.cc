#include "group_condition.h"

#include <algorithm>

#include "database_condition.h"

namespace sluice::plan {

namespace {

using engine::TypeId;

// The column of the input that an output is made of; nullopt for a count of rows.
std::optional<std::size_t> source_of(std::size_t output, const Aggregate& aggregate) {
  if (output < aggregate.keys.size()) return aggregate.keys[output];
  const AggregateCall& call = aggregate.calls[output - aggregate.keys.size()];
  if (call.function == AggregateFunction::kCountRows) return std::nullopt;
  return call.column;
}

bool is_exact(std::size_t output, const Aggregate& aggregate, const Target& target) {
  if (output < aggregate.keys.size()) return true;
  const AggregateCall& call = aggregate.calls[output - aggregate.keys.size()];
  if (call.function == AggregateFunction::kMedian) return false;  // Its type is not that of the plan.
  const bool adds = call.function == AggregateFunction::kSum ||
                    call.function == AggregateFunction::kSumOrZero ||
                    call.function == AggregateFunction::kAvg;
  if (!adds) return true;
  const TypeId id = target.columns[call.column].type.id;
  return id != TypeId::kDouble && id != TypeId::kFloat;
}

}  // namespace

std::optional<std::string> group_condition(const Condition& condition, const Aggregate& aggregate,
                                           const Target& target, const Columns& outputs,
                                           std::vector<engine::Parameter>& parameters) {
  for (const std::size_t column : columns_of(condition)) {
    if (column >= outputs.size() || !is_exact(column, aggregate, target)) return std::nullopt;
  }
  engine::TableLayout layout;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    engine::TableColumn column{.name = outputs[i].name, .type = outputs[i].type};
    column.select = engine::quote_name(column.name);
    // What is no text has been checked to fit its type, so that it is a number in SQLite.
    const std::optional<std::size_t> source = source_of(i, aggregate);
    column.declared =
        outputs[i].type.id == TypeId::kText && source ? target.layout.columns[*source].declared : "NUMERIC";
    layout.columns.push_back(std::move(column));
  }
  const Target groups{.dialect = target.dialect, .layout = layout, .columns = outputs};
  return DatabaseConditions(groups, parameters).print(condition);
}

}  // namespace sluice::plan
