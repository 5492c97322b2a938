#pragma once

#include <string>
#include <vector>

#include "dataset_tools.h"

namespace sluice::datasets {

// The answer of pattern_filter that other tools take as a filter: {col, op: "in", value, signature}. Nobody
// can change it, and nobody but its owner can use it.
json::Object filter_token(const DatasetTools& tools, const Caller& owner, const std::string& column,
                          const std::vector<std::string>& values);

// The query arguments of a call, whose filters may be such tokens. An altered one is refused.
Result<query::QueryArguments> read_question(const DatasetTools& tools, const json::Object& arguments,
                                            const catalog::Context& context);

}  // namespace sluice::datasets
