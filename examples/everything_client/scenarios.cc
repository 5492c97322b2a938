#include <functional>
#include <map>
#include <utility>

#include "sluice/json/reader.h"

#include "scenario.h"

namespace everything {
namespace {

using namespace sluice;
using client::Client;

// Accepts every form, with what the scenario's own form asks for; the client fills in the defaults.
Result<protocol::Answer> accept(const protocol::Question& question, const json::Object& content) {
  if (std::holds_alternative<protocol::ListRoots>(question.body))
    return protocol::Answer{protocol::RootsAnswer{}};
  if (std::holds_alternative<protocol::Sample>(question.body)) {
    return protocol::Answer{
        protocol::SampleAnswer{{{"role", "assistant"},
                                {"content", json::Object{{"type", "text"}, {"text", "This is a test."}}},
                                {"model", "none"}}}};
  }
  return protocol::Answer{
      protocol::ElicitAnswer{.action = protocol::ElicitAction::kAccept, .content = content}};
}

Result<std::unique_ptr<Client>> client_for(const Scenario& scenario, client::Ask ask) {
  client::ClientOptions options;
  options.info = {.name = "everything_client", .version = "1.0.0"};
  options.capabilities = {
      .elicit_form = true, .elicit_url = false, .sample = true, .roots = true, .extensions = {}};
  options.ask = std::move(ask);
  options.timeout = std::chrono::seconds(15);
  client::Endpoint endpoint;
  endpoint.url = scenario.url;
  endpoint.authorizer = make_authorizer(scenario);
  return Client::create(std::move(endpoint), std::move(options));
}

Status call_first(Client& server) {
  SLUICE_TRY(const std::vector<protocol::Tool> tools, server.list_tools());
  if (tools.empty()) return {};
  SLUICE_TRY([[maybe_unused]] const protocol::ToolResult result,
             server.call_tool(tools.front().name, {{"a", 2}, {"b", 3}}));
  return {};
}

Status list_only(Client& server) {
  SLUICE_TRY([[maybe_unused]] const json::Object tools, server.request("tools/list", {}));
  return {};
}

Status call_all(Client& server) {
  SLUICE_TRY(const std::vector<protocol::Tool> tools, server.list_tools());
  for (const protocol::Tool& tool : tools) {
    SLUICE_TRY([[maybe_unused]] const protocol::ToolResult result,
               server.call_tool(tool.name, {{"region", "us-west1"}}));
  }
  return {};
}

Status use_everything(Client& server) {
  SLUICE_CHECK(call_all(server));
  SLUICE_TRY(const std::vector<protocol::Resource> resources, server.list_resources());
  for (const protocol::Resource& resource : resources) {
    SLUICE_TRY([[maybe_unused]] const protocol::ReadResult read, server.read_resource(resource.uri));
  }
  SLUICE_TRY(const std::vector<protocol::Prompt> prompts, server.list_prompts());
  for (const protocol::Prompt& prompt : prompts) {
    SLUICE_TRY([[maybe_unused]] const protocol::PromptResult got, server.get_prompt(prompt.name, {}));
  }
  return {};
}

Status echo_schema(Client& server) {
  SLUICE_TRY(const std::vector<protocol::Tool> tools, server.list_tools());
  for (const protocol::Tool& tool : tools) {
    if (tool.name != "json_schema_2020_12_tool") continue;
    SLUICE_TRY([[maybe_unused]] const protocol::ToolResult result,
               server.call_tool("json_schema_echo", {{"schema", tool.input_schema}}));
  }
  return {};
}

// The calls that the scenario lists in its context.
Status call_listed(Client& server, const std::string& context) {
  SLUICE_TRY([[maybe_unused]] const std::vector<protocol::Tool> tools, server.list_tools());
  SLUICE_TRY(const json::Value given, json::read(context));
  const json::Value* calls = given.find("toolCalls");
  if (calls == nullptr || calls->if_array() == nullptr) return invalid_input("the context lists no calls");
  for (const json::Value& call : *calls->if_array()) {
    const json::Value* name = call.find("name");
    const json::Value* arguments = call.find("arguments");
    if (name == nullptr || arguments == nullptr) return invalid_input("a call without name or arguments");
    SLUICE_TRY([[maybe_unused]] const protocol::ToolResult result,
               server.call_tool(*name->if_string(), *arguments->if_object()));
  }
  return {};
}

Status run_rounds(const Scenario& scenario) {
  Client* asked = nullptr;
  SLUICE_TRY(const std::unique_ptr<Client> server,
             client_for(scenario, [&](const protocol::Question& question, std::stop_token /*stop*/) {
               // Another call between two rounds of one: it must not carry anything of theirs.
               [[maybe_unused]] const auto other = asked->call_tool("test_mrtr_unrelated", {});
               return accept(question, {{"confirmed", true}});
             }));
  asked = server.get();
  SLUICE_TRY([[maybe_unused]] const std::vector<protocol::Tool> tools, server->list_tools());
  for (const char* tool : {"test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_no_result_type"}) {
    SLUICE_TRY([[maybe_unused]] const protocol::ToolResult result, server->call_tool(tool, {}));
  }
  return {};
}

const std::map<std::string, std::function<Status(Client&)>, std::less<>>& plain_scenarios() {
  static const std::map<std::string, std::function<Status(Client&)>, std::less<>> kScenarios{
      {"request-metadata", list_only},
      {"json-schema-ref-no-deref", list_only},
      {"json-schema-2020-12-preservation", echo_schema},
      {"http-standard-headers", use_everything},
      {"http-invalid-tool-headers", call_all},
  };
  return kScenarios;
}

}  // namespace

Status run_scenario(const Scenario& scenario) {
  if (scenario.name == "sep-2322-client-request-state") return run_rounds(scenario);
  SLUICE_TRY(const std::unique_ptr<Client> server,
             client_for(scenario, [](const protocol::Question& question, std::stop_token /*stop*/) {
               return accept(question, {});
             }));
  SLUICE_TRY([[maybe_unused]] const client::ServerInfo info, server->connect());
  if (scenario.name == "http-custom-headers") return call_listed(*server, scenario.context);
  const auto plain = plain_scenarios().find(scenario.name);
  return plain == plain_scenarios().end() ? call_first(*server) : plain->second(*server);
}

}  // namespace everything
