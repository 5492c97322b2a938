#include "sluice/datasets/question_tool.h"

#include <utility>

#include "tools/tools.h"

namespace sluice::datasets {

namespace {

class DatasetQuestions final : public QuestionTool {
 public:
  explicit DatasetQuestions(Services services) : dataset_tools_(std::move(services)) {}

  Status prepare(const query::DatasetPtr& dataset, const catalog::Context& context) const override {
    SLUICE_TRY([[maybe_unused]] const Subject subject, dataset_tools_.open(dataset, context));
    return {};
  }
  Result<protocol::ToolResult> ask(const query::DatasetPtr& dataset, const json::Object& arguments,
                                   catalog::Context& context) const override {
    SLUICE_TRY(const Subject subject, dataset_tools_.open(dataset, context));
    return query_subject(dataset_tools_, subject, arguments, context);
  }
  Result<protocol::ToolResult> estimate(const query::DatasetPtr& dataset, const json::Object& arguments,
                                        catalog::Context& context) const override {
    SLUICE_TRY(const Subject subject, dataset_tools_.open(dataset, context));
    return estimate_subject(dataset_tools_, subject, arguments, context);
  }

 private:
  const DatasetTools dataset_tools_;
};

}  // namespace

std::shared_ptr<QuestionTool> make_question_tool(Services services) {
  return std::make_shared<DatasetQuestions>(std::move(services));
}

}  // namespace sluice::datasets
