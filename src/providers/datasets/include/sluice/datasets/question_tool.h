#pragma once

#include <memory>

#include "sluice/base/result.h"
#include "sluice/catalog/context.h"
#include "sluice/datasets/datasets_provider.h"
#include "sluice/json/value.h"
#include "sluice/protocol/model/tool.h"
#include "sluice/query/dataset.h"

namespace sluice::datasets {

// The arguments of query_data, without those that name the dataset.
json::Object question_properties(const Limits& limits);

// Answers questions about datasets that stand in no registry as query_data and estimate_query do: the same
// query arguments, estimates, caps and handles. Any thread.
class QuestionTool {
 public:
  virtual ~QuestionTool() = default;
  // Looks at the columns, so that a question about a dataset of the same name and version need not.
  virtual Status prepare(const query::DatasetPtr& dataset, const catalog::Context& context) const = 0;
  virtual Result<protocol::ToolResult> ask(const query::DatasetPtr& dataset, const json::Object& arguments,
                                           catalog::Context& context) const = 0;
  virtual Result<protocol::ToolResult> estimate(const query::DatasetPtr& dataset,
                                                const json::Object& arguments,
                                                catalog::Context& context) const = 0;
};

// What the services have must outlive it.
std::shared_ptr<QuestionTool> make_question_tool(Services services);

}  // namespace sluice::datasets
