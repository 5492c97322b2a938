#pragma once

#include <string_view>

#include "sluice/expression/question.h"

namespace sluice::query {

// Whether there is a column of that name, whatever its case: to the engine these are the same.
bool has_column(const expression::Columns& columns, std::string_view name);

}  // namespace sluice::query
