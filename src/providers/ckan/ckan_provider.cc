#include "sluice/ckan/ckan_provider.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

#include "files/query_file.h"
#include "portal/portal_api.h"
#include "resources.h"
#include "tools/list_portals.h"
#include "tools/prompts.h"
#include "tools/tool_definitions.h"
#include "tools/tool_result.h"

namespace sluice::ckan {

namespace {

class CkanProvider final : public catalog::Provider,
                           public catalog::ToolProvider,
                           public catalog::ResourceProvider,
                           public catalog::PromptProvider,
                           public catalog::CompletionProvider {
 public:
  CkanProvider(std::unique_ptr<PortalApi> api, std::unique_ptr<FileQueries> files)
      : Provider({.name = "ckan"}), api_(std::move(api)), files_(std::move(files)), resources_(*api_) {}

  catalog::ToolProvider* tools() override { return this; }
  catalog::ResourceProvider* resources() override { return this; }
  catalog::PromptProvider* prompts() override { return this; }
  catalog::CompletionProvider* completions() override { return this; }

  std::vector<protocol::Tool> list_tools(const catalog::ListQuery& query) override {
    std::vector<protocol::Tool> out;
    for (const ToolDefinition& definition : tool_definitions()) out.push_back(definition.tool);
    if (files_) out.push_back(files_->tool());
    out.push_back(list_portals_tool());
    std::erase_if(out, [&](const protocol::Tool& each) { return !offers(each.name); });
    std::sort(out.begin(), out.end(),
              [](const protocol::Tool& a, const protocol::Tool& b) { return a.name < b.name; });
    std::erase_if(out, [&](const protocol::Tool& each) { return each.name <= query.after; });
    if (out.size() > query.limit) out.resize(query.limit);
    return out;
  }
  Result<protocol::ToolResult> call(const std::string& tool, const json::Object& arguments,
                                    catalog::Context& context) override {
    if (!offers(tool)) return catalog::unknown_tool(tool);
    if (files_ && tool == kQueryFile) return files_->call(arguments, context);
    if (tool == kListPortals) return list_portals(arguments, context);
    const ToolDefinition* definition = find_tool(tool);
    if (definition == nullptr) return catalog::unknown_tool(tool);
    const Arguments in(arguments);
    SLUICE_TRY(const PortalPtr portal, api_->directory().find_url(in.text("server_url")));
    SLUICE_TRY(
        const ToolAnswer found,
        definition->function({.api = *api_, .portal = *portal, .in = in, .caller = caller_of(context)}));
    const Form form = in.text("response_format") == "json" ? Form::kJson : Form::kMarkdown;
    return tool_result(found, form, text_room(api_->spec().characters_max, context.budget()));
  }
  std::vector<protocol::Prompt> list_prompts(const catalog::ListQuery& query) override {
    return ckan::list_prompts(query);
  }
  Result<protocol::PromptResult> get_prompt(const std::string& name,
                                            const protocol::PromptArguments& arguments,
                                            catalog::Context&) override {
    return ckan::get_prompt(name, arguments);
  }

  std::vector<protocol::ResourceTemplate> list_templates(const catalog::ListQuery& query) override {
    return Resources::templates(query);
  }
  Result<protocol::ReadResult> read(const ResourceUri& uri, catalog::Context& context) override {
    return resources_.read(uri, context);
  }
  Result<protocol::Completion> complete(const protocol::CompletionRequest& request,
                                        catalog::Context& context) override {
    return resources_.complete(request, context);
  }
  bool owns(const ResourceUri& uri) const override { return uri.scheme() == "ckan"; }

 private:
  bool offers(std::string_view tool) const {
    const std::vector<std::string>& only = api_->spec().tools;
    return only.empty() || std::find(only.begin(), only.end(), tool) != only.end();
  }
  Result<protocol::ToolResult> list_portals(const json::Object& arguments, const catalog::Context& context) {
    const Arguments in(arguments);
    SLUICE_TRY(const ToolAnswer found, found_portals(api_->directory(), in));
    const Form form = in.text("response_format") == "json" ? Form::kJson : Form::kMarkdown;
    return tool_result(found, form, text_room(api_->spec().characters_max, context.budget()));
  }

  const std::unique_ptr<PortalApi> api_;
  const std::unique_ptr<FileQueries> files_;  // Null where files cannot be queried.
  Resources resources_;
};

}  // namespace

Result<std::shared_ptr<catalog::Provider>> make_ckan_provider(const CkanSpec& spec,
                                                              std::optional<FileQuestions> questions,
                                                              const Clock& clock) {
  SLUICE_TRY(std::unique_ptr<PortalApi> api, PortalApi::create(spec, clock));
  std::unique_ptr<FileQueries> files;
  if (questions) {
    SLUICE_TRY(files, FileQueries::create(*api, *std::move(questions)));
  }
  return std::make_shared<CkanProvider>(std::move(api), std::move(files));
}

Status check_spec(const CkanSpec& spec) {
  for (const std::string& name : spec.tools) {
    if (find_tool(name) == nullptr && name != kQueryFile && name != kListPortals)
      return invalid_input(fmt::format("no tool of portals: {}", excerpt(name))).with_code("invalid_portal");
  }
  const Result<std::unique_ptr<PortalApi>> api = PortalApi::create(spec, system_clock());
  if (!api.ok()) return api.error();
  return {};
}

}  // namespace sluice::ckan
