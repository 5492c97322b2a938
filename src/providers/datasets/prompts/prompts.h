#pragma once

#include <vector>

#include "sluice/catalog/provider.h"

#include "dataset_tools.h"

namespace sluice::datasets {

// What an agent can know before its first call: roles, examples, and how to stay small.
std::vector<protocol::Prompt> list_prompts(const catalog::ListQuery& query);
Result<protocol::PromptResult> get_prompt(const DatasetTools& tools, const std::string& name,
                                          const protocol::PromptArguments& arguments);

// Values for the variables of the resource templates and the arguments of the prompts.
Result<protocol::Completion> complete(const DatasetTools& tools, const protocol::CompletionRequest& request);

}  // namespace sluice::datasets
