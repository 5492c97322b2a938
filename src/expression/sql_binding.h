#pragma once

#include <string>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/expression/sql_parameters.h"
#include "sluice/json/value.h"

namespace sluice::expression {

// The tree of a statement with a typed constant in the place of every placeholder. Values never pass through
// a parser: what a text holds cannot become SQL. Fails on a placeholder that has no value.
Result<json::Value> with_values(const json::Value& tree, const SqlParameters& parameters);

// A constant of a SQL type, as a cast of its text.
json::Object typed_constant(std::string_view sql_type, const std::string& text, std::string_view alias = {});

}  // namespace sluice::expression
