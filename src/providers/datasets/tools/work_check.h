#pragma once

#include <optional>

#include "sluice/expression/question.h"
#include "sluice/protocol/model/tool.h"

#include "dataset_tools.h"

namespace sluice::datasets {

// Asks before a question runs whose joins make many rows, or for which databases have to send much: neither
// shows in the size of its answer.
struct WorkCheck {
  std::optional<protocol::ToolResult> instead;  // The question to the caller. Nothing: go on.
  bool allows_transfer = false;                 // The caller was asked what databases send, and agreed.
};
Result<WorkCheck> check_work(const DatasetTools& tools, const Subject& subject,
                             const expression::Question& question, const json::Object& arguments,
                             catalog::Context& context);

}  // namespace sluice::datasets
