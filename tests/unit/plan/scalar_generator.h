#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "sluice/plan/overload.h"

#include "plan_bench.h"

namespace sluice::plan::testing {

// Draws what is computed of the columns of a table, to which it adds a column for each call.
class ScalarGenerator {
 public:
  // What is given must outlive it. `condition` draws one over the table.
  ScalarGenerator(LoadedTable& table, std::vector<SampleColumn>& samples, std::mt19937& random,
                  std::function<Condition()> condition)
      : table_(table), samples_(samples), random_(random), condition_(std::move(condition)) {}

  // A call of that overload; nullopt if the table has no column for it.
  std::optional<ScalarCall> next(const Overload& overload, engine::Dialect dialect);

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }
  bool chance(unsigned percent) { return random_() % 100 < percent; }
  std::optional<ScalarCall> values_of(const Overload& overload, ScalarFunction function);
  // A column of that type, or one of the constants that columns of it are compared with.
  Argument argument(const engine::Type& type, const std::vector<std::string>& constants);
  void add_column(const ScalarCall& call, const SampleColumn& sample);

  LoadedTable& table_;
  std::vector<SampleColumn>& samples_;
  std::mt19937& random_;
  const std::function<Condition()> condition_;
};

}  // namespace sluice::plan::testing
