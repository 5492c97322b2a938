#include "sluice/catalog/provider.h"

#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

namespace sluice::catalog {

std::string ToolProvider::listed_name(std::string_view /*name*/) const { return {}; }
RunsOn ToolProvider::tool_runs_on(std::string_view /*tool*/) const { return RunsOn::kWorker; }

Result<std::vector<protocol::Resource>> ResourceProvider::list_resources(const ListQuery& /*query*/) {
  return std::vector<protocol::Resource>{};
}
std::vector<protocol::ResourceTemplate> ResourceProvider::list_templates(const ListQuery& /*query*/) {
  return {};
}
std::optional<Result<protocol::ReadResult>> ResourceProvider::try_read_now(const ResourceUri& /*uri*/,
                                                                           const Principal& /*principal*/,
                                                                           const Budget& /*budget*/) {
  return std::nullopt;
}
RunsOn ResourceProvider::read_runs_on(const ResourceUri& /*uri*/) const { return RunsOn::kWorker; }
void ResourceProvider::watch(const ResourceUri& /*uri*/) {}
void ResourceProvider::unwatch(const ResourceUri& /*uri*/) {}
Status ResourceProvider::can_watch(const ResourceUri& /*uri*/) const { return {}; }

ToolProvider* Provider::tools() { return nullptr; }
ResourceProvider* Provider::resources() { return nullptr; }
PromptProvider* Provider::prompts() { return nullptr; }
CompletionProvider* Provider::completions() { return nullptr; }
void Provider::attach(ChangeSink& /*sink*/) {}
bool Provider::is_settled() const { return true; }
void Provider::settle(const std::stop_token& /*stop*/) {}

std::shared_ptr<ResourceProvider> find_owner(const std::vector<std::shared_ptr<Provider>>& providers,
                                             const ResourceUri& uri) {
  for (const std::shared_ptr<Provider>& provider : providers) {
    ResourceProvider* const resources = provider->resources();
    if (resources != nullptr && resources->owns(uri)) return {provider, resources};
  }
  return nullptr;
}

Error unknown_tool(std::string_view name) {
  return invalid_input(fmt::format("Unknown tool: {}", excerpt(name))).with_code("unknown_tool");
}

Error unknown_prompt(std::string_view name) {
  return invalid_input(fmt::format("Unknown prompt: {}", excerpt(name))).with_code("unknown_prompt");
}

Result<protocol::ElicitAnswer> Context::ask_form(const std::string& key, protocol::ElicitForm form) {
  std::vector<protocol::Question> questions;
  questions.push_back(protocol::Question{.key = key, .body = std::move(form)});
  SLUICE_TRY(Answers answers, ask(std::move(questions)));
  return std::get<protocol::ElicitAnswer>(std::move(answers.at(key)));
}

}  // namespace sluice::catalog
