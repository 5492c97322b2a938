#pragma once

#include <string>
#include <vector>

#include "sluice/base/result.h"

#include "polars_tree.h"

namespace sluice::expression {

// One call of a chain; its arguments are those of `call`, which the tree keeps alive.
struct PolarsStep {
  std::string name;
  const PolarsNode* call = nullptr;
};

// The steps of `df.filter(…).select(…)` or `filter(…).select(…)`, first to last. lazy() and collect() say
// nothing here and are left out.
Result<std::vector<PolarsStep>> chain_of(const PolarsNode& root);

}  // namespace sluice::expression
