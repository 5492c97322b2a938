#pragma once

#include <string>
#include <vector>

#include "dataset_tools.h"

namespace sluice::datasets {

// Adds a warning for each of `null_policy: drop` and `deduplicate` that left rows out of an answer, with
// their number. Counting them is bounded in time; where that does not suffice, the warning has no number.
void warn_of_dropped_rows(const Subject& subject, const expression::Question& question,
                          const catalog::Context& context, std::vector<std::string>& warnings);

}  // namespace sluice::datasets
