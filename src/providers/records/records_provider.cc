#include "sluice/records_provider/records_provider.h"

#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "sluice/base/log.h"
#include "sluice/records/name.h"

#include "definitions.h"
#include "prompts.h"
#include "resources.h"

namespace sluice::records_provider {

namespace {

// What the store tells goes to the clients as the resources that it concerns.
class Listener {
 public:
  Listener(const records::Store& store, catalog::ChangeSink& sink) : store_(store), sink_(sink) {
    if (const Result<std::vector<std::string>> names = store.data_types(); names.ok())
      known_.insert(names->begin(), names->end());
  }

  // Within a commit, so it looks at no more than the one data type.
  void changed(const std::string& data_type) {
    const std::string path = records::file_path(data_type);
    const bool is_there = records::check_data_type(data_type).ok() && store_.root().stat(path).ok();
    const std::lock_guard lock(mutex_);
    const bool is_new = is_there && known_.insert(data_type).second;
    const bool is_gone = !is_there && known_.erase(data_type) > 0;
    if (is_new || is_gone) sink_.resources_changed();
    sink_.resource_updated(std::string(kDataTypesUri));
    sink_.resource_updated(collection_uri(data_type));
    sink_.resource_updated(schema_uri(data_type));
    sink_.resource_updated(file_uri(path));
  }

 private:
  const records::Store& store_;
  std::mutex mutex_;
  catalog::ChangeSink& sink_;
  std::set<std::string> known_;  // Data types that are listed.
};

class RecordsProvider final : public catalog::Provider {
 public:
  explicit RecordsProvider(Services services) : desk_(services) {
    for (ToolDefinition& one : tool_definitions(desk_.store().is_writable())) {
      functions_.emplace(one.tool.name, one.function);
      if (one.tool.name != "get_schema" || services.offers_get_schema) tools_.push_back(std::move(one.tool));
    }
  }

  ~RecordsProvider() override { desk_.store().unlisten(listening_); }

  std::string_view name() const override { return "records"; }
  catalog::Kinds kinds() const override {
    return {.tools = true, .resources = true, .prompts = true, .completions = true};
  }

  void attach(catalog::ChangeSink& sink) override {
    // The store's copies of the function share it.
    auto listener = std::make_shared<Listener>(desk_.store(), sink);
    listening_ =
        desk_.store().listen([listener](const std::string& data_type) { listener->changed(data_type); });
  }

  std::vector<protocol::Tool> tools(const catalog::ListQuery& query) override {
    std::vector<protocol::Tool> out;
    for (const protocol::Tool& tool : tools_) {
      if (tool.name > query.after && out.size() < query.limit) out.push_back(tool);
    }
    return out;
  }

  Result<protocol::ToolResult> call(const std::string& tool, const json::Object& arguments,
                                    catalog::Context& context) override {
    const auto function = functions_.find(tool);
    if (function == functions_.end()) return not_found("no such tool: " + tool);
    const Monotonic begin = system_clock().now();
    Result<protocol::ToolResult> result = function->second(desk_, arguments, context);
    const auto time = std::chrono::duration_cast<std::chrono::microseconds>(system_clock().now() - begin);
    log::info("tool", {{"request", context.request_id()},
                       {"principal", context.principal().id},
                       {"tool", tool},
                       {"code", result.ok() ? std::string_view("ok") : std::string_view(result.error().code)},
                       {"time_us", time.count()}});
    return result;
  }

  Result<std::vector<protocol::Resource>> resources(const catalog::ListQuery& query) override {
    return list_resources(desk_, query);
  }
  std::vector<protocol::ResourceTemplate> templates(const catalog::ListQuery& query) override {
    return list_templates(query);
  }
  Result<protocol::ReadResult> read(const ResourceUri& uri, catalog::Context& context) override {
    return read_resource(desk_, uri, context);
  }
  bool owns(const ResourceUri& uri) const override { return owns_resource(uri); }

  std::vector<protocol::Prompt> prompts(const catalog::ListQuery& query) override {
    return list_prompts(query);
  }
  Result<protocol::PromptResult> prompt(const std::string& name, const protocol::PromptArguments& arguments,
                                        catalog::Context&) override {
    return get_prompt(desk_, name, arguments);
  }
  Result<protocol::Completion> complete(const protocol::CompletionRequest& request,
                                        catalog::Context&) override {
    return records_provider::complete(desk_, request);
  }

 private:
  const Desk desk_;
  std::vector<protocol::Tool> tools_;  // By name.
  std::map<std::string, ToolFunction, std::less<>> functions_;
  std::uint64_t listening_ = 0;
};

}  // namespace

std::shared_ptr<catalog::Provider> make_records_provider(Services services) {
  return std::make_shared<RecordsProvider>(services);
}

}  // namespace sluice::records_provider
