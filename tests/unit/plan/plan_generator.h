#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "sluice/plan/fragment.h"
#include "sluice/plan/plan.h"

#include "plan_bench.h"

namespace sluice::plan::testing {

// Draws plans over one table. The same seed gives the same plans.
class PlanGenerator {
 public:
  // What is given must outlive it. `samples` are those of the columns after the first one.
  PlanGenerator(const LoadedTable& table, const std::vector<SampleColumn>& samples, engine::Dialect dialect,
                std::uint32_t seed);

  // With or without a filter: rows, groups, or distinct rows.
  NodePtr next();
  Condition condition(int depth);

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }
  bool chance(unsigned percent) { return random_() % 100 < percent; }
  std::vector<std::size_t> some_columns(std::size_t count_max);
  json::Value constant(std::size_t column);
  // A condition on one column. Most are of a kind that the database evaluates itself.
  Condition leaf();
  Condition any_leaf();
  AggregateCall any_call(std::size_t number);
  AggregateCall call(std::size_t number);
  NodePtr rows(NodePtr input);
  NodePtr groups(NodePtr input);
  NodePtr distinct_rows(NodePtr input);
  // Orders by all columns, so that a limit takes the same rows.
  NodePtr sorted_by_all(NodePtr input);
  NodePtr limited(NodePtr input);

  const LoadedTable& table_;
  const std::vector<SampleColumn>& samples_;
  const engine::Dialect dialect_;
  std::mt19937 random_;
};

}  // namespace sluice::plan::testing
