#include "sluice/catalog/registry.h"

#include <utility>

#include <fmt/format.h>

#include "sluice/base/mutex.h"
#include "sluice/base/text.h"

namespace sluice::catalog {
namespace {

template <typename Map>
auto definitions_after(const Map& entries, const ListQuery& query) {
  std::vector<std::decay_t<decltype(entries.begin()->second.definition)>> found;
  for (auto at = entries.upper_bound(query.after); at != entries.end() && found.size() < query.limit; ++at) {
    found.push_back(at->second.definition);
  }
  return found;
}

Status check_required(const protocol::Prompt& prompt, const protocol::PromptArguments& arguments) {
  for (const protocol::PromptArgument& argument : prompt.arguments) {
    if (argument.required && !arguments.contains(argument.name)) {
      return invalid_input(fmt::format("params.arguments.{}: required, but missing", argument.name))
          .with_code("missing_argument");
    }
  }
  return {};
}

}  // namespace

void Registry::changed(void (ChangeSink::*what)()) {
  ChangeSink* sink = nullptr;
  {
    const ReaderLock lock(mutex_);
    sink = sink_;
  }
  if (sink != nullptr) (sink->*what)();
}

void Registry::add_tool(protocol::Tool tool, ToolHandler handler, RunsOn runs_on) {
  {
    const WriterLock lock(mutex_);
    ever_.tools = true;
    std::string name = tool.name;
    tools_.insert_or_assign(std::move(name),
                            Entry<protocol::Tool, ToolHandler>{std::move(tool), std::move(handler), runs_on});
  }
  changed(&ChangeSink::tools_changed);
}

void Registry::add_resource(protocol::Resource resource, ReadHandler handler, RunsOn runs_on) {
  {
    const WriterLock lock(mutex_);
    ever_.resources = true;
    std::string uri = resource.uri;
    resources_.insert_or_assign(std::move(uri), Entry<protocol::Resource, ReadHandler>{
                                                    std::move(resource), std::move(handler), runs_on});
  }
  changed(&ChangeSink::resources_changed);
}

Status Registry::add_template(protocol::ResourceTemplate resource_template, TemplateHandler handler) {
  SLUICE_TRY(UriTemplate parsed, UriTemplate::parse(resource_template.uri_template));
  {
    const WriterLock lock(mutex_);
    ever_.resources = true;
    std::string text = resource_template.uri_template;
    templates_.insert_or_assign(
        std::move(text), TemplateEntry{std::move(resource_template), std::move(parsed), std::move(handler)});
  }
  changed(&ChangeSink::resources_changed);
  return {};
}

void Registry::add_prompt(protocol::Prompt prompt, PromptHandler handler) {
  {
    const WriterLock lock(mutex_);
    ever_.prompts = true;
    std::string name = prompt.name;
    prompts_.insert_or_assign(std::move(name),
                              Entry<protocol::Prompt, PromptHandler>{std::move(prompt), std::move(handler)});
  }
  changed(&ChangeSink::prompts_changed);
}

void Registry::add_completion(std::string prompt_or_template, CompleteHandler handler) {
  add_completion(std::move(prompt_or_template),
                 [handler = std::move(handler)](const protocol::CompletionRequest& request,
                                                Context& /*context*/) { return handler(request); });
}

void Registry::add_completion(std::string prompt_or_template, CompleteInContextHandler handler) {
  const WriterLock lock(mutex_);
  ever_.completions = true;
  completions_.insert_or_assign(std::move(prompt_or_template), std::move(handler));
}

void Registry::on_watch(WatchHandler handler) {
  const WriterLock lock(mutex_);
  watch_handler_ = std::move(handler);
}

void Registry::on_can_watch(WatchCheck check) {
  const WriterLock lock(mutex_);
  watch_check_ = std::move(check);
}

bool Registry::remove_tool(std::string_view name) {
  {
    const WriterLock lock(mutex_);
    const auto at = tools_.find(name);
    if (at == tools_.end()) return false;
    tools_.erase(at);
  }
  changed(&ChangeSink::tools_changed);
  return true;
}

bool Registry::remove_resource(std::string_view uri) {
  {
    const WriterLock lock(mutex_);
    const auto at = resources_.find(uri);
    if (at == resources_.end()) return false;
    resources_.erase(at);
  }
  changed(&ChangeSink::resources_changed);
  return true;
}

bool Registry::remove_prompt(std::string_view name) {
  {
    const WriterLock lock(mutex_);
    const auto at = prompts_.find(name);
    if (at == prompts_.end()) return false;
    prompts_.erase(at);
  }
  changed(&ChangeSink::prompts_changed);
  return true;
}

void Registry::resource_changed(const std::string& uri) {
  ChangeSink* sink = nullptr;
  {
    const ReaderLock lock(mutex_);
    sink = sink_;
  }
  if (sink != nullptr) sink->resource_updated(uri);
}

ToolProvider* Registry::tools() {
  const ReaderLock lock(mutex_);
  return ever_.tools ? this : nullptr;
}

ResourceProvider* Registry::resources() {
  const ReaderLock lock(mutex_);
  return ever_.resources ? this : nullptr;
}

PromptProvider* Registry::prompts() {
  const ReaderLock lock(mutex_);
  return ever_.prompts ? this : nullptr;
}

CompletionProvider* Registry::completions() {
  const ReaderLock lock(mutex_);
  return ever_.completions ? this : nullptr;
}

void Registry::attach(ChangeSink& sink) {
  const WriterLock lock(mutex_);
  sink_ = &sink;
}

std::vector<protocol::Tool> Registry::list_tools(const ListQuery& query) {
  const ReaderLock lock(mutex_);
  return definitions_after(tools_, query);
}

Result<std::vector<protocol::Resource>> Registry::list_resources(const ListQuery& query) {
  const ReaderLock lock(mutex_);
  return definitions_after(resources_, query);
}

std::vector<protocol::ResourceTemplate> Registry::list_templates(const ListQuery& query) {
  const ReaderLock lock(mutex_);
  return definitions_after(templates_, query);
}

std::vector<protocol::Prompt> Registry::list_prompts(const ListQuery& query) {
  const ReaderLock lock(mutex_);
  return definitions_after(prompts_, query);
}

Result<protocol::ToolResult> Registry::call(const std::string& tool, const json::Object& arguments,
                                            Context& context) {
  ToolHandler handler;
  {
    const ReaderLock lock(mutex_);
    if (const auto at = tools_.find(tool); at != tools_.end()) handler = at->second.handler;
  }
  if (!handler) return unknown_tool(tool);
  return handler(arguments, context);
}

Result<protocol::ReadResult> Registry::read(const ResourceUri& uri, Context& context) {
  ReadHandler direct;
  TemplateHandler templated;
  TemplateValues values;
  {
    const ReaderLock lock(mutex_);
    if (const auto at = resources_.find(uri.text()); at != resources_.end()) {
      direct = at->second.handler;
    } else {
      for (const auto& [text, entry] : templates_) {
        std::optional<TemplateValues> matched = entry.parsed.match(uri.text());
        if (!matched) continue;
        templated = entry.handler;
        values = *std::move(matched);
        break;
      }
    }
  }
  if (direct) return direct(uri, context);
  if (templated) return templated(uri, values, context);
  return protocol::resource_not_found(uri.text());
}

Result<protocol::PromptResult> Registry::get_prompt(const std::string& name,
                                                    const protocol::PromptArguments& arguments,
                                                    Context& context) {
  PromptHandler handler;
  {
    const ReaderLock lock(mutex_);
    if (const auto at = prompts_.find(name); at != prompts_.end()) {
      SLUICE_CHECK(check_required(at->second.definition, arguments));
      handler = at->second.handler;
    }
  }
  if (!handler) return unknown_prompt(name);
  return handler(arguments, context);
}

Result<protocol::Completion> Registry::complete(const protocol::CompletionRequest& request,
                                                Context& context) {
  CompleteInContextHandler handler;
  {
    const ReaderLock lock(mutex_);
    const auto* prompt = std::get_if<protocol::PromptReference>(&request.reference);
    const std::string& key = prompt != nullptr
                                 ? prompt->name
                                 : std::get<protocol::TemplateReference>(request.reference).uri_template;
    if (const auto at = completions_.find(key); at != completions_.end()) handler = at->second;
  }
  if (!handler) return protocol::Completion{};
  return handler(request, context);
}

RunsOn Registry::tool_runs_on(std::string_view tool) const {
  const ReaderLock lock(mutex_);
  const auto at = tools_.find(tool);
  return at == tools_.end() ? RunsOn::kWorker : at->second.runs_on;
}

RunsOn Registry::read_runs_on(const ResourceUri& uri) const {
  const ReaderLock lock(mutex_);
  const auto at = resources_.find(uri.text());
  return at == resources_.end() ? RunsOn::kWorker : at->second.runs_on;
}

bool Registry::owns(const ResourceUri& uri) const {
  const ReaderLock lock(mutex_);
  if (resources_.contains(uri.text())) return true;
  for (const auto& [text, entry] : templates_) {
    if (entry.parsed.match(uri.text())) return true;
  }
  return false;
}

void Registry::tell_watch(const ResourceUri& uri, bool watched) {
  WatchHandler handler;
  {
    const ReaderLock lock(mutex_);
    handler = watch_handler_;
  }
  if (handler) handler(uri, watched);
}

void Registry::watch(const ResourceUri& uri) { tell_watch(uri, true); }
void Registry::unwatch(const ResourceUri& uri) { tell_watch(uri, false); }

Status Registry::can_watch(const ResourceUri& uri) const {
  WatchCheck check;
  {
    const ReaderLock lock(mutex_);
    check = watch_check_;
  }
  return check ? check(uri) : Status();
}

}  // namespace sluice::catalog
