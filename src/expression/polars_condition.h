#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/plan/condition.h"

#include "polars_tree.h"

namespace sluice::expression {

// A column of a step that is a column of the input, under whatever name.
struct PolarsOutput {
  std::string name;
  std::size_t at = 0;
};

// The columns that a step reads.
struct PolarsInput {
  const plan::Columns& columns;
  const std::vector<PolarsOutput>& outputs;

  std::optional<std::size_t> find(std::string_view name) const;
};

// The column that `pl.col("x")` reads; nullopt for any other expression.
std::optional<std::size_t> column_of(const PolarsNode& node, const PolarsInput& input);

// The condition of a filter that was compiled before, if every part of it has an exact counterpart:
// comparisons of columns with constants, is_in, is_between, null tests, parts of texts, and &, | and ~ of
// these.
std::optional<plan::Condition> condition_of(const PolarsNode& node, const PolarsInput& input);

}  // namespace sluice::expression
