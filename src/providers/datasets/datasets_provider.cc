#include "sluice/datasets/datasets_provider.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <utility>

#include "sluice/base/limits.h"
#include "sluice/base/log.h"

#include "analysis/analysis_definitions.h"
#include "lean/defined_tools.h"
#include "lean/lean_tools.h"
#include "plot/plot_tool.h"
#include "prompts/prompts.h"
#include "resources/resources.h"
#include "tools/definitions.h"

namespace sluice::datasets {

namespace {

constexpr std::string_view kPageTool = "query_next_page";
constexpr std::chrono::milliseconds kWatcherWait = 4 * kWatchCoalesce;
constexpr std::chrono::milliseconds kScanWait{250};

bool is_question(std::string_view tool) {
  return tool == "query_data" || tool == "aggregate" || tool == "advanced_query" ||
         tool == "bulk_filter_multiple_datasets";
}

// get_schema is one tool, also where there are records.
void take_data_types(protocol::Tool& tool) {
  json::Object& schema = *tool.input_schema.if_object();
  schema.erase("required");
  schema.find("properties")
      ->if_object()
      ->set("data_type", json::Object{{"type", "string"}, {"description", "Instead: from list_data_types"}});
  tool.output_schema = json::Object{{"type", "object"}};
}

class DatasetsProvider final : public catalog::Provider,
                               public catalog::ToolProvider,
                               public catalog::ResourceProvider,
                               public catalog::PromptProvider,
                               public catalog::CompletionProvider {
 public:
  explicit DatasetsProvider(std::shared_ptr<const DatasetTools> dataset_tools)
      : Provider({.name = "datasets"}), shared_(std::move(dataset_tools)), dataset_tools_(*shared_) {}
  ~DatasetsProvider() override { dataset_tools_.services().registry->unlisten(listening_); }

  catalog::ToolProvider* tools() override { return this; }
  catalog::ResourceProvider* resources() override { return this; }
  catalog::PromptProvider* prompts() override { return this; }
  catalog::CompletionProvider* completions() override { return this; }

  void attach(catalog::ChangeSink& sink) override {
    listening_ =
        dataset_tools_.services().registry->listen([this, &sink](const query::InventoryChange& change) {
          if (change.list_changed) sink.resources_changed();
          if (change.list_changed && has_dimensions())
            sink.tools_changed();  // Arguments list the values of dimensions.
          for (const query::DatasetPtr& dataset : change.updated) {
            if (!dataset->collection().has_own_resources()) continue;  // Another provider notifies of them.
            for (const std::string_view part : kDatasetParts) sink.resource_updated(dataset->uri(part));
          }
        });
  }

  std::vector<protocol::Tool> list_tools(const catalog::ListQuery& query) override {
    std::vector<protocol::Tool> out;
    for (ToolDefinition& definition : offered()) {
      if (dataset_tools_.services().handles_only && definition.tool.name != kPageTool) continue;
      if (definition.tool.name == "get_schema" && dataset_tools_.services().data_type_schema)
        take_data_types(definition.tool);
      if (definition.tool.name > query.after && out.size() < query.limit)
        out.push_back(std::move(definition.tool));
    }
    return out;
  }

  Result<protocol::ToolResult> call(const std::string& tool, const json::Object& arguments,
                                    catalog::Context& context) override {
    const ToolFunction function = function_of(tool);
    if (function == nullptr || (dataset_tools_.services().handles_only && tool != kPageTool))
      return not_found("no such tool: " + tool);
    if (tool == "get_schema" && dataset_tools_.services().data_type_schema && arguments.contains("data_type"))
      return dataset_tools_.services().data_type_schema(arguments, context);
    const Monotonic begin = system_clock().now();
    const query::Inventory seen = dataset_tools_.inventory();
    Result<protocol::ToolResult> result = function(dataset_tools_, arguments, context);
    if (!result.ok() && result.error().kind == ErrorKind::kConflict) {
      // A file is newer than what is known of it. The watcher is about to tell; then the question is as good
      // as new.
      dataset_tools_.services().registry->wait_past(seen, kWatcherWait);
      result = function(dataset_tools_, arguments, context);
    }
    const auto time = std::chrono::duration_cast<std::chrono::microseconds>(system_clock().now() - begin);
    // A question that was answered has said so itself, with its plan and its estimate.
    if (!result.ok() || !is_question(tool)) {
      log::info("tool",
                {{"request", context.request_id()},
                 {"principal", context.principal().id},
                 {"tool", tool},
                 {"code", result.ok() ? std::string_view("ok") : std::string_view(result.error().code)},
                 {"time_us", time.count()}});
    }
    return result;
  }

  Result<std::vector<protocol::Resource>> list_resources(const catalog::ListQuery& query) override {
    return datasets::list_resources(dataset_tools_, query);
  }
  std::vector<protocol::ResourceTemplate> list_templates(const catalog::ListQuery& query) override {
    return datasets::list_templates(dataset_tools_, query);
  }
  Result<protocol::ReadResult> read(const ResourceUri& uri, catalog::Context& context) override {
    return read_resource(dataset_tools_, uri, context);
  }
  bool owns(const ResourceUri& uri) const override { return owns_resource(dataset_tools_, uri); }

  std::vector<protocol::Prompt> list_prompts(const catalog::ListQuery& query) override {
    // They are about the tools of the full profile.
    const bool has_prompts = !dataset_tools_.services().handles_only && profile() != ToolProfile::kLean;
    return has_prompts ? datasets::list_prompts(query) : std::vector<protocol::Prompt>();
  }
  Result<protocol::PromptResult> get_prompt(const std::string& name,
                                            const protocol::PromptArguments& arguments,
                                            catalog::Context&) override {
    return datasets::get_prompt(dataset_tools_, name, arguments);
  }
  Result<protocol::Completion> complete(const protocol::CompletionRequest& request,
                                        catalog::Context&) override {
    return datasets::complete(dataset_tools_, request);
  }

 private:
  // Pages of results that other sources keep are read by a tool of the full profile.
  ToolProfile profile() const {
    return dataset_tools_.services().handles_only ? ToolProfile::kFull : dataset_tools_.services().profile;
  }

  bool has_dimensions() const {
    const query::Inventory inventory = dataset_tools_.inventory_now();
    return std::any_of(inventory.collections().begin(), inventory.collections().end(),
                       [](const auto& collection) { return !collection->dimensions.empty(); });
  }

  // All tools, by name. Their arguments list the values of dimensions, so a small folder is scanned first; a
  // large one is not waited for, and the listing changes when it has been scanned.
  std::vector<ToolDefinition> offered() const {
    if (has_dimensions()) dataset_tools_.wait_for_scan(kScanWait);
    const query::Inventory inventory = dataset_tools_.inventory_now();
    std::vector<ToolDefinition> out;
    const auto add = [&](std::vector<ToolDefinition> more) {
      for (ToolDefinition& one : more) out.push_back(std::move(one));
    };
    if (profile() != ToolProfile::kFull) {
      add(lean::tool_definitions(dataset_tools_.services().arrow_ipc ? lean::ArrowFiles::kOffered
                                                                     : lean::ArrowFiles::kLeftOut));
    }
    if (profile() != ToolProfile::kLean) add(tool_definitions(inventory, dataset_tools_.services().limits));
    if (profile() == ToolProfile::kLean) out.push_back(plotting::short_definition());
    if (profile() == ToolProfile::kAll) out.push_back(plotting::full_definition());
    if (dataset_tools_.services().analysis_tools) add(analysis::tool_definitions(inventory));
    std::sort(out.begin(), out.end(),
              [](const ToolDefinition& a, const ToolDefinition& b) { return a.tool.name < b.tool.name; });
    return out;
  }

  ToolFunction function_of(const std::string& tool) const {
    using Functions = std::map<std::string, ToolFunction, std::less<>>;
    const auto by_name = [](const std::vector<ToolDefinition>& definitions) {
      Functions out;
      for (const ToolDefinition& one : definitions) out.emplace(one.tool.name, one.function);
      return out;
    };
    static const Functions full = by_name(tool_definitions(query::Inventory(), Limits()));
    static const Functions lean = by_name(lean::tool_definitions(lean::ArrowFiles::kOffered));
    if (profile() != ToolProfile::kLean) {
      if (const auto function = full.find(tool); function != full.end()) return function->second;
    }
    if (profile() != ToolProfile::kFull) {
      if (const auto function = lean.find(tool); function != lean.end()) return function->second;
      if (tool == "plot") return plotting::draw_plot;
    }
    return dataset_tools_.services().analysis_tools ? analysis::tool_function(tool) : nullptr;
  }

  const std::shared_ptr<const DatasetTools> shared_;  // With the provider of the defined tools.
  const DatasetTools& dataset_tools_;
  std::uint64_t listening_ = 0;
};

}  // namespace

std::shared_ptr<catalog::Provider> make_datasets_provider(Services services) {
  return std::make_shared<DatasetsProvider>(std::make_shared<const DatasetTools>(std::move(services)));
}

Result<DatasetProviders> make_datasets_providers(Services services, std::vector<DefinedTool> tools) {
  auto dataset_tools = std::make_shared<const DatasetTools>(std::move(services));
  DatasetProviders out;
  SLUICE_CHECK(lean::check_defined_tools(*dataset_tools, tools));
  if (!tools.empty()) out.defined = lean::make_defined_tools(dataset_tools, std::move(tools));
  out.datasets = std::make_shared<DatasetsProvider>(std::move(dataset_tools));
  return out;
}

}  // namespace sluice::datasets
