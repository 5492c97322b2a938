#include "sluice/records_provider/records_provider.h"

#include <map>
#include <set>
#include <utility>

#include "sluice/base/mutex.h"
#include "sluice/catalog/call_timer.h"
#include "sluice/json/reader.h"
#include "sluice/records/name.h"

#include "definitions.h"
#include "files.h"
#include "prompts.h"
#include "resources.h"

namespace sluice::records_provider {

namespace {

// Passes what the store tells on to the clients, as the resources that it concerns.
class Listener {
 public:
  Listener(const records::Store& store, catalog::ChangeSink& sink) : store_(store), sink_(sink) {
    if (const Result<std::vector<std::string>> names = store.data_types(); names.ok())
      known_.insert(names->begin(), names->end());
    if (const Result<std::vector<std::string>> files = list_files(store, Files::kListed); files.ok())
      files_.insert(files->begin(), files->end());
  }

  void changed(const records::StoreChange& change) {
    const MutexLock lock(mutex_);
    if (!change.data_type.empty()) return data_type_changed(change.data_type);
    if (!change.file.empty()) return file_changed(change.file);
    const Result<std::vector<std::string>> found = list_files(store_, Files::kListed);
    if (!found.ok()) return;
    std::set<std::string> files(found->begin(), found->end());
    if (std::exchange(files_, files) != files) sink_.resources_changed();
  }

 private:
  // Within a commit, so it looks at no more than the one data type.
  void data_type_changed(const std::string& data_type) SLUICE_REQUIRES(mutex_) {
    const std::string path = records::file_path(data_type);
    const bool is_there = records::check_data_type(data_type).ok() && store_.root().stat(path).ok();
    const bool is_new = is_there && known_.insert(data_type).second;
    const bool is_gone = !is_there && known_.erase(data_type) > 0;
    if (!is_there && !is_gone) return;  // A folder without records.
    is_there ? (void)files_.insert(path) : (void)files_.erase(path);
    if (is_new || is_gone) sink_.resources_changed();
    sink_.resource_updated(std::string(kDataTypesUri));
    sink_.resource_updated(collection_uri(data_type));
    sink_.resource_updated(schema_uri(data_type));  // It has the number of records.
    sink_.resource_updated(file_uri(path));
  }

  void file_changed(const std::string& path) SLUICE_REQUIRES(mutex_) {
    const bool is_there = store_.root().stat(path).ok();
    const bool is_other = is_there ? files_.insert(path).second : files_.erase(path) > 0;
    if (is_other) sink_.resources_changed();
    sink_.resource_updated(file_uri(path));
  }

  const records::Store& store_;
  Mutex mutex_;
  catalog::ChangeSink& sink_;
  std::set<std::string> known_ SLUICE_GUARDED_BY(mutex_);  // Data types that are listed,
  std::set<std::string> files_ SLUICE_GUARDED_BY(mutex_);  // and files.
};

// Errors that belong to the protocol, not to the tool; the server makes them.
bool is_protocol_error(ErrorKind kind) {
  return kind == ErrorKind::kInputRequired || kind == ErrorKind::kCancelled ||
         kind == ErrorKind::kUnauthenticated || kind == ErrorKind::kInternal ||
         kind == ErrorKind::kMissingCapability;
}

// An error as clients of this layout know it: what other tools have as `diagnostics` also stands beside
// `error`, and a change that was not made has `success: false` and the filters that matched nothing.
protocol::ToolResult error_result(const Error& error, const json::Object& arguments, bool is_change) {
  json::Object body;
  if (is_change) body.set("success", false);
  body.set("error", error.message);
  body.set("code", error.code);
  if (!error.hint.empty()) body.set("hint", error.hint);
  const json::Value* filters = arguments.find("filters");
  if (error.code == "no_match" && filters != nullptr) body.set("filters", *filters);
  if (!error.data.empty()) {
    if (const Result<json::Value> data = json::read(error.data); data.ok()) {
      if (const json::Value* columns = data->find("available_columns"))
        body.set("available_columns", *columns);
      body.set("diagnostics", *data);
    }
  }
  protocol::ToolResult result = protocol::text_result(json::to_text(body));
  result.is_error = true;
  return result;
}

class RecordsProvider final : public catalog::Provider,
                              public catalog::ToolProvider,
                              public catalog::ResourceProvider,
                              public catalog::PromptProvider,
                              public catalog::CompletionProvider {
 public:
  explicit RecordsProvider(Services services)
      : Provider({.name = "records", .resource_page_items = kListedPageItems}), record_tools_(services) {
    for (ToolDefinition& one : tool_definitions({.is_writable = record_tools_.store().is_writable(),
                               .has_exchange = record_tools_.store().exchange() != nullptr})) {
      functions_.emplace(one.tool.name, one.function);
      if (one.tool.annotations && !one.tool.annotations->read_only.value_or(true))
        changing_.insert(one.tool.name);
      if (one.tool.name != "get_schema" || services.offers_get_schema) tools_.push_back(std::move(one.tool));
    }
  }

  ~RecordsProvider() override { record_tools_.store().unlisten(listening_); }

  catalog::ToolProvider* tools() override { return this; }
  catalog::ResourceProvider* resources() override { return this; }
  catalog::PromptProvider* prompts() override { return this; }
  catalog::CompletionProvider* completions() override { return this; }

  void attach(catalog::ChangeSink& sink) override {
    // The store's copies of the function share it.
    auto listener = std::make_shared<Listener>(record_tools_.store(), sink);
    listening_ = record_tools_.store().listen(
        [listener](const records::StoreChange& change) { listener->changed(change); });
  }

  std::vector<protocol::Tool> list_tools(const catalog::ListQuery& query) override {
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
    const catalog::CallTimer timer(system_clock());
    Result<protocol::ToolResult> result = function->second(record_tools_, arguments, context);
    timer.log(tool, context, result);
    if (!result.ok() && !is_protocol_error(result.error().kind))
      return error_result(result.error(), arguments, changing_.contains(tool));
    return result;
  }

  Result<std::vector<protocol::Resource>> list_resources(const catalog::ListQuery& query) override {
    return records_provider::list_resources(record_tools_, query);
  }
  std::vector<protocol::ResourceTemplate> list_templates(const catalog::ListQuery& query) override {
    return records_provider::list_templates(query);
  }
  Result<protocol::ReadResult> read(const ResourceUri& uri, catalog::Context& context) override {
    return read_resource(record_tools_, uri, context);
  }
  bool owns(const ResourceUri& uri) const override { return owns_resource(uri); }

  std::vector<protocol::Prompt> list_prompts(const catalog::ListQuery& query) override {
    return records_provider::list_prompts(query);
  }
  Result<protocol::PromptResult> get_prompt(const std::string& name,
                                            const protocol::PromptArguments& arguments,
                                            catalog::Context&) override {
    return records_provider::get_prompt(record_tools_, name, arguments);
  }
  Result<protocol::Completion> complete(const protocol::CompletionRequest& request,
                                        catalog::Context&) override {
    return records_provider::complete(record_tools_, request);
  }

 private:
  const RecordTools record_tools_;
  std::vector<protocol::Tool> tools_;  // By name.
  std::map<std::string, ToolFunction, std::less<>> functions_;
  std::set<std::string, std::less<>> changing_;  // Tools that change records.
  std::uint64_t listening_ = 0;
};

}  // namespace

std::shared_ptr<catalog::Provider> make_records_provider(Services services) {
  return std::make_shared<RecordsProvider>(services);
}

}  // namespace sluice::records_provider
