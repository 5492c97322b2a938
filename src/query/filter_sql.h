#pragma once

#include <string>

#include "sluice/base/result.h"
#include "sluice/expression/question.h"
#include "sluice/query/knobs.h"

namespace sluice::query {

// The condition of a filter, as SQL over the column. Compares the value exactly as it was given, whatever the
// column's type can hold. The values become parameters of the question; it also gets the warnings.
Result<std::string> filter_sql(const Filter& filter, const engine::Field& column,
                               expression::Question& question);

}  // namespace sluice::query
