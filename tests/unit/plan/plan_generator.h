#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "sluice/plan/fragment.h"
#include "sluice/plan/plan.h"

#include "plan_bench.h"
#include "plan_overloads.h"

namespace sluice::plan::testing {

// Draws plans over one table, or over several that a join makes one. The same seed gives the same plans.
class PlanGenerator {
 public:
  // `wanted` must outlive it. `samples` are those of the columns after the first one. Plans use `wanted`
  // if they can, so that none of the overloads is rare.
  PlanGenerator(const LoadedTable& table, const std::vector<SampleColumn>& samples, engine::Dialect dialect,
                const Overload& wanted, std::uint32_t seed);

  // With or without a filter: rows, groups, or distinct rows.
  NodePtr next();
  // The same over rows that are joined, of which `ids` tells each from all others.
  NodePtr next_over(NodePtr joined, std::vector<std::size_t> ids);
  Condition condition(int depth);

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }
  bool chance(unsigned percent) { return random_() % 100 < percent; }
  std::vector<std::size_t> some_columns(std::size_t count_max);
  json::Value constant(std::size_t column);
  // A column of that class of types; nullopt if the table has none.
  std::optional<std::size_t> column_of(TypeClass type_class);
  // One of the overloads that the database has.
  template <typename IsWanted>
  const Overload& some_overload(const IsWanted& is_wanted);
  // Columns that are computed of those of the table, to which they are added.
  NodePtr computed(NodePtr input);
  // A condition on one column. Most are of a kind that the database evaluates itself.
  Condition leaf();
  Condition any_leaf();
  std::optional<Condition> leaf_of(const Overload& overload);
  std::optional<Condition> comparison(std::size_t column, Sign sign);
  std::optional<Condition> list(std::size_t column);
  std::optional<Condition> text_condition(Condition::Kind kind, std::size_t column);
  std::optional<AggregateCall> call_of(const Overload& overload, std::size_t number);
  AggregateCall any_call(std::size_t number);
  AggregateCall call(std::size_t number);
  NodePtr having(NodePtr groups);
  NodePtr any_over(NodePtr input);
  NodePtr rows(NodePtr input);
  NodePtr groups(NodePtr input);
  NodePtr distinct_rows(NodePtr input);
  // Orders by all columns, so that a limit takes the same rows.
  NodePtr sorted_by_all(NodePtr input);
  NodePtr limited(NodePtr input);

  LoadedTable table_;
  std::vector<SampleColumn> samples_;
  const engine::Dialect dialect_;
  const Overload& wanted_;
  std::mt19937 random_;
  std::vector<std::size_t> ids_;              // Empty: the table has an order.
  std::optional<std::size_t> wanted_column_;  // That `wanted` computes.
};

}  // namespace sluice::plan::testing
