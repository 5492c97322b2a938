#pragma once

#include <string>
#include <vector>

#include "sluice/catalog/provider.h"

#include "record_tools.h"

namespace sluice::records_provider {

std::vector<protocol::Prompt> list_prompts(const catalog::ListQuery& query);
Result<protocol::PromptResult> get_prompt(const RecordTools& tools, const std::string& name,
                                          const protocol::PromptArguments& arguments);

}  // namespace sluice::records_provider
