#include "sluice/catalog/tool_index.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/base/text.h"

namespace sluice::catalog {
namespace {

// What every host accepts: the specification allows dots, several hosts do not take more than 64 characters.
bool is_tool_name(std::string_view name) {
  return !name.empty() && name.size() <= 128 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-' || c == '.';
  });
}

Error in_tool(const protocol::Tool& tool, std::string_view part, const Error& error) {
  return invalid_input(fmt::format("tool {}: {}: {}", excerpt(tool.name), part, error.message))
      .with_code("invalid_tool");
}

Result<std::shared_ptr<const ToolEntry>> make_entry(protocol::Tool tool,
                                                    const std::shared_ptr<Provider>& provider) {
  if (!is_tool_name(tool.name)) {
    return invalid_input(
               fmt::format("tool name must be 1 to 128 of A-Z a-z 0-9 _ - . : {}", excerpt(tool.name)))
        .with_code("invalid_tool");
  }
  const json::Value* type = tool.input_schema.find("type");
  if (type == nullptr || type->if_string() == nullptr || *type->if_string() != "object") {
    return in_tool(tool, "inputSchema", invalid_input("type must be \"object\""));
  }
  Result<json::Schema> input = json::Schema::compile(tool.input_schema);
  if (!input) return in_tool(tool, "inputSchema", input.error());
  std::optional<json::Schema> output;
  if (tool.output_schema) {
    Result<json::Schema> compiled = json::Schema::compile(*tool.output_schema);
    if (!compiled) return in_tool(tool, "outputSchema", compiled.error());
    output = *std::move(compiled);
  }
  Result<std::vector<protocol::HeaderParameter>> headers =
      protocol::find_header_parameters(tool.input_schema);
  if (!headers) return in_tool(tool, "inputSchema", headers.error());
  const RunsOn runs_on = provider->tools()->tool_runs_on(tool.name);
  return std::make_shared<const ToolEntry>(ToolEntry{.tool = std::move(tool),
                                                     .provider = {provider, provider->tools()},
                                                     .provider_name = provider->traits().name,
                                                     .runs_on = runs_on,
                                                     .input = *std::move(input),
                                                     .output = std::move(output),
                                                     .headers = *std::move(headers)});
}

}  // namespace

Result<std::shared_ptr<const ToolIndex>> ToolIndex::build(
    const std::vector<std::shared_ptr<Provider>>& providers, const ToolRules& rules) {
  auto index = std::make_shared<ToolIndex>();
  const ListQuery everything{
      .after = {}, .limit = std::numeric_limits<std::size_t>::max(), .principal = local_principal()};
  std::vector<std::shared_ptr<Provider>> ordered = providers;
  std::stable_partition(ordered.begin(), ordered.end(),
                        [](const auto& provider) { return !provider->traits().skips_invalid_tools; });
  for (const std::shared_ptr<Provider>& provider : ordered) {
    ToolProvider* const tools = provider->tools();
    if (tools == nullptr) continue;
    for (protocol::Tool& tool : tools->list_tools(everything)) {
      if (!rules.allow_tool(tool)) continue;
      const std::string name = tool.name;
      Result<std::shared_ptr<const ToolEntry>> made = make_entry(std::move(tool), provider);
      if (provider->traits().skips_invalid_tools && (!made.ok() || index->entries_.contains(name))) {
        log::warning(
            "catalog.tool_left_out",
            {{"tool", excerpt(name)}, {"reason", made.ok() ? "the name is taken" : made.error().message}});
        continue;
      }
      SLUICE_TRY(std::shared_ptr<const ToolEntry> entry, std::move(made));
      const auto [at, added] = index->entries_.emplace(entry->tool.name, entry);
      if (!added) {
        return conflict(fmt::format("tool {} is offered twice, by {} and by {}", entry->tool.name,
                                    at->second->provider_name, provider->traits().name))
            .with_code("name_offered_twice");
      }
    }
  }
  return std::shared_ptr<const ToolIndex>(std::move(index));
}

std::shared_ptr<const ToolEntry> ToolIndex::find(std::string_view name) const {
  const auto at = entries_.find(name);
  return at == entries_.end() ? nullptr : at->second;
}

}  // namespace sluice::catalog
