#pragma once

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "plan_bench.h"
#include "plan_overloads.h"

namespace sluice::plan::testing {

// A table "<prefix><name of the column>" with a row for each cell.
std::string edge_sql(const std::string& prefix, const SampleColumn& sample);

// Compares plans over edge values in the database and in the engine.
class PlanVectors : public ::testing::TestWithParam<Server> {
 protected:
  // Those that the database computes, many by one statement. All have columns of the same types.
  void check(const std::vector<NodePtr>& plans, const LoadedTable& table);

  // On the second column of the table.
  std::vector<Condition> conditions_of(const SampleColumn& sample, const LoadedTable& table);

  // Whether each of these functions was compared for every type that the database computes it for.
  template <typename IsWanted>
  void expect_vectors(const IsWanted& is_wanted) {
    for (const Overload& overload : overloads()) {
      if (!is_wanted(overload.function) || overload.in(bench_.dialect()) != Support::kExact) continue;
      EXPECT_TRUE(compared_.contains(&overload)) << name_of(overload) << " has no vectors";
    }
  }
  void note(const Node& plan, const LoadedTable& table);

  int printed() const { return printed_; }
  PlanBench& bench() { return bench_; }

 private:
  void check_batch(const std::vector<NodePtr>& plans, const LoadedTable& table);

  PlanBench bench_{GetParam()};
  int printed_ = 0;
  int different_ = 0;
  std::set<const Overload*> compared_;
};

}  // namespace sluice::plan::testing
