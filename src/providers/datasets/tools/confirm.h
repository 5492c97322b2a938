#pragma once

#include <optional>

#include "sluice/protocol/model/tool.h"
#include "sluice/query/transfer.h"

#include "dataset_tools.h"

namespace sluice::datasets {

// Where an answer would be huge, asks the caller first: through the client where it can be asked, else by an
// answer with the question and cheaper alternatives. Nothing: go on.
Result<std::optional<protocol::ToolResult>> confirm_size(const DatasetTools& tools,
                                                         const query::Estimate& estimate,
                                                         const expression::Question& question,
                                                         const json::Object& arguments,
                                                         catalog::Context& context);

// The same for a result of which more than the given number of rows has been written already.
Result<std::optional<protocol::ToolResult>> confirm_growth(std::uint64_t rows, const json::Object& arguments,
                                                           catalog::Context& context);

// The same for the rows that the joins of a question make, by tables and their sizes.
struct WorkSize {
  double pairs = 0;
  bool is_counted = false;
  std::vector<query::Transfer> tables;
};
Result<std::optional<protocol::ToolResult>> confirm_pairs(const WorkSize& work, const json::Object& arguments,
                                                          catalog::Context& context);
// The same for what databases would send.
Result<std::optional<protocol::ToolResult>> confirm_transfer(const std::vector<query::Transfer>& transfers,
                                                             const json::Object& arguments,
                                                             catalog::Context& context);
// The same for a statement that was stopped because databases had sent more than so many bytes.
Result<std::optional<protocol::ToolResult>> confirm_more_transfer(std::uint64_t bytes,
                                                                  const json::Object& arguments,
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
