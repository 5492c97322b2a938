#pragma once

#include <string>

#include "sluice/expression/question.h"

namespace sluice::query {

// What the relation `numbered` calls the place of a row in its file: a name that no column has.
std::string row_column(const expression::Columns& columns);

}  // namespace sluice::query
