#include "sluice/gateway/tool_node.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/gateway/namespaced_uri.h"
#include "sluice/protocol/wire/decode.h"

#include "change_listeners.h"
#include "generated_tools.h"
#include "read_answer.h"
#include "result_shaper.h"
#include "text_part.h"
#include "upstream_calls.h"
#include "upstream_connection.h"
#include "upstream_resources.h"

namespace sluice::gateway {
namespace {

// What only reads is not asked about: it may be read for several callers at once.
CallOptions unasked(CallOptions options) {
  options.ask = {};
  return options;
}

}  // namespace

// Declared so that what uses others is destroyed first.
struct ToolNode::Parts {
  Parts(const NodeConfig& config, const NodeDependencies& dependencies)
      : resources(config, dependencies, listeners, [this] { connection.wake(); }),
        connection(config, dependencies, listeners, resources),
        calls(config, *dependencies.clock, connection) {}

  Result<UpstreamRead> fetch(const std::string& uri, const CallOptions& options);

  ChangeListeners listeners;
  UpstreamResources resources;
  UpstreamConnection connection;
  UpstreamCalls calls;
};

ToolNode::ToolNode(NodeConfig config, Dependencies dependencies)
    : config_(std::move(config)),
      dependencies_(std::move(dependencies)),
      parts_(std::make_unique<Parts>(config_, dependencies_)) {}

Result<std::shared_ptr<ToolNode>> ToolNode::create(NodeConfig config, const Connector& connector,
                                                   Dependencies dependencies) {
  if (config.name != namespace_of(config.name))
    return invalid_input("not a namespace: " + excerpt(config.name)).with_code("invalid_configuration");
  if (dependencies.artifacts == nullptr) dependencies.artifacts = std::make_shared<InMemoryArtifactStore>();
  std::shared_ptr<ToolNode> node(new ToolNode(std::move(config), std::move(dependencies)));
  SLUICE_CHECK(node->parts_->connection.open(connector));
  return node;
}

ToolNode::Connector connector_to(client::Target target, client::Eras eras) {
  return [target = std::move(target), eras](client::ClientOptions options) {
    options.eras = eras;
    return client::Client::create(target, std::move(options));
  };
}

ToolNode::~ToolNode() {
  parts_->connection.request_stop();
  parts_->calls.stop();
}

Status ToolNode::connect(const CallOptions& options) {
  const Status status = parts_->connection.connect(parts_->calls.client_call(options));
  if (!status.ok()) return parts_->calls.failure(status.error());
  return {};
}

void ToolNode::start() { parts_->connection.start(); }
void ToolNode::retry() { parts_->connection.retry(); }
bool ToolNode::is_attempted() const { return parts_->connection.is_attempted(); }
bool ToolNode::wait_first_attempt(Monotonic until, const std::stop_token& stop) const {
  return parts_->connection.wait_first_attempt(until, stop);
}
Status ToolNode::wait_until_known(const CallOptions& options) const {
  return parts_->calls.wait_until_known(options);
}
std::shared_ptr<const Discovery> ToolNode::discovery() const { return parts_->connection.discovery(); }
ResourceCache& ToolNode::cache() { return parts_->resources.cache(); }
void ToolNode::add_listener(std::weak_ptr<catalog::ChangeSink> listener) {
  parts_->listeners.add(std::move(listener));
}
void ToolNode::watch(const std::string& uri) { parts_->resources.watch(uri); }
void ToolNode::unwatch(const std::string& uri) { parts_->resources.unwatch(uri); }

Result<UpstreamRead> ToolNode::Parts::fetch(const std::string& uri, const CallOptions& options) {
  SLUICE_TRY(protocol::ReadResult result,
             calls.run<protocol::ReadResult>(UpstreamCalls::Access::kReads, unasked(options),
                                             [&](client::Client& client, const client::CallOptions& call) {
                                               return client.read_resource(uri, call);
                                             }));
  UpstreamRead read{.contents = std::move(result.contents), .hint = {}, .meta = std::move(result.meta)};
  // One that does not say for how long leaves it to `ttl_seconds`.
  const bool says_so =
      protocol::is_modern(connection.discovery()->server.revision) && result.cache.ttl != protocol::kNoTtl;
  if (says_so) read.hint = result.cache;
  return read;
}

Result<ResourceCache::Read> ToolNode::read(const std::string& uri, const CallOptions& options) {
  const auto fetch = [this](const std::string& wanted, const CallOptions& how) {
    return parts_->fetch(wanted, how);
  };
  return parts_->resources.read(
      uri, fetch, [this] { return discovery(); }, options);
}

json::Object ToolNode::read_resource(const std::string& uri, const CallOptions& options) {
  const Result<ResourceCache::Read> read = this->read(uri, options);
  if (!read.ok()) return error_answer(read.error());
  ReadAnswer answer(*dependencies_.artifacts, options.principal, config_.name,
                    {.inline_chars_max = config_.cache.inline_text_if_under_chars,
                     .bytes_max = answer_bytes(options.budget)});
  return answer.of(**read);
}

std::vector<ResourceInfo> ToolNode::list_resources() const {
  std::vector<ResourceInfo> out;
  for (const protocol::Resource& resource : discovery()->resources) out.push_back(info_of(resource));
  return out;
}

std::vector<ResourceTemplateInfo> ToolNode::list_resource_templates() const {
  std::vector<ResourceTemplateInfo> out;
  for (const protocol::ResourceTemplate& one : discovery()->templates) out.push_back(info_of(one));
  return out;
}

Result<protocol::ToolResult> ToolNode::call_tool(const std::string& tool, const json::Object& arguments,
                                                 const CallOptions& options) {
  const std::shared_ptr<const Discovery> known = discovery();
  if (const auto drift = known->refused.find(tool); drift != known->refused.end()) {
    return forbidden(fmt::format("tool {} of upstream {} is not what it was when it was first used",
                                 excerpt(tool), config_.name))
        .with_code("tool_changed")
        .with_hint("The operator has to look at the change and accept it with `sluice pins`.")
        .with_data(json::to_text(json::Object{{"changes", drift->second}}));
  }
  const auto definition = std::find_if(known->tools.begin(), known->tools.end(),
                                       [&](const protocol::Tool& one) { return one.name == tool; });
  if (definition == known->tools.end() && (!config_.offer.offers_tools || config_.offer.tools.filters()))
    return not_found(fmt::format("upstream {} offers no tool {}", config_.name, excerpt(tool)));
  const bool only_reads = definition != known->tools.end() && definition->annotations &&
                          definition->annotations->read_only.value_or(false);
  const std::string key = options.principal.id + "\ntool\n" + tool + "\n" +
                          (parts_->calls.needs_relay(options) ? json::to_text(arguments) : "");
  Result<protocol::ToolResult> result = parts_->calls.run_asking<protocol::ToolResult>(
      key, options, [tool, arguments](client::Client& client, const client::CallOptions& call) {
        return client.call_tool(tool, arguments, call);
      });
  // What acts may have changed what is cached.
  if (!only_reads) cache().invalidate_all();
  if (!result.ok()) return result;
  const bool has_schema = definition != known->tools.end() && definition->output_schema && !result->is_error;
  ResultShaper shaper({.name_space = config_.name,
                       .tool = excerpt(tool),
                       .output_schema = has_schema ? &*definition->output_schema : nullptr},
                      config_.artifact_extraction, *dependencies_.artifacts, options,
                      [&](const std::string& uri) { return read(uri, options); });
  return shaper.shape(*std::move(result));
}

Result<protocol::PromptResult> ToolNode::get_prompt(const std::string& name,
                                                    const protocol::PromptArguments& arguments,
                                                    const CallOptions& options) {
  json::Object given;
  for (const auto& [argument, value] : arguments) given.set(argument, value);
  const std::string key = options.principal.id + "\nprompt\n" + name + "\n" + json::to_text(given);
  Result<protocol::PromptResult> result = parts_->calls.run_asking<protocol::PromptResult>(
      key, options, [name, arguments](client::Client& client, const client::CallOptions& call) {
        return client.get_prompt(name, arguments, call);
      });
  if (!result.ok()) return result;
  // A message has one block, so what became several is as many messages.
  ResultShaper shaper({.name_space = config_.name, .tool = excerpt(name), .output_schema = nullptr},
                      config_.artifact_extraction, *dependencies_.artifacts, options,
                      [&](const std::string& uri) { return read(uri, options); });
  std::vector<protocol::PromptMessage> messages;
  for (std::size_t i = 0; i < result->messages.size() && !shaper.is_full(); ++i) {
    const auto role = result->messages[i].role;
    protocol::ToolResult one;
    one.content.push_back(result->messages[i].content);
    SLUICE_TRY(one, shaper.shape(std::move(one)));
    if (shaper.is_full()) {  // It and all that follow are left out together.
      protocol::ToolResult rest;
      for (std::size_t k = i; k < result->messages.size(); ++k)
        rest.content.push_back(std::move(result->messages[k].content));
      SLUICE_TRY(one, shaper.shape(std::move(rest)));
    }
    for (protocol::Content& content : one.content)
      messages.push_back({.role = role, .content = std::move(content)});
  }
  result->messages = std::move(messages);
  return result;
}

Result<protocol::Completion> ToolNode::complete(const protocol::CompletionRequest& request,
                                                const CallOptions& options) {
  return parts_->calls.run<protocol::Completion>(
      UpstreamCalls::Access::kReads, unasked(options),
      [&](client::Client& client, const client::CallOptions& call) {
        return client.complete(request, call);
      });
}

std::vector<protocol::Tool> ToolNode::generated_tools() const {
  return gateway::generated_tools(config_, *discovery());
}

Result<protocol::ToolResult> ToolNode::call_generated(std::string_view tool, const json::Object& arguments,
                                                      const CallOptions& options) {
  return call_generated_tool({.node = *this, .artifacts = *dependencies_.artifacts}, tool, arguments,
                             options);
}

}  // namespace sluice::gateway
