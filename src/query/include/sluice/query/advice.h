#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sluice/expression/question.h"
#include "sluice/query/dataset.h"

namespace sluice::query {

// The column that holds the parts of a repeated total, e.g. subprogram_actual for state_body_actual. Nothing
// if the column is no repeated total in a dataset of these columns.
struct PartsOfTotal {
  std::string per;
  std::string column;
};
std::optional<PartsOfTotal> parts_of_total(const Collection& collection, const expression::Columns& columns,
                                           std::string_view column);

// What to sum and divide to get a ratio over several rows. The columns are those of the parts where the ratio
// itself belongs to a repeated total. Nothing if the column is no ratio, or a dataset of these columns lacks
// one of the two.
struct RatioOfSums {
  std::string numerator;
  std::string denominator;
};
std::optional<RatioOfSums> ratio_of_sums(const Collection& collection, const expression::Columns& columns,
                                         std::string_view column);

// Adds a warning for each of the question's totals that does not mean what it seems to: a total that repeats
// on every row, or a ratio. However the question was asked, the same warnings result.
void add_advice(expression::Question& question, const expression::Columns& columns,
                const Collection& collection);

}  // namespace sluice::query
