#pragma once

#include <optional>

#include "sluice/protocol/model/tool.h"

#include "desk.h"

namespace sluice::datasets {

// Where an answer would be huge, asks the caller first: through the client where it can be asked, else by an
// answer with the question and cheaper alternatives. Nothing: go on.
Result<std::optional<protocol::ToolResult>> confirm_size(const Desk& desk, const query::Estimate& estimate,
                                                         const expression::Question& question,
                                                         const json::Object& arguments,
                                                         catalog::Context& context);

// The same for a result of which more than the given number of rows has been written already.
Result<std::optional<protocol::ToolResult>> confirm_growth(std::uint64_t rows, const json::Object& arguments,
                                                           catalog::Context& context);

// The same for a question that drops rows, where the call has confirm_lossy.
Result<std::optional<protocol::ToolResult>> confirm_loss(const json::Object& arguments,
                                                         catalog::Context& context);
// The same for a grouping of so many groups.
Result<std::optional<protocol::ToolResult>> confirm_groups(const query::Estimate& estimate,
                                                           const json::Object& arguments,
                                                           catalog::Context& context);

// Ways to ask for less, as the arguments that would change: [{label, changes}].
json::Array cheaper_questions(const Subject& subject, const json::Object& arguments);

}  // namespace sluice::datasets
