#pragma once

#include <vector>

#include "sluice/expression/question.h"
#include "sluice/expression/sql_parameters.h"
#include "sluice/json/value.h"

namespace sluice::expression {

// All comparisons `column = 'text'` of a statement's tree, in which placeholders still stand for the values
// of parameters. Those of IN lists are included. In the order of the text.
std::vector<TextEquality> text_equalities(const json::Value& tree, const SqlParameters& parameters);

// Whether the rows of a statement are groups: its outermost SELECT has a GROUP BY.
bool has_group_by(const json::Value& tree);

}  // namespace sluice::expression
