#include "plan_generator.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "sluice/json/reader.h"

#include "scalar_generator.h"

namespace sluice::plan::testing {

namespace {

constexpr int kTriesMax = 12;
constexpr unsigned kPushedPercent = 96;  // Of the conditions and aggregates, if the database has any.

}  // namespace

PlanGenerator::PlanGenerator(const LoadedTable& table, const std::vector<SampleColumn>& samples,
                             engine::Dialect dialect, const Overload& wanted, std::uint32_t seed)
    : table_(table), samples_(samples), dialect_(dialect), wanted_(wanted), random_(seed) {}

NodePtr PlanGenerator::next() {
  NodePtr input = table_.scan();
  const bool computes = is_scalar(wanted_.function) || chance(25);
  if (computes && !is_condition(wanted_.function)) {
    if (chance(40)) input = filter(input, condition(1)).value();
    input = computed(std::move(input));
  }
  if (is_condition(wanted_.function)) {
    Condition kept = leaf_of(wanted_).value_or(is_not_null(0));
    if (chance(70)) kept = any_of({std::move(kept), condition(2)});
    input = filter(input, std::move(kept)).value();
  } else if (chance(75)) {
    input = filter(input, condition(2)).value();
  }
  if (computes && is_condition(wanted_.function)) input = computed(std::move(input));
  const Function function = wanted_.function;
  if (is_aggregate(function)) return groups(std::move(input));
  if (function == Function::kGroupKey)
    return chance(30) ? distinct_rows(std::move(input)) : groups(std::move(input));
  if (function == Function::kSortKey) return chance(70) ? rows(std::move(input)) : groups(std::move(input));
  return any_over(std::move(input));
}

NodePtr PlanGenerator::next_over(NodePtr joined, std::vector<std::size_t> ids) {
  ids_ = std::move(ids);
  if (chance(45)) joined = filter(joined, condition(2)).value();
  return any_over(std::move(joined));
}

NodePtr PlanGenerator::any_over(NodePtr input) {
  switch (below(5)) {
    case 0:
    case 1:
      return rows(std::move(input));
    case 2:
      return distinct_rows(std::move(input));
    default:
      return groups(std::move(input));
  }
}

std::optional<std::size_t> PlanGenerator::column_of(TypeClass type_class) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < table_.columns.size(); ++i) {
    if (class_of(table_.layout.columns[i], dialect_) == type_class) found.push_back(i);
  }
  if (found.empty()) return std::nullopt;
  return found[below(found.size())];
}

template <typename IsWanted>
const Overload& PlanGenerator::some_overload(const IsWanted& is_wanted) {
  while (true) {
    const Overload& overload = overloads()[below(overloads().size())];
    if (is_wanted(overload.function) && overload.in(dialect_) != Support::kNone) return overload;
  }
}

std::vector<std::size_t> PlanGenerator::some_columns(std::size_t count_max) {
  std::vector<std::size_t> all(table_.columns.size());
  std::iota(all.begin(), all.end(), 0);
  std::shuffle(all.begin(), all.end(), random_);
  const bool wants_key = wanted_.function == Function::kGroupKey || wanted_.function == Function::kSortKey;
  if (const std::optional<std::size_t> key = column_of(wanted_.argument); wants_key && key)
    std::swap(*std::find(all.begin(), all.end(), *key), all.front());
  if (wanted_column_) std::swap(*std::find(all.begin(), all.end(), *wanted_column_), all.front());
  all.resize(std::min(all.size(), 1 + below(count_max)));
  return all;
}

json::Value PlanGenerator::constant(std::size_t column) {
  if (column == 0) return json::Value(static_cast<int>(below(1'100)) - 50);
  const std::vector<std::string>& constants = samples_[column - 1].constants;
  return json::read(constants[below(constants.size())]).value();
}

Condition PlanGenerator::any_leaf() {
  const std::size_t column = below(table_.columns.size());
  const std::size_t kind = below(8);
  std::optional<Condition> out;
  if (kind == 0) return {.kind = chance(50) ? Condition::Kind::kNever : Condition::Kind::kAlways};
  if (kind == 1) return {.kind = Condition::Kind::kMatches, .column = column, .text = "^[a-c]"};
  if (kind == 2) out = list(column);
  if (kind >= 3 && kind < 6) out = comparison(column, static_cast<Sign>(below(6)));
  if (kind >= 6) out = text_condition(Condition::Kind::kNormalizedContains, column);
  return out.value_or(is_not_null(column));
}

std::optional<Condition> PlanGenerator::comparison(std::size_t column, Sign sign) {
  for (int i = 0; i < kTriesMax; ++i) {
    Result<Condition> made = compare(table_.columns, column, sign, constant(column));
    if (made.ok()) return *std::move(made);
  }
  return std::nullopt;
}

std::optional<Condition> PlanGenerator::list(std::size_t column) {
  json::Array values;
  const std::size_t count = chance(5) ? 70 : 1 + below(5);
  for (std::size_t i = 0; i < count; ++i) {
    json::Value value = constant(column);
    if (compare(table_.columns, column, Sign::kEq, value).ok()) values.push_back(std::move(value));
  }
  if (values.empty()) return std::nullopt;
  return in_list(table_.columns, column, values).value();
}

std::optional<Condition> PlanGenerator::text_condition(Condition::Kind kind, std::size_t column) {
  if (column == 0 || samples_[column - 1].patterns.empty()) return std::nullopt;
  const std::vector<std::string>& patterns = samples_[column - 1].patterns;
  return Condition{.kind = kind, .column = column, .text = patterns[below(patterns.size())]};
}

std::optional<Condition> PlanGenerator::leaf_of(const Overload& overload) {
  for (int i = 0; i < kTriesMax; ++i) {
    const std::optional<std::size_t> column = column_of(overload.argument);
    if (!column) return std::nullopt;
    std::optional<Condition> made;
    switch (overload.function) {
      case Function::kIsNull:
        made = is_null(*column);
        break;
      case Function::kIsNotNull:
        made = is_not_null(*column);
        break;
      case Function::kEqual:
        made = comparison(*column, chance(50) ? Sign::kEq : Sign::kNeq);
        break;
      case Function::kLess:
        made = comparison(*column, static_cast<Sign>(2 + below(4)));
        break;
      case Function::kIn:
        made = list(*column);
        break;
      case Function::kContains:
        made = text_condition(Condition::Kind::kContains, *column);
        break;
      case Function::kStartsWith:
        made = text_condition(Condition::Kind::kStartsWith, *column);
        break;
      case Function::kEndsWith:
        made = text_condition(Condition::Kind::kEndsWith, *column);
        break;
      case Function::kNormalizedContains:
        made = text_condition(Condition::Kind::kNormalizedContains, *column);
        break;
      default:
        return std::nullopt;
    }
    if (made && pushable(*made, table_.target(dialect_))) return made;
  }
  return std::nullopt;
}

NodePtr PlanGenerator::computed(NodePtr input) {
  std::vector<ScalarCall> calls;
  const std::size_t count = 1 + below(3);
  for (int i = 0; i < kTriesMax && calls.size() < count; ++i) {
    const bool is_wanted = calls.empty() && is_scalar(wanted_.function);
    const Overload& overload = is_wanted ? wanted_ : some_overload(is_scalar);
    std::optional<ScalarCall> made =
        ScalarGenerator(table_, samples_, random_, [this] { return condition(1); }).next(overload, dialect_);
    if (!made) continue;
    if (is_wanted) wanted_column_ = table_.columns.size() - 1;
    calls.push_back(*std::move(made));
  }
  return compute(std::move(input), std::move(calls)).value();
}

Condition PlanGenerator::leaf() {
  if (!chance(kPushedPercent)) return any_leaf();
  if (chance(6)) return {.kind = chance(50) ? Condition::Kind::kNever : Condition::Kind::kAlways};
  while (true) {
    // A superset keeps the whole plan from the database.
    const Overload& overload = some_overload(is_condition);
    if (overload.in(dialect_) == Support::kSuperset && !chance(10)) continue;
    if (std::optional<Condition> made = leaf_of(overload)) return *std::move(made);
  }
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as it is told.
Condition PlanGenerator::condition(int depth) {
  if (depth == 0 || chance(35)) return leaf();
  std::vector<Condition> parts;
  const std::size_t count = 2 + below(2);
  for (std::size_t i = 0; i < count; ++i) parts.push_back(condition(depth - 1));
  return chance(40) ? all_of(std::move(parts)) : any_of(std::move(parts));
}

AggregateCall PlanGenerator::any_call(std::size_t number) {
  return {.function = static_cast<AggregateFunction>(below(8)),
          .column = below(table_.columns.size()),
          .name = "call" + std::to_string(number)};
}

std::optional<AggregateCall> PlanGenerator::call_of(const Overload& overload, std::size_t number) {
  AggregateCall out{
      .function = AggregateFunction::kCountRows, .column = 0, .name = "call" + std::to_string(number)};
  for (int i = 0; i <= static_cast<int>(AggregateFunction::kCountDistinctWithNull); ++i) {
    const auto function = static_cast<AggregateFunction>(i);
    if (function_of(function) == overload.function) out.function = function;
  }
  if (out.function == AggregateFunction::kCountRows) return out;
  const std::optional<std::size_t> column = column_of(overload.argument);
  if (!column) return std::nullopt;
  out.column = *column;
  return out;
}

AggregateCall PlanGenerator::call(std::size_t number) {
  if (!chance(kPushedPercent)) return any_call(number);
  while (true) {
    if (std::optional<AggregateCall> made = call_of(some_overload(is_aggregate), number))
      return *std::move(made);
  }
}

NodePtr PlanGenerator::limited(NodePtr input) {
  if (chance(40)) return input;
  std::optional<std::uint64_t> rows;
  if (chance(80)) rows = below(4) == 0 ? below(3) : below(300);
  return limit(std::move(input), rows, chance(50) ? 0 : below(400));
}

NodePtr PlanGenerator::rows(NodePtr input) {
  const bool is_sorted = wanted_.function == Function::kSortKey || chance(65);
  if (is_sorted) {
    std::vector<SortKey> keys;
    for (const std::size_t column : some_columns(2))
      keys.push_back({.column = column, .descending = chance(50), .nulls_first = chance(30)});
    for (const std::size_t column : ids_)
      keys.push_back({.column = column, .descending = chance(50), .nulls_first = chance(30)});
    input = sort(std::move(input), std::move(keys), ids_.empty()).value();
  }
  if (chance(70)) input = project(std::move(input), some_columns(5)).value();
  return is_sorted || ids_.empty() ? limited(std::move(input)) : input;
}

NodePtr PlanGenerator::sorted_by_all(NodePtr input) {
  std::vector<SortKey> keys;
  for (std::size_t i = 0; i < input->columns.size(); ++i)
    keys.push_back({.column = i, .descending = chance(50), .nulls_first = chance(30)});
  return sort(std::move(input), std::move(keys), false).value();
}

NodePtr PlanGenerator::distinct_rows(NodePtr input) {
  NodePtr out = distinct(project(std::move(input), some_columns(3)).value());
  return chance(60) ? limited(sorted_by_all(std::move(out))) : out;
}

// A condition on keys and on values that are exact in every database.
NodePtr PlanGenerator::having(NodePtr groups) {
  const auto& aggregate = std::get<Aggregate>(groups->op);
  std::vector<Condition> parts;
  const std::size_t count = 1 + below(2);
  for (int i = 0; i < kTriesMax && parts.size() < count; ++i) {
    const std::size_t output = below(groups->columns.size());
    const bool is_key = output < aggregate.keys.size();
    const AggregateCall* call = is_key ? nullptr : &aggregate.calls[output - aggregate.keys.size()];
    const bool is_count = call != nullptr && call->function < AggregateFunction::kMin;
    const json::Value value = is_count ? json::Value(static_cast<int>(below(12)))
                                       : constant(is_key ? aggregate.keys[output] : call->column);
    const Result<Condition> made = chance(15)
                                       ? is_not_null(output)
                                       : compare(groups->columns, output, static_cast<Sign>(below(6)), value);
    if (made.ok()) parts.push_back(*made);
  }
  Condition condition = chance(50) ? all_of(std::move(parts)) : any_of(std::move(parts));
  return filter(std::move(groups), std::move(condition)).value();
}

NodePtr PlanGenerator::groups(NodePtr input) {
  const bool wants_key = wanted_.function == Function::kGroupKey || wanted_.function == Function::kSortKey;
  std::vector<std::size_t> keys = wants_key || chance(70) ? some_columns(2) : std::vector<std::size_t>{};
  std::vector<AggregateCall> calls;
  const std::size_t count = 1 + below(3);
  for (std::size_t i = 0; i < count; ++i) calls.push_back(call(i));
  if (std::optional<AggregateCall> made = is_aggregate(wanted_.function) ? call_of(wanted_, 0) : std::nullopt)
    calls.front() = *std::move(made);
  // No column of a table is as wide as a sum.
  const bool sorts_sums =
      wanted_.function == Function::kSortKey && wanted_.argument == TypeClass::kWideInteger;
  if (sorts_sums) calls.front() = {.function = AggregateFunction::kSum, .column = 0, .name = "call0"};
  const std::size_t key_count = keys.size();
  NodePtr out = aggregate(std::move(input), std::move(keys), std::move(calls)).value();
  if (chance(35)) out = having(std::move(out));
  if (wanted_.function != Function::kSortKey && !chance(60)) return out;
  std::vector<SortKey> order;
  // A result may differ in its last digit: keys alone give an order.
  for (std::size_t i = 0; i < key_count; ++i)
    order.push_back({.column = i, .descending = chance(50), .nulls_first = chance(30)});
  const engine::Type& first = out->columns[key_count].type;
  const bool is_exact = first.id == engine::TypeId::kInt64 || first.id == engine::TypeId::kInt128;
  if (is_exact && (sorts_sums || chance(50)))
    order.insert(order.begin(), {.column = key_count, .descending = chance(50), .nulls_first = chance(30)});
  if (!order.empty()) out = sort(std::move(out), std::move(order), false).value();
  if (chance(50)) {
    std::vector<std::size_t> outputs(out->columns.size());
    std::iota(outputs.begin(), outputs.end(), 0);
    std::shuffle(outputs.begin(), outputs.end(), random_);
    outputs.resize(1 + below(outputs.size()));
    out = project(std::move(out), std::move(outputs)).value();
  }
  return limited(std::move(out));
}

}  // namespace sluice::plan::testing
