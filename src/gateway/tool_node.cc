#include "sluice/gateway/tool_node.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/base/sleep.h"
#include "sluice/base/text.h"
#include "sluice/base/version.h"
#include "sluice/gateway/namespaced_uri.h"
#include "sluice/protocol/wire/decode.h"

#include "ask_relay.h"
#include "call_slots.h"
#include "read_answer.h"
#include "result_shaper.h"
#include "text_part.h"

namespace sluice::gateway {
namespace {

constexpr std::size_t kWaitingForEachRunning = 4;
constexpr std::size_t kMessageBytes = 400;
constexpr std::size_t kListItemsMax = 20'000;
constexpr std::chrono::milliseconds kRetryFirst{100};
constexpr std::chrono::milliseconds kAskedTimeMax{3'600'000};  // Of a call that others watch over.
constexpr std::int64_t kNotFoundCode = -32002;
constexpr std::int64_t kInvalidParamsCode = -32602;

bool is_worth_another_try(const Error& error) {
  return error.kind == ErrorKind::kUnavailable && !client::rpc_code(error) && error.code != "upstream_down";
}

// Waits between two tries. False: the caller does not want another.
bool pause(std::chrono::milliseconds time, const CallOptions& options, const Clock& clock) {
  if (options.deadline != Monotonic::max() && clock.now() + time >= options.deadline) return false;
  return sleep_unless_stopped(time, options.stop);
}

// What only reads is not asked about: it may be read for several callers at once.
CallOptions unasked(CallOptions options) {
  options.ask = {};
  return options;
}

// To the upstream, a caller who cannot be asked is a user who closed the form, and works in no folder.
// Servers ask for folders when they are connected to, and must not fail whoever is calling at that moment.
Result<protocol::Answer> nobodys_answer(const protocol::QuestionBody& question, Error why) {
  if (std::holds_alternative<protocol::ListRoots>(question)) return protocol::RootsAnswer{};
  if (std::holds_alternative<protocol::Sample>(question)) return why;
  return protocol::ElicitAnswer{};
}

bool can_be_asked(const protocol::ClientCapabilities& client) {
  return client.elicit_form || client.elicit_url || client.sample || client.roots;
}

}  // namespace

ToolNode::ToolNode(NodeConfig config, Dependencies dependencies)
    : config_(std::move(config)),
      dependencies_(std::move(dependencies)),
      cache_(dependencies_.artifacts, config_.name, config_.cache,
             config_.artifact_extraction.resources.cache_reads_to_artifacts, *dependencies_.clock),
      subscriptions_(config_.name),
      slots_(std::make_unique<CallSlots>(config_.max_concurrency,
                                         config_.max_concurrency * kWaitingForEachRunning)),
      relay_(std::make_unique<AskRelay>()),
      discovery_(std::make_shared<const Discovery>()) {}

Result<std::shared_ptr<ToolNode>> ToolNode::create(NodeConfig config, const Connector& connector,
                                                   Dependencies dependencies) {
  if (config.name != namespace_of(config.name))
    return invalid_input("not a namespace: " + excerpt(config.name)).with_code("invalid_configuration");
  if (dependencies.artifacts == nullptr) dependencies.artifacts = std::make_shared<InMemoryArtifactStore>();
  std::shared_ptr<ToolNode> node(new ToolNode(std::move(config), std::move(dependencies)));
  SLUICE_TRY(node->client_, connector(node->client_options()));
  return node;
}

ToolNode::Connector connector_to(client::Target target, client::Eras eras) {
  return [target = std::move(target), eras](client::ClientOptions options) {
    options.eras = eras;
    return client::Client::create(target, std::move(options));
  };
}

ToolNode::~ToolNode() {
  thread_.request_stop();
  relay_.reset();  // Its calls use the client.
  if (client_ != nullptr) client_->close();
  thread_.end();
}

client::ClientOptions ToolNode::client_options() {
  client::ClientOptions options;
  options.info = {.name = "sluice-gateway", .version = std::string(product_version())};
  options.timeout = config_.timeout;
  options.list_items_max = kListItemsMax;
  options.clock = dependencies_.clock;
  if (config_.relay_questions) {
    options.capabilities = {
        .elicit_form = true, .elicit_url = true, .sample = true, .roots = true, .extensions = {}};
    // Outside of a call there is nobody who could answer.
    options.ask = [](const protocol::Question& question, const std::stop_token&) -> Result<protocol::Answer> {
      return nobodys_answer(question.body, unavailable("nobody is calling").with_code("nobody_to_ask"));
    };
  }
  options.on_list_changed = [this](client::ListKind kind) {
    lists_changed(static_cast<std::uint8_t>(1U << static_cast<unsigned>(kind)));
  };
  options.on_log = [name = config_.name](const client::LogMessage& message) {
    log::info("gateway.upstream_log", {{"upstream", name},
                                       {"level", protocol::to_string(message.level)},
                                       {"message", excerpt(json::to_text(message.data), kMessageBytes)}});
  };
  options.on_resource_updated = [this](const std::string& uri) { resource_updated(uri); };
  return options;
}

Result<protocol::Answer> ToolNode::relay_question(const CallOptions& options,
                                                  const protocol::Question& question) const {
  if (!config_.relay_questions || !options.ask)
    return unavailable("nobody can be asked").with_code("nobody_to_ask");
  Result<catalog::Answers> answers = options.ask({question});
  if (answers.ok()) {
    if (const auto at = answers->find(question.key); at != answers->end()) return std::move(at->second);
    return internal_error("the answer has another key");
  }
  if (answers.error().kind == ErrorKind::kMissingCapability)
    return nobodys_answer(question.body, std::move(answers).error());
  return std::move(answers).error();
}

client::CallOptions ToolNode::client_call(const CallOptions& options) const {
  client::CallOptions call;
  call.stop = options.stop;
  call.timeout = options.is_timed_elsewhere ? kAskedTimeMax : config_.timeout;
  if (!options.is_timed_elsewhere && options.deadline != Monotonic::max()) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(options.deadline - dependencies_.clock->now());
    call.timeout = std::clamp(left, std::chrono::milliseconds(1), config_.timeout);
  }
  call.meta = options.meta;
  if (options.progress) call.on_progress = options.progress;
  // A question on a pipe names no call: it is told by being the only one that can be asked.
  if (options.ask) {
    call.ask = [this, &options](const protocol::Question& question, const std::stop_token&) {
      return relay_question(options, question);
    };
  }
  return call;
}

std::shared_ptr<const Discovery> ToolNode::discovery() const {
  const MutexLock lock(mutex_);
  return discovery_;
}

Status ToolNode::available() const {
  const std::shared_ptr<const Discovery> known = discovery();
  if (known->state != NodeState::kDown) return {};
  return unavailable(fmt::format("upstream {} is not available: {}", config_.name, known->problem))
      .with_code("upstream_down")
      .with_hint("It is connected to again by itself. Call again later, or see the tool diagnose.");
}

// While the first attempt to connect is under way, there is nothing to say yet.
Status ToolNode::wait_until_known(const CallOptions& options) const {
  if (thread_.is_started() && discovery()->state == NodeState::kConnecting) {
    const Monotonic patience = std::min(options.deadline, dependencies_.clock->now() + config_.timeout);
    if (!wait_first_attempt(patience, options.stop)) {
      if (options.stop.stop_requested()) return cancelled();
      return unavailable(fmt::format("upstream {} is not available: it does not answer", config_.name))
          .with_code("upstream_down")
          .with_hint("It is still being connected to. Call again later, or see the tool diagnose.");
    }
  }
  return available();
}

// What a caller is told. What the upstream said goes into it as data.
Error ToolNode::failure(const Error& cause) const {
  if (cause.kind == ErrorKind::kCancelled || cause.kind == ErrorKind::kInputRequired ||
      cause.code == "upstream_down" || cause.code == "upstream_busy")
    return cause;
  const std::string said = excerpt(cause.message, kMessageBytes);
  if (const std::optional<std::int64_t> code = client::rpc_code(cause)) {
    const ErrorKind kind = *code == kNotFoundCode        ? ErrorKind::kNotFound
                           : *code == kInvalidParamsCode ? ErrorKind::kInvalidInput
                                                         : ErrorKind::kUnavailable;
    return make_error(kind, fmt::format("upstream {}: {}", config_.name, said))
        .with_code("upstream_error")
        .with_hint("These are the words of that server. Change the request, or call again later.");
  }
  if (cause.kind == ErrorKind::kDeadline)
    return make_error(ErrorKind::kDeadline, fmt::format("upstream {} did not answer in time", config_.name))
        .with_code("upstream_timeout")
        .with_hint("Ask for less, or call again.");
  if (cause.kind == ErrorKind::kLimitReached)
    return make_error(ErrorKind::kLimitReached, fmt::format("upstream {}: {}", config_.name, said))
        .with_code("upstream_answer_too_large")
        .with_hint("Ask for less.");
  if (cause.code == "nobody_to_ask")
    return unavailable(fmt::format("upstream {} has a question, and {}", config_.name, said))
        .with_code("nobody_to_ask");
  return unavailable(fmt::format("upstream {} failed: {}", config_.name, said))
      .with_code("upstream_failed")
      .with_hint("It is connected to again by itself. Call again later, or see the tool diagnose.");
}

void ToolNode::note_failure(const Error& error) {
  if (error.kind != ErrorKind::kUnavailable || client::rpc_code(error)) return;
  const MutexLock lock(mutex_);
  suspect_ = true;
  wake_.notify_all();
}

template <typename T, typename Call>
Result<T> ToolNode::run(Access access, const CallOptions& options, const Call& call) {
  SLUICE_CHECK(available());
  const Monotonic patience = std::min(options.deadline, dependencies_.clock->now() + config_.timeout);
  Result<CallSlots::Slot> slot = slots_->take(patience, options.stop);
  if (!slot.ok()) return failure(slot.error());
  std::chrono::milliseconds wait = kRetryFirst;
  for (std::size_t attempt = 1;; ++attempt) {
    const client::CallOptions given = client_call(options);
    Result<T> result = call(*client_, given);
    if (result.ok()) return result;
    note_failure(result.error());
    const bool again =
        access == Access::kReads && attempt < config_.attempts && is_worth_another_try(result.error());
    if (!again || !pause(wait, options, *dependencies_.clock)) return failure(result.error());
    wait *= 2;
  }
}

bool ToolNode::needs_relay(const CallOptions& options) const {
  return config_.relay_questions && options.ask && can_be_asked(options.client);
}

template <typename T, typename Call>
Result<T> ToolNode::run_asking(const std::string& key, const CallOptions& options, const Call& call) {
  if (!needs_relay(options)) return run<T>(Access::kActs, options, call);
  auto kept = std::make_shared<std::optional<Result<T>>>();  // Of the thread that calls, and of who waits.
  const AskRelay::Terms terms{.waits = !protocol::is_modern(discovery()->server.revision),
                              .time_max = config_.timeout};
  const Result<std::shared_ptr<void>> outcome = relay_->run(
      key, options, terms,
      [this, kept, call](const CallOptions& own) { *kept = run<T>(Access::kActs, own, call); }, kept);
  if (!outcome.ok()) return failure(outcome.error());
  auto& result = *std::static_pointer_cast<std::optional<Result<T>>>(*outcome);
  return *std::move(result);
}

Result<UpstreamRead> ToolNode::fetch(const std::string& uri, const CallOptions& options) {
  SLUICE_TRY(protocol::ReadResult result,
             run<protocol::ReadResult>(Access::kReads, unasked(options),
                                       [&](client::Client& client, const client::CallOptions& call) {
                                         return client.read_resource(uri, call);
                                       }));
  UpstreamRead read{.contents = std::move(result.contents), .hint = {}, .meta = std::move(result.meta)};
  // One that does not say for how long leaves it to `ttl_seconds`.
  const bool says_so =
      protocol::is_modern(discovery()->server.revision) && result.cache.ttl != protocol::kNoTtl;
  if (says_so) read.hint = result.cache;
  return read;
}

Result<ResourceCache::Read> ToolNode::read(const std::string& uri, const CallOptions& options) {
  SLUICE_TRY(
      ResourceCache::Read read,
      cache_.get_or_fetch(
          uri, [this](const std::string& wanted, const CallOptions& how) { return fetch(wanted, how); },
          options));
  follow_cached(uri);
  return read;
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
                          (needs_relay(options) ? json::to_text(arguments) : "");
  Result<protocol::ToolResult> result = run_asking<protocol::ToolResult>(
      key, options, [tool, arguments](client::Client& client, const client::CallOptions& call) {
        return client.call_tool(tool, arguments, call);
      });
  // What acts may have changed what is kept.
  if (!only_reads) cache_.invalidate_all();
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
  Result<protocol::PromptResult> result = run_asking<protocol::PromptResult>(
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
  return run<protocol::Completion>(Access::kReads, unasked(options),
                                   [&](client::Client& client, const client::CallOptions& call) {
                                     return client.complete(request, call);
                                   });
}

}  // namespace sluice::gateway
