#include "sluice/catalog/provider.h"

#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"
#include "sluice/json/writer.h"

namespace sluice::catalog {

void Provider::attach(ChangeSink& /*sink*/) {}
std::vector<protocol::Tool> Provider::tools(const ListQuery& /*query*/) { return {}; }
Result<std::vector<protocol::Resource>> Provider::resources(const ListQuery& /*query*/) {
  return std::vector<protocol::Resource>{};
}
std::vector<protocol::ResourceTemplate> Provider::templates(const ListQuery& /*query*/) { return {}; }
std::vector<protocol::Prompt> Provider::prompts(const ListQuery& /*query*/) { return {}; }

Result<protocol::ToolResult> Provider::call(const std::string& tool, const json::Object& /*arguments*/,
                                            Context& /*context*/) {
  return invalid_input(fmt::format("Unknown tool: {}", excerpt(tool))).with_code("unknown_tool");
}

Result<protocol::ReadResult> Provider::read(const ResourceUri& uri, Context& /*context*/) {
  return protocol::resource_not_found(uri.text());
}

Result<protocol::PromptResult> Provider::prompt(const std::string& name,
                                                const protocol::PromptArguments& /*arguments*/,
                                                Context& /*context*/) {
  return invalid_input(fmt::format("Unknown prompt: {}", excerpt(name))).with_code("unknown_prompt");
}

Result<protocol::Completion> Provider::complete(const protocol::CompletionRequest& /*request*/,
                                                Context& /*context*/) {
  return protocol::Completion{};
}

bool Provider::is_settled() const { return true; }
void Provider::settle(const std::stop_token& /*stop*/) {}
bool Provider::yields() const { return false; }
std::string Provider::listed_name(std::string_view /*name*/) const { return {}; }

bool Provider::is_instant(std::string_view /*tool*/) const { return false; }
bool Provider::is_instant(const ResourceUri& /*uri*/) const { return false; }
bool Provider::is_brief(const ResourceUri& /*uri*/) const { return false; }
bool Provider::is_instant_for(const ResourceUri& uri, const Principal& /*principal*/) const {
  return is_instant(uri);
}
bool Provider::owns(const ResourceUri& /*uri*/) const { return false; }
void Provider::watch(const ResourceUri& /*uri*/) {}
void Provider::unwatch(const ResourceUri& /*uri*/) {}
Status Provider::can_watch(const ResourceUri& /*uri*/) const { return {}; }
std::size_t Provider::resource_page_items() const { return kListPageItems; }

Result<protocol::ElicitAnswer> Context::ask_form(const std::string& key, protocol::ElicitForm form) {
  std::vector<protocol::Question> questions;
  questions.push_back(protocol::Question{.key = key, .body = std::move(form)});
  SLUICE_TRY(Answers answers, ask(std::move(questions)));
  return std::get<protocol::ElicitAnswer>(std::move(answers.at(key)));
}

}  // namespace sluice::catalog
