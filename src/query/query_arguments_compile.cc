#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/plan/engine_sql.h"
#include "sluice/query/advice.h"
#include "sluice/query/query_arguments.h"

#include "filter_condition.h"

namespace sluice::query {

namespace {

using engine::Field;
using engine::TypeId;
using expression::Question;

// Names come from data: what they hold may not shape a sentence.
std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) (out += out.empty() ? "" : ", ") += excerpt(name);
  return out + ".";
}

std::string_view name_of(AggregateFn fn) {
  switch (fn) {
    case AggregateFn::kSum:
      return "sum";
    case AggregateFn::kAvg:
      return "avg";
    case AggregateFn::kMin:
      return "min";
    case AggregateFn::kMax:
      return "max";
    case AggregateFn::kMedian:
      return "median";
    case AggregateFn::kCount:
      return "count";
    case AggregateFn::kCountDistinct:
      return "count_distinct";
  }
  return "";
}

plan::AggregateFunction aggregate_function_of(const Aggregate& aggregate) {
  if (aggregate.column.empty()) return plan::AggregateFunction::kCountRows;
  switch (aggregate.fn) {
    case AggregateFn::kSum:
      return plan::AggregateFunction::kSum;
    case AggregateFn::kAvg:
      return plan::AggregateFunction::kAvg;
    case AggregateFn::kMin:
      return plan::AggregateFunction::kMin;
    case AggregateFn::kMax:
      return plan::AggregateFunction::kMax;
    case AggregateFn::kMedian:
      return plan::AggregateFunction::kMedian;
    case AggregateFn::kCount:
      return plan::AggregateFunction::kCount;
    case AggregateFn::kCountDistinct:
      return plan::AggregateFunction::kCountDistinct;
  }
  return plan::AggregateFunction::kCountRows;
}

class Compiler {
 public:
  Compiler(const QueryArguments& query_arguments, const Table& table, const Collection& collection)
      : query_arguments_(query_arguments), table_(table), collection_(collection) {}

  Result<Question> compile(const plan::Guard& guard) {
    SLUICE_CHECK(add_filters());
    SLUICE_TRY(plan::NodePtr bound, query_arguments_.grouped ? grouped() : plain());
    question_.guard = guard;
    question_.plan = plan::physical_plan(std::move(bound), guard);
    engine::Statement printed = plan::engine_sql(question_.plan);
    question_.sql = std::move(printed.sql);
    question_.parameters = std::move(printed.parameters);
    add_limit();
    warn_of_missing_order();
    add_advice(question_, table_.columns, collection_);
    question_.kept_values = static_cast<std::uint64_t>(
        std::count_if(query_arguments_.aggregates.begin(), query_arguments_.aggregates.end(),
                      [](const Aggregate& each) { return each.fn == AggregateFn::kMedian; }));
    question_.is_order_free = query_arguments_.grouped || query_arguments_.distinct;
    question_.arguments = std::make_shared<const QueryArguments>(query_arguments_);
    return std::move(question_);
  }

 private:
  Result<std::size_t> column(std::string_view name) const {
    SLUICE_TRY(const Field* field, find_column(table_.columns, name));
    return static_cast<std::size_t>(field - table_.columns.data());
  }

  Status add_filters() {
    for (const Filter& filter : query_arguments_.filters) {
      SLUICE_TRY(const std::size_t at, column(filter.column));
      SLUICE_TRY(conditions_.emplace_back(),
                 filter_condition(filter, table_.columns, at, question_.warnings));
    }
    return {};
  }

  void drop_nulls(std::size_t at) {
    if (query_arguments_.drop_nulls) conditions_.push_back(plan::is_not_null(at));
  }

  // The rows that the filters keep. After all conditions are known.
  Result<plan::NodePtr> filtered() {
    has_conditions_ = !conditions_.empty();
    return plan::filter(plan::scan("data", table_.columns), plan::all_of(std::move(conditions_)));
  }

  Result<plan::AggregateCall> call_of(const Aggregate& aggregate, const std::string& name) {
    plan::AggregateCall call{.function = aggregate_function_of(aggregate), .column = 0, .name = name};
    if (aggregate.column.empty()) return call;
    SLUICE_TRY(call.column, column(aggregate.column));
    const Field& field = table_.columns[call.column];
    const bool needs_number = aggregate.fn == AggregateFn::kSum || aggregate.fn == AggregateFn::kAvg;
    const bool needs_order = aggregate.fn == AggregateFn::kMedian;
    const TypeId id = field.type.id;
    if ((needs_number && !engine::is_number(id)) ||
        (needs_order && !engine::is_number(id) && !engine::is_temporal(id))) {
      return invalid_input(fmt::format("{} of {}: the column is {}", name_of(aggregate.fn), field.name,
                                       engine::polars_name(field.type)))
          .with_code("invalid_aggregate")
          .with_hint("Use count, count_distinct, min or max, or another column.");
    }
    if (needs_number || needs_order) question_.totals.push_back({.column = field.name, .fn = aggregate.fn});
    drop_nulls(call.column);
    return call;
  }

  Result<plan::NodePtr> grouped() {
    if (query_arguments_.distinct || query_arguments_.deduplicate) {
      return invalid_input("distinct and deduplicate do not go with group_by or aggs")
          .with_code("invalid_arguments")
          .with_hint("Groups are distinct already.");
    }
    std::vector<std::size_t> keys;
    for (const std::string& name : query_arguments_.group_by) {
      SLUICE_TRY(const std::size_t at, column(name));
      drop_nulls(at);
      if (std::find(keys.begin(), keys.end(), at) == keys.end()) keys.push_back(at);
    }
    std::vector<plan::AggregateCall> calls;
    for (const auto& [aggregate, name] : named_aggregates(query_arguments_)) {
      SLUICE_TRY(calls.emplace_back(), call_of(aggregate, name));
      if (name != output_name(aggregate)) note_renamed(output_name(aggregate), name);
    }
    if (keys.empty()) question_.rows_max = 1;
    const std::size_t key_count = keys.size();
    SLUICE_TRY(plan::NodePtr rows, filtered());
    SLUICE_TRY(plan::NodePtr groups, plan::aggregate(std::move(rows), std::move(keys), std::move(calls)));
    return order_outputs(std::move(groups), key_count);
  }

  void note_renamed(const std::string& taken, const std::string& name) {
    question_.warnings.push_back(
        fmt::format("The result already has a column {}, so the aggregate of that name is called {}.",
                    excerpt(taken), excerpt(name)));
  }

  Result<plan::NodePtr> plain() {
    std::vector<std::size_t> selected;
    for (const std::string& name : query_arguments_.columns) {
      SLUICE_TRY(const std::size_t at, column(name));
      if (std::find(selected.begin(), selected.end(), at) == selected.end()) selected.push_back(at);
    }
    if (query_arguments_.columns.empty()) {
      for (std::size_t i = 0; i < table_.columns.size(); ++i) selected.push_back(i);
    }
    for (const std::size_t at : selected) drop_nulls(at);
    SLUICE_TRY(plan::NodePtr rows, filtered());
    if (query_arguments_.distinct) {
      const std::size_t width = selected.size();
      SLUICE_TRY(plan::NodePtr projected, plan::project(std::move(rows), std::move(selected)));
      return order_outputs(plan::distinct(std::move(projected)), width);
    }
    if (query_arguments_.deduplicate) {
      SLUICE_TRY(std::vector<std::size_t> keys, deduplication_keys(selected));
      SLUICE_TRY(rows, plan::first_of_each(std::move(rows), std::move(keys)));
    }
    std::vector<plan::SortKey> order;
    for (const Order& each : query_arguments_.order_by) {
      SLUICE_TRY(const std::size_t at, column(each.column));
      order.push_back({.column = at, .descending = each.descending});
    }
    if (query_arguments_.deduplicate || !order.empty()) {
      SLUICE_TRY(rows, plan::sort(std::move(rows), std::move(order), true));
    }
    return plan::project(std::move(rows), std::move(selected));
  }

  Result<std::vector<std::size_t>> deduplication_keys(const std::vector<std::size_t>& all) {
    std::vector<std::size_t> keys;
    for (const std::string& name : query_arguments_.deduplicate_by) {
      SLUICE_TRY(keys.emplace_back(), column(name));
    }
    if (keys.empty()) return all;
    question_.is_lossy = true;
    return keys;
  }

  // Groups and distinct rows: by what was asked, then by their keys, which are the first columns.
  Result<plan::NodePtr> order_outputs(plan::NodePtr rows, std::size_t keys) {
    std::vector<plan::SortKey> order;
    for (const Order& each : query_arguments_.order_by) {
      const auto found = std::find_if(rows->columns.begin(), rows->columns.end(),
                                      [&](const Field& output) { return output.name == each.column; });
      if (found == rows->columns.end()) return unknown_output(each.column, rows->columns);
      order.push_back(
          {.column = static_cast<std::size_t>(found - rows->columns.begin()), .descending = each.descending});
    }
    for (std::size_t i = 0; i < keys; ++i) order.push_back({.column = i});
    return plan::sort(std::move(rows), std::move(order), false);
  }

  static Error unknown_output(const std::string& name, const plan::Columns& outputs) {
    std::set<std::string> known;
    for (const Field& output : outputs) known.insert(output.name);
    const std::vector<std::string> names(known.begin(), known.end());
    const std::string nearest = nearest_name(name, names);
    return invalid_input(fmt::format("order_by: not a column of the answer: {}", excerpt(name)))
        .with_code("invalid_column")
        .with_hint(nearest.empty() ? "Known: " + listed(names) : "Did you mean " + excerpt(nearest) + "?");
  }

  void warn_of_missing_order() {
    const bool is_ordered = !table_.layout || !table_.layout->row_order.empty();
    if (is_ordered || query_arguments_.grouped || query_arguments_.distinct) return;
    const bool is_cut = query_arguments_.limit || query_arguments_.offset > 0;
    if (!query_arguments_.deduplicate && (!is_cut || !query_arguments_.order_by.empty())) return;
    question_.warnings.emplace_back(
        "This table or view has no key, so its rows have no fixed order: the same call may return other rows "
        "another time. order_by fixes the order.");
  }

  void add_limit() {
    question_.is_grouped = query_arguments_.grouped;
    question_.limit = query_arguments_.limit;
    question_.offset = query_arguments_.offset;
    if (query_arguments_.limit)
      question_.rows_max =
          std::min(question_.rows_max.value_or(*query_arguments_.limit), *query_arguments_.limit);
    question_.keeps_rows = !has_conditions_ && !query_arguments_.grouped && !query_arguments_.distinct &&
                           !query_arguments_.deduplicate;
  }

  const QueryArguments& query_arguments_;
  const Table& table_;
  const Collection& collection_;
  Question question_;
  std::vector<plan::Condition> conditions_;
  bool has_conditions_ = false;
};

}  // namespace

std::string output_name(const Aggregate& aggregate) {
  if (aggregate.column.empty()) return "count";
  return fmt::format("{}_{}", aggregate.column, name_of(aggregate.fn));
}

std::vector<NamedAggregate> named_aggregates(const QueryArguments& query_arguments) {
  std::set<std::string> taken;  // In lower case: the engine does not tell "Count" from "count".
  for (const std::string& name : query_arguments.group_by) taken.insert(to_lower_ascii(name));
  std::vector<Aggregate> aggregates = query_arguments.aggregates;
  if (aggregates.empty()) aggregates.push_back({.fn = AggregateFn::kCount});
  std::vector<NamedAggregate> out;
  std::set<std::string> seen;
  for (const Aggregate& aggregate : aggregates) {
    const std::string usual = output_name(aggregate);
    if (!seen.insert(usual).second) continue;
    std::string name = usual;
    for (int i = 2; !taken.insert(to_lower_ascii(name)).second; ++i) name = fmt::format("{}_{}", usual, i);
    out.push_back({.aggregate = aggregate, .name = std::move(name)});
  }
  return out;
}

Result<const Field*> find_column(const plan::Columns& columns, std::string_view name) {
  std::vector<std::string> known;
  for (const Field& field : columns) {
    if (field.name == name) return &field;
    known.push_back(field.name);
  }
  constexpr std::size_t kListed = 40;
  const std::string nearest = nearest_name(name, known);
  if (known.size() > kListed) known.resize(kListed);
  return invalid_input(fmt::format("unknown column: {}", excerpt(name)))
      .with_code("invalid_column")
      .with_hint(nearest.empty() ? "Columns: " + listed(known) : "Did you mean " + excerpt(nearest) + "?");
}

Result<Question> compile(const QueryArguments& query_arguments, const Table& table,
                         const Collection& collection, const plan::Guard& guard) {
  return Compiler(query_arguments, table, collection).compile(guard);
}

}  // namespace sluice::query
