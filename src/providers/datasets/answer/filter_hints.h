#pragma once

#include <string>
#include <vector>

#include "dataset_tools.h"

namespace sluice::datasets {

// Adds a warning to an answer without rows: which filter fits no row, with values of the column that are
// spelled alike, or that only all filters together fit none. Says nothing if that takes too long to find out.
void warn_of_no_rows(const Subject& subject, const expression::Question& question,
                     const catalog::Context& context, std::vector<std::string>& warnings);

}  // namespace sluice::datasets
