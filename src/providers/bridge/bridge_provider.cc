#include "sluice/bridge/bridge_provider.h"

#include <algorithm>
#include <set>
#include <utility>

#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/json/schema.h"
#include "sluice/protocol/wire/header_parameters.h"

namespace sluice::bridge {
namespace {

const std::string& key_of(const protocol::Tool& tool) { return tool.name; }
const std::string& key_of(const protocol::Resource& resource) { return resource.uri; }
const std::string& key_of(const protocol::ResourceTemplate& item) { return item.uri_template; }
const std::string& key_of(const protocol::Prompt& prompt) { return prompt.name; }

// The part of a list that is wanted, in order, each key once.
template <typename Item>
std::vector<Item> part_of(std::vector<Item> items, const catalog::ListQuery& query) {
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return key_of(a) < key_of(b); });
  std::vector<Item> part;
  for (Item& item : items) {
    if (part.size() >= query.limit) break;
    const bool is_new = part.empty() || key_of(part.back()) != key_of(item);
    if (key_of(item) > query.after && is_new) part.push_back(std::move(item));
  }
  return part;
}

template <typename Item>
std::vector<Item> or_nothing(Result<std::vector<Item>> items, std::string_view what) {
  if (items) return *std::move(items);
  log::warning("bridge.list_failed", {{"list", what}, {"reason", items.error().message}});
  return {};
}

bool is_tool_name(std::string_view name) {
  return !name.empty() && name.size() <= 128 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-' || c == '.';
  });
}

// A tool that the catalog takes. One with a schema that cannot be checked here is checked where it runs.
bool make_acceptable(protocol::Tool& tool) {
  if (!is_tool_name(tool.name)) {
    log::warning("bridge.tool_left_out", {{"tool", excerpt(tool.name)}});
    return false;
  }
  const json::Value* type = tool.input_schema.find("type");
  const bool is_object = type != nullptr && type->if_string() != nullptr && *type->if_string() == "object";
  const bool is_usable = is_object && json::Schema::compile(tool.input_schema).ok() &&
                         protocol::find_header_parameters(tool.input_schema).ok();
  if (!is_usable) tool.input_schema = json::Object{{"type", "object"}};
  if (tool.output_schema && !json::Schema::compile(*tool.output_schema).ok()) tool.output_schema.reset();
  // A task of the other server is waited for there, so here it is a call like any other.
  tool.task_support = protocol::TaskSupport::kForbidden;
  return true;
}

}  // namespace

Result<std::shared_ptr<BridgeProvider>> BridgeProvider::create(client::Target target,
                                                               client::ClientOptions options) {
  std::shared_ptr<BridgeProvider> bridge(new BridgeProvider());
  BridgeProvider* const self = bridge.get();  // Outlives its client.
  // Whoever is in front may be able to answer; if not, that is said when it is asked.
  options.capabilities = {
      .elicit_form = true, .elicit_url = true, .sample = true, .roots = true, .extensions = {}};
  options.ask = [](const protocol::Question&, std::stop_token) -> Result<protocol::Answer> {
    return make_error(ErrorKind::kMissingCapability, "the server asks without being called");
  };
  options.log_level = protocol::LogLevel::kDebug;
  options.on_list_changed = [self](client::ListKind kind) {
    self->told([kind](catalog::ChangeSink& sink) {
      if (kind == client::ListKind::kTools) return sink.tools_changed();
      if (kind == client::ListKind::kPrompts) return sink.prompts_changed();
      sink.resources_changed();
    });
  };
  options.on_resource_updated = [self](const std::string& uri) {
    self->told([&](catalog::ChangeSink& sink) { sink.resource_updated(uri); });
  };
  SLUICE_TRY(bridge->client_, client::Client::create(std::move(target), std::move(options)));
  SLUICE_TRY(bridge->info_, bridge->client_->connect());
  return bridge;
}

void BridgeProvider::close() {
  attach_nobody();
  client_->close();
}

void BridgeProvider::attach_nobody() {
  const MutexLock lock(mutex_);
  sink_ = nullptr;
}

void BridgeProvider::told(const std::function<void(catalog::ChangeSink&)>& tell) {
  catalog::ChangeSink* sink = nullptr;
  {
    const MutexLock lock(mutex_);
    sink = sink_;
  }
  if (sink != nullptr) tell(*sink);
}

catalog::ToolProvider* BridgeProvider::tools() { return info_.has("tools") ? this : nullptr; }
catalog::ResourceProvider* BridgeProvider::resources() { return info_.has("resources") ? this : nullptr; }
catalog::PromptProvider* BridgeProvider::prompts() { return info_.has("prompts") ? this : nullptr; }
catalog::CompletionProvider* BridgeProvider::completions() {
  return info_.has("completions") ? this : nullptr;
}

void BridgeProvider::attach(catalog::ChangeSink& sink) {
  const MutexLock lock(mutex_);
  sink_ = &sink;
}

std::vector<protocol::Tool> BridgeProvider::list_tools(const catalog::ListQuery& query) {
  std::vector<protocol::Tool> all = or_nothing(client_->list_tools(), "tools");
  all.erase(
      std::remove_if(all.begin(), all.end(), [](protocol::Tool& tool) { return !make_acceptable(tool); }),
      all.end());
  return part_of(std::move(all), query);
}

Result<std::vector<protocol::Resource>> BridgeProvider::list_resources(const catalog::ListQuery& query) {
  SLUICE_TRY(std::vector<protocol::Resource> all, client_->list_resources());
  return part_of(std::move(all), query);
}

std::vector<protocol::ResourceTemplate> BridgeProvider::list_templates(const catalog::ListQuery& query) {
  return part_of(or_nothing(client_->list_templates(), "templates"), query);
}

std::vector<protocol::Prompt> BridgeProvider::list_prompts(const catalog::ListQuery& query) {
  return part_of(or_nothing(client_->list_prompts(), "prompts"), query);
}

client::CallOptions BridgeProvider::options_for(catalog::Context& context) const {
  client::CallOptions options;
  options.stop = context.stop();
  options.timeout = std::chrono::ceil<std::chrono::milliseconds>(context.deadline() - system_clock().now());
  options.meta = context.meta();
  options.on_progress = [&context](const protocol::Progress& progress) { context.progress(progress); };
  options.on_log = [&context](const client::LogMessage& message) {
    context.log(message.level, message.logger, message.data);
  };
  options.ask = [&context](const protocol::Question& question, std::stop_token) -> Result<protocol::Answer> {
    if (!context.can_ask(question.body))
      return make_error(ErrorKind::kMissingCapability,
                        "the client cannot be asked what the server wants to know");
    SLUICE_TRY(catalog::Answers answers, context.ask({question}));
    const auto found = answers.find(question.key);
    if (found == answers.end()) return internal_error("a question was answered without its answer");
    return std::move(found->second);
  };
  return options;
}

Result<protocol::ToolResult> BridgeProvider::call(const std::string& tool, const json::Object& arguments,
                                                  catalog::Context& context) {
  return client_->call_tool(tool, arguments, options_for(context));
}

Result<protocol::ReadResult> BridgeProvider::read(const ResourceUri& uri, catalog::Context& context) {
  return client_->read_resource(uri.text(), options_for(context));
}

Result<protocol::PromptResult> BridgeProvider::get_prompt(const std::string& name,
                                                          const protocol::PromptArguments& arguments,
                                                          catalog::Context& context) {
  return client_->get_prompt(name, arguments, options_for(context));
}

Result<protocol::Completion> BridgeProvider::complete(const protocol::CompletionRequest& request,
                                                      catalog::Context& context) {
  return client_->complete(request, options_for(context));
}

bool BridgeProvider::owns(const ResourceUri& /*uri*/) const { return info_.has("resources"); }

void BridgeProvider::watch(const ResourceUri& uri) {
  if (const Status done = client_->subscribe(uri.text()); !done.ok())
    log::warning("bridge.not_subscribed", {{"reason", done.error().message}});
}

void BridgeProvider::unwatch(const ResourceUri& uri) {
  if (const Status done = client_->unsubscribe(uri.text()); !done.ok())
    log::debug("bridge.not_unsubscribed", {{"reason", done.error().message}});
}

}  // namespace sluice::bridge
