#include "plan_generator.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sluice/json/reader.h"

namespace sluice::plan::testing {

namespace {

constexpr int kTriesMax = 12;
constexpr unsigned kPushedPercent = 96;  // Of the conditions and aggregates, if the database has any.

}  // namespace

PlanGenerator::PlanGenerator(const LoadedTable& table, const std::vector<SampleColumn>& samples,
                             engine::Dialect dialect, std::uint32_t seed)
    : table_(table), samples_(samples), dialect_(dialect), random_(seed) {}

NodePtr PlanGenerator::next() {
  NodePtr input = table_.scan();
  if (chance(75)) input = filter(input, condition(2)).value();
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

std::vector<std::size_t> PlanGenerator::some_columns(std::size_t count_max) {
  std::vector<std::size_t> all(table_.columns.size());
  std::iota(all.begin(), all.end(), 0);
  std::shuffle(all.begin(), all.end(), random_);
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
  const std::vector<std::string>* patterns = column == 0 ? nullptr : &samples_[column - 1].patterns;
  const std::size_t kind = below(patterns != nullptr && !patterns->empty() ? 20 : 10);
  if (kind == 0) return is_null(column);
  if (kind == 1) return is_not_null(column);
  if (kind == 2) return {.kind = chance(50) ? Condition::Kind::kNever : Condition::Kind::kAlways};
  if (kind >= 10) {
    constexpr Condition::Kind kKinds[] = {Condition::Kind::kContains, Condition::Kind::kStartsWith,
                                          Condition::Kind::kEndsWith, Condition::Kind::kNormalizedContains,
                                          Condition::Kind::kMatches};
    const Condition::Kind text_kind = kKinds[below(std::size(kKinds))];
    const std::string pattern = (*patterns)[below(patterns->size())];
    return {.kind = text_kind,
            .column = column,
            .text = text_kind == Condition::Kind::kMatches ? "^[a-c]" : pattern};
  }
  if (kind >= 7) {
    json::Array values;
    const std::size_t count = chance(5) ? 70 : 1 + below(5);
    for (std::size_t i = 0; i < count; ++i) {
      json::Value value = constant(column);
      if (compare(table_.columns, column, Sign::kEq, value).ok()) values.push_back(std::move(value));
    }
    if (!values.empty()) return in_list(table_.columns, column, values).value();
  }
  for (int i = 0; i < kTriesMax; ++i) {
    const Result<Condition> made =
        compare(table_.columns, column, static_cast<Sign>(below(6)), constant(column));
    if (made.ok()) return *made;
  }
  return is_not_null(column);
}

Condition PlanGenerator::leaf() {
  const bool wants_pushed = chance(kPushedPercent);
  Condition out = any_leaf();
  for (int i = 0; i < kTriesMax && wants_pushed && !pushable(out, table_.target(dialect_)); ++i)
    out = any_leaf();
  return out;
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

AggregateCall PlanGenerator::call(std::size_t number) {
  const bool wants_pushed = chance(kPushedPercent);
  AggregateCall out = any_call(number);
  const auto is_pushed = [&] {
    const Result<NodePtr> plan = aggregate(table_.scan(), {}, {out});
    return plan.ok() && fragment(**plan, table_.target(dialect_)).has_value();
  };
  for (int i = 0; i < kTriesMax && wants_pushed && !is_pushed(); ++i) out = any_call(number);
  return out;
}

NodePtr PlanGenerator::limited(NodePtr input) {
  if (chance(40)) return input;
  std::optional<std::uint64_t> rows;
  if (chance(80)) rows = below(4) == 0 ? below(3) : below(300);
  return limit(std::move(input), rows, chance(50) ? 0 : below(400));
}

NodePtr PlanGenerator::rows(NodePtr input) {
  if (chance(65)) {
    std::vector<SortKey> keys;
    for (const std::size_t column : some_columns(2))
      keys.push_back({.column = column, .descending = chance(50)});
    input = sort(std::move(input), std::move(keys), true).value();
  }
  if (chance(70)) input = project(std::move(input), some_columns(5)).value();
  return limited(std::move(input));
}

NodePtr PlanGenerator::sorted_by_all(NodePtr input) {
  std::vector<SortKey> keys;
  for (std::size_t i = 0; i < input->columns.size(); ++i)
    keys.push_back({.column = i, .descending = chance(50)});
  return sort(std::move(input), std::move(keys), false).value();
}

NodePtr PlanGenerator::distinct_rows(NodePtr input) {
  NodePtr out = distinct(project(std::move(input), some_columns(3)).value());
  return chance(60) ? limited(sorted_by_all(std::move(out))) : out;
}

NodePtr PlanGenerator::groups(NodePtr input) {
  std::vector<std::size_t> keys = chance(70) ? some_columns(2) : std::vector<std::size_t>{};
  std::vector<AggregateCall> calls;
  const std::size_t count = 1 + below(3);
  for (std::size_t i = 0; i < count; ++i) calls.push_back(call(i));
  const std::size_t key_count = keys.size();
  NodePtr out = aggregate(std::move(input), std::move(keys), std::move(calls)).value();
  if (!chance(60)) return out;
  std::vector<SortKey> order;
  // A result may differ in its last digit: keys alone give an order.
  for (std::size_t i = 0; i < key_count; ++i) order.push_back({.column = i, .descending = chance(50)});
  const bool is_count = std::get<Aggregate>(out->op).calls[0].function < AggregateFunction::kMin;
  if (is_count && chance(50)) order.insert(order.begin(), {.column = key_count, .descending = chance(50)});
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
