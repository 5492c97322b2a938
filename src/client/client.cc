#include "sluice/client/client.h"

#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/cache/cache.h"
#include "sluice/fetch/url.h"
#include "sluice/protocol/wire/decode.h"
#include "sluice/protocol/wire/requests.h"

#include "failure.h"
#include "lists.h"
#include "rounds.h"
#include "session.h"
#include "subscriptions.h"

namespace sluice::client {
namespace {

template <typename Decoded>
Result<Decoded> checked(std::string_view method, Result<Decoded> decoded) {
  if (decoded) return decoded;
  return invalid_result(method, decoded.error());
}

class ClientImpl final : public Client {
 public:
  ClientImpl(Target target, ClientOptions options)
      : session_(std::move(target), std::move(options)), lists_(session_), subscriptions_(session_) {
    session_.on_list_changed([this](ListKind kind) { lists_.forget(kind); });
    session_.on_header_mismatch([this](const Call& call) { return lists_.refresh_tools(call); });
  }
  ~ClientImpl() override { ClientImpl::close(); }

  Result<ServerInfo> connect(const CallOptions& options) override {
    return run(options, [&](const Call& call) -> Result<ServerInfo> {
      SLUICE_TRY(const std::shared_ptr<const Connection> at,
                 session_.connection(call.deadline, options.stop));
      return at->agreed.info;
    });
  }

  Result<protocol::ToolResult> call_tool(const std::string& name, const json::Object& arguments,
                                         const CallOptions& options) override {
    SLUICE_TRY(const json::Object result,
               request("tools/call", protocol::call_tool_params(name, arguments), options));
    return checked("tools/call", protocol::decode_call_result(result));
  }

  Result<protocol::ReadResult> read_resource(const std::string& uri, const CallOptions& options) override {
    SLUICE_TRY(const json::Object result, request("resources/read", {{"uri", uri}}, options));
    return checked("resources/read", protocol::decode_read_result(result));
  }

  Result<protocol::PromptResult> get_prompt(const std::string& name,
                                            const protocol::PromptArguments& arguments,
                                            const CallOptions& options) override {
    SLUICE_TRY(const json::Object result,
               request("prompts/get", protocol::get_prompt_params(name, arguments), options));
    return checked("prompts/get", protocol::decode_prompt_result(result));
  }

  Result<protocol::Completion> complete(const protocol::CompletionRequest& asked,
                                        const CallOptions& options) override {
    SLUICE_TRY(const json::Object result,
               request("completion/complete", protocol::complete_params(asked), options));
    return checked("completion/complete", protocol::decode_completion_result(result));
  }

  Result<std::vector<protocol::Tool>> list_tools(const CallOptions& options) override {
    return run(options, [&](const Call& call) { return lists_.tools(call); });
  }
  Result<std::vector<protocol::Resource>> list_resources(const CallOptions& options) override {
    return run(options, [&](const Call& call) { return lists_.resources(call); });
  }
  Result<std::vector<protocol::ResourceTemplate>> list_templates(const CallOptions& options) override {
    return run(options, [&](const Call& call) { return lists_.templates(call); });
  }
  Result<std::vector<protocol::Prompt>> list_prompts(const CallOptions& options) override {
    return run(options, [&](const Call& call) { return lists_.prompts(call); });
  }

  Status ping(const CallOptions& options) override {
    SLUICE_TRY(const ServerInfo info, connect(options));
    const bool is_modern = protocol::is_modern(info.revision);
    SLUICE_TRY([[maybe_unused]] const json::Object result,
               request(is_modern ? "server/discover" : "ping", {}, options));
    return {};
  }

  Result<json::Object> request(const std::string& method, json::Object params,
                               const CallOptions& options) override {
    return run(options,
               [&](const Call& call) { return complete_request(session_, method, std::move(params), call); });
  }

  Status subscribe(const std::string& uri, const CallOptions& options) override {
    return run(options, [&](const Call& call) { return subscriptions_.subscribe(uri, call); });
  }
  Status unsubscribe(const std::string& uri, const CallOptions& options) override {
    return run(options, [&](const Call& call) { return subscriptions_.unsubscribe(uri, call); });
  }

  void close() override {
    subscriptions_.close();
    session_.close();
  }

  std::string error_output() const override { return session_.error_output(); }

 private:
  template <typename Work>
  std::invoke_result_t<Work, const Call&> run(const CallOptions& options, Work work) {
    return session_.run(options, [&](const Call& call) -> std::invoke_result_t<Work, const Call&> {
      SLUICE_CHECK(subscriptions_.start(call));
      return work(call);
    });
  }

  Session session_;
  Lists lists_;
  Subscriptions subscriptions_;
};

Status check(const Target& target) {
  if (const auto* command = std::get_if<Command>(&target)) {
    if (command->program.empty()) return invalid_input("a server that is started needs a program");
  }
  if (const auto* endpoint = std::get_if<Endpoint>(&target)) {
    SLUICE_TRY([[maybe_unused]] const fetch::Url url, fetch::Url::parse(endpoint->url));
  }
  if (const auto* within = std::get_if<InProcess>(&target)) {
    if (!within->receiver) return invalid_input("a server in this process needs a receiver");
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Client>> Client::create(Target target, ClientOptions options) {
  SLUICE_CHECK(check(target));
  return std::make_unique<ClientImpl>(std::move(target), std::move(options));
}

Environment inheritable(const Environment& all) {
  constexpr std::array<std::string_view, 10> kNames{"HOME", "LANG",   "LOGNAME", "PATH", "SHELL",
                                                    "TERM", "TMPDIR", "TZ",      "USER", "XDG_RUNTIME_DIR"};
  Environment out;
  for (const auto& [name, value] : all) {
    const bool is_named = std::find(kNames.begin(), kNames.end(), name) != kNames.end();
    // A function of a shell is nothing that a child should run.
    if ((is_named || name.starts_with("LC_")) && !value.starts_with("()")) out.emplace(name, value);
  }
  return out;
}

}  // namespace sluice::client
