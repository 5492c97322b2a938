#pragma once

#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/catalog/provider.h"

namespace sluice::ckan {

std::vector<protocol::Prompt> list_prompts(const catalog::ListQuery& query);
Result<protocol::PromptResult> get_prompt(const std::string& name,
                                          const protocol::PromptArguments& arguments);

}  // namespace sluice::ckan
