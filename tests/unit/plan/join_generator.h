#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "plan_generator.h"

namespace sluice::plan::testing {

using NamedTables = std::map<std::string, const LoadedTable*>;  // By the names of Scans.

Targets targets_of(const NamedTables& tables, engine::Dialect dialect);

// Draws plans over joins of two or three tables with the columns of `samples`, which follow an id.
class JoinGenerator {
 public:
  // What is given must outlive it.
  JoinGenerator(const std::vector<LoadedTable>& tables, const std::vector<SampleColumn>& samples,
                engine::Dialect dialect, std::uint32_t seed);

  NodePtr next();
  const NamedTables& tables() const { return used_; }  // Of the last plan.

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }
  bool chance(unsigned percent) { return random_() % 100 < percent; }
  NodePtr leaf(std::size_t number);
  // Joins one table more by one or two pairs of columns. Null if no pair was found.
  NodePtr joined(NodePtr left, std::size_t number);

  const std::vector<LoadedTable>& tables_;
  const std::vector<SampleColumn>& samples_;
  const engine::Dialect dialect_;
  std::mt19937 random_;
  NamedTables used_;
  LoadedTable whole_;  // The columns of all tables that are joined so far, for conditions.
  std::vector<SampleColumn> whole_samples_;
};

}  // namespace sluice::plan::testing
