#pragma once

#include <functional>
#include <string>

#include "sluice/base/result.h"
#include "sluice/json/value.h"

namespace sluice::expression {

// Whether a statement has constants such as 1e0.
bool has_doubles(const json::Value& tree);

// The tree with casts of texts in place of constants such as 1e0, which the engine writes as 1.0: that is not
// a double but a decimal. Columns that have no alias keep the names that they would have without the casts.
Result<json::Value> with_double_casts(const json::Value& tree,
                                      const std::function<Result<std::string>(const json::Value&)>& write);

}  // namespace sluice::expression
