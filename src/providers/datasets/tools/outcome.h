#pragma once

#include <optional>

#include "sluice/protocol/model/tool.h"

#include "answer/result_json.h"
#include "dataset_tools.h"

namespace sluice::datasets {

// How an answer is wanted.
struct AnswerStyle {
  render::Shape shape = render::Shape::kRecords;
  query::Format format = query::Format::kJson;
  render::Digits digits = render::Digits::kExact;
  Budget budget;  // Of its rows.
  bool tries_first =
      false;             // It is answered before anybody estimates its size: the caps hold while rows arrive.
  bool is_kept = false;  // It is kept as a result even if it fits.
};

struct Outcome {
  query::AnswerRequest request;
  query::Answer answer;
  FileFacts file;
  std::optional<protocol::ToolResult> instead;  // The question that was asked instead of answering.
};

// Any question about one dataset: measured first, asked about where it is huge, answered within the budget.
Result<Outcome> find_answer(const DatasetTools& tools, const Subject& subject, expression::Question question,
                            const AnswerStyle& style, const json::Object& arguments,
                            catalog::Context& context);

}  // namespace sluice::datasets
