#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/base/uri_template.h"
#include "sluice/catalog/provider.h"

namespace sluice::catalog {

// A provider made of handlers: the quick way to offer tools, resources and prompts from C++. Things may be
// added and removed while the server runs; clients are told. Any thread. A handler may be called from many
// threads at once.
class Registry final : public Provider,
                       public ToolProvider,
                       public ResourceProvider,
                       public PromptProvider,
                       public CompletionProvider {
 public:
  using ToolHandler =
      std::function<Result<protocol::ToolResult>(const json::Object& arguments, Context& context)>;
  using ReadHandler = std::function<Result<protocol::ReadResult>(const ResourceUri& uri, Context& context)>;
  using TemplateHandler = std::function<Result<protocol::ReadResult>(
      const ResourceUri& uri, const TemplateValues& values, Context& context)>;
  using PromptHandler = std::function<Result<protocol::PromptResult>(
      const protocol::PromptArguments& arguments, Context& context)>;
  using CompleteHandler =
      std::function<Result<protocol::Completion>(const protocol::CompletionRequest& request)>;
  // The same, for one that asks others and so may need their time.
  using CompleteInContextHandler = std::function<Result<protocol::Completion>(
      const protocol::CompletionRequest& request, Context& context)>;
  using WatchHandler = std::function<void(const ResourceUri& uri, bool watched)>;
  using WatchCheck = std::function<Status(const ResourceUri& uri)>;

  explicit Registry(std::string name) : Provider({.name = std::move(name)}) {}

  void add_tool(protocol::Tool tool, ToolHandler handler, RunsOn runs_on = RunsOn::kWorker);
  void add_resource(protocol::Resource resource, ReadHandler handler, RunsOn runs_on = RunsOn::kWorker);
  Status add_template(protocol::ResourceTemplate resource_template, TemplateHandler handler);
  void add_prompt(protocol::Prompt prompt, PromptHandler handler);
  // For the arguments of a prompt (by its name) or the variables of a template (by its text).
  void add_completion(std::string prompt_or_template, CompleteHandler handler);
  void add_completion(std::string prompt_or_template, CompleteInContextHandler handler);
  void on_watch(WatchHandler handler);
  void on_can_watch(
      WatchCheck check);  // See ResourceProvider::can_watch. Without it everything can be watched.

  bool remove_tool(std::string_view name);
  bool remove_resource(std::string_view uri);
  bool remove_prompt(std::string_view name);

  void resource_changed(const std::string& uri);  // Tells subscribers.

  // Each is null until the first of its kind is added.
  ToolProvider* tools() override;
  ResourceProvider* resources() override;
  PromptProvider* prompts() override;
  CompletionProvider* completions() override;
  void attach(ChangeSink& sink) override;
  std::vector<protocol::Tool> list_tools(const ListQuery& query) override;
  Result<std::vector<protocol::Resource>> list_resources(const ListQuery& query) override;
  std::vector<protocol::ResourceTemplate> list_templates(const ListQuery& query) override;
  std::vector<protocol::Prompt> list_prompts(const ListQuery& query) override;
  Result<protocol::ToolResult> call(const std::string& tool, const json::Object& arguments,
                                    Context& context) override;
  Result<protocol::ReadResult> read(const ResourceUri& uri, Context& context) override;
  Result<protocol::PromptResult> get_prompt(const std::string& name,
                                            const protocol::PromptArguments& arguments,
                                            Context& context) override;
  Result<protocol::Completion> complete(const protocol::CompletionRequest& request,
                                        Context& context) override;
  RunsOn tool_runs_on(std::string_view tool) const override;
  RunsOn read_runs_on(const ResourceUri& uri) const override;
  bool owns(const ResourceUri& uri) const override;
  void watch(const ResourceUri& uri) override;
  void unwatch(const ResourceUri& uri) override;
  Status can_watch(const ResourceUri& uri) const override;

 private:
  template <typename Definition, typename Handler>
  struct Entry {
    Definition definition;
    Handler handler;
    RunsOn runs_on = RunsOn::kWorker;
  };
  struct Kinds {
    bool tools = false;
    bool resources = false;
    bool prompts = false;
    bool completions = false;
  };
  struct TemplateEntry {
    protocol::ResourceTemplate definition;
    UriTemplate parsed;
    TemplateHandler handler;
  };
  template <typename T>
  using ByName = std::map<std::string, T, std::less<>>;

  void changed(void (ChangeSink::*what)());
  void tell_watch(const ResourceUri& uri, bool watched);

  mutable SharedMutex mutex_;
  ByName<Entry<protocol::Tool, ToolHandler>> tools_ SLUICE_GUARDED_BY(mutex_);
  ByName<Entry<protocol::Resource, ReadHandler>> resources_ SLUICE_GUARDED_BY(mutex_);
  ByName<TemplateEntry> templates_ SLUICE_GUARDED_BY(mutex_);
  ByName<Entry<protocol::Prompt, PromptHandler>> prompts_ SLUICE_GUARDED_BY(mutex_);
  ByName<CompleteInContextHandler> completions_ SLUICE_GUARDED_BY(mutex_);
  // What has been added so far: a call may still use what was removed.
  Kinds ever_ SLUICE_GUARDED_BY(mutex_);
  WatchHandler watch_handler_ SLUICE_GUARDED_BY(mutex_);
  WatchCheck watch_check_ SLUICE_GUARDED_BY(mutex_);
  ChangeSink* sink_ SLUICE_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace sluice::catalog
