#pragma once

#include <string_view>

#include "sluice/base/result.h"

#include "polars_tree.h"

namespace sluice::expression {

// One expression in Python's grammar, as far as chains of Polars methods need it. Bounds the text, the number
// of nodes and how deep they nest. A tuple is a list.
Result<PolarsNode> parse_polars(std::string_view text);

}  // namespace sluice::expression
