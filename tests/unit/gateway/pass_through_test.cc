// Tools and prompts of upstreams, called through the server.

#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>

#include "node_server.h"

namespace sluice::gateway::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kForm = R"({"type":"object","properties":{"name":{"type":"string"}},"required":["name"]})";

TEST(PassThrough, ToolsHaveTheirNamespaceInFront) {
  NodeServer server;
  server.add("a")->add_tool("echo", "Echoes.");
  server.add("b")->add_tool("echo", "Echoes too.");
  server.start();
  const auto client = server.connect();
  EXPECT_THAT(listed(*client, "tools/list", "tools", "name"),
              ElementsAre("a.echo", "a.resources_list", "a.resources_read", "a.resources_templates_list",
                          "b.echo", "b.resources_list", "b.resources_read", "b.resources_templates_list"));
  EXPECT_EQ(client->call_tool("a.echo").text({"result", "content", 0, "text"}), "called echo");
  EXPECT_EQ(client->call_tool("b_echo").text({"result", "content", 0, "text"}), "called echo");
}

TEST(PassThrough, NamesCanBeSafe) {
  NodeServer server;
  server.add("a")->add_tool("x.echo");
  server.start({.names = NameStyle::kSafe});
  const auto client = server.connect();
  EXPECT_THAT(listed(*client, "tools/list", "tools", "name"), Contains("a_x_echo"));
  EXPECT_EQ(client->call_tool("a_x_echo").text({"result", "content", 0, "text"}), "called x.echo");
  EXPECT_EQ(client->call_tool("a.x.echo").text({"result", "content", 0, "text"}), "called x.echo");
}

TEST(PassThrough, ProgressMetadataAndCancellationGoThrough) {
  NodeServer server;
  const auto script = server.add("a");
  script->add_tool("work");
  std::promise<void> cancelled;
  script->on_call = [&](const std::string&, const json::Object& arguments,
                        const client::CallOptions& options) -> Result<protocol::ToolResult> {
    if (arguments.contains("wait")) {
      std::mutex mutex;
      std::condition_variable_any stopped;
      std::unique_lock lock(mutex);
      stopped.wait(lock, options.stop, [] { return false; });
      cancelled.set_value();
      return ::sluice::cancelled();
    }
    options.on_progress({.done = 1, .total = 2, .message = "half"});
    protocol::ToolResult result = protocol::text_result(json::to_text(options.meta));
    result.meta.set("com.example/key", "back");
    return result;
  };
  server.start();
  const auto client = server.connect(kLegacyPipe);
  const auto call = client->start(
      "tools/call",
      R"({"name":"a.work","arguments":{},"_meta":{"progressToken":7,"traceparent":"00-1-2-01","io.modelcontextprotocol/x":1}})");
  const WireMessage progress = call->next();
  EXPECT_EQ(progress.text({"params", "message"}), "half");
  const WireMessage reply = call->reply();
  EXPECT_EQ(reply.text({"result", "content", 0, "text"}), R"({"traceparent":"00-1-2-01"})");
  EXPECT_EQ(reply.text({"result", "_meta", "com.example/key"}), "back");
  const auto waiting = client->start_tool("a.work", R"({"wait":true})");
  // Cancelled once the call has surely begun: the upstream has seen two.
  while (script->calls < 2) std::this_thread::yield();
  waiting->cancel();
  EXPECT_EQ(cancelled.get_future().wait_for(std::chrono::seconds(20)), std::future_status::ready);
}

TEST(PassThrough, PromptsAndCompletionsGoThrough) {
  NodeServer server;
  const auto script = server.add("a");
  protocol::Prompt prompt;
  prompt.name = "greet";
  prompt.arguments.push_back({.name = "who", .title = {}, .description = {}, .required = false});
  script->prompts.push_back(prompt);
  script->add_template("db://{table}/data");
  script->on_complete = [](const protocol::CompletionRequest& request) -> Result<protocol::Completion> {
    if (const auto* by_name = std::get_if<protocol::PromptReference>(&request.reference))
      return protocol::Completion{.values = {"prompt " + by_name->name}, .total = {}};
    return protocol::Completion{
        .values = {"template " + std::get<protocol::TemplateReference>(request.reference).uri_template},
        .total = {}};
  };
  server.start();
  const auto client = server.connect();
  EXPECT_THAT(listed(*client, "prompts/list", "prompts", "name"), ElementsAre("a.greet"));
  EXPECT_EQ(client->call("prompts/get", R"({"name":"a.greet","arguments":{}})")
                .text({"result", "messages", 0, "content", "text"}),
            "ask greet");
  EXPECT_EQ(
      client
          ->call("completion/complete",
                 R"({"ref":{"type":"ref/prompt","name":"a.greet"},"argument":{"name":"who","value":""}})")
          .text({"result", "completion", "values", 0}),
      "prompt greet");
  EXPECT_EQ(
      client
          ->call(
              "completion/complete",
              R"({"ref":{"type":"ref/resource","uri":"a+db://{table}/data"},"argument":{"name":"table","value":""}})")
          .text({"result", "completion", "values", 0}),
      "template db://{table}/data");
}

// An upstream whose tool greets the user by name, whom it has to ask for it.
void add_greeter(Script& script, protocol::Revision revision) {
  script.revision = revision;
  script.add_tool("greet");
  script.on_call = [](const std::string&, const json::Object&,
                      const client::CallOptions& options) -> Result<protocol::ToolResult> {
    protocol::Question question{
        .key = "who",
        .body = protocol::ElicitForm{.message = "Your name?", .schema = server::testing::parse(kForm)}};
    SLUICE_TRY(const protocol::Answer answer, options.ask(question, options.stop));
    const auto& given = std::get<protocol::ElicitAnswer>(answer);
    if (given.action != protocol::ElicitAction::kAccept) return protocol::text_result("Hello, whoever");
    return protocol::text_result("Hello, " + *given.content.find("name")->if_string());
  };
}

class Asking : public ::testing::TestWithParam<protocol::Revision> {};

TEST_P(Asking, AModernCallerAnswersWithARetry) {
  NodeServer server;
  const auto script = server.add("a");
  add_greeter(*script, GetParam());
  server.start();
  const auto client = server.connect(kModernPipe, {.capabilities = R"({"elicitation":{"form":{}}})"});
  const WireMessage asked = client->call_tool("a.greet");
  ASSERT_EQ(asked.text({"result", "resultType"}), "input_required") << json::to_text(asked.value());
  const json::Object* requests = asked.at({"result", "inputRequests"}).if_object();
  ASSERT_NE(requests, nullptr);
  const std::string key = requests->begin()->key;
  const std::string retry = json::to_text(json::Object{
      {"name", "a.greet"},
      {"arguments", json::Object{}},
      {"requestState", asked.at({"result", "requestState"})},
      {"inputResponses",
       json::Object{{key, json::Object{{"action", "accept"}, {"content", json::Object{{"name", "Ada"}}}}}}}});
  const WireMessage answered = client->call("tools/call", retry);
  EXPECT_EQ(answered.text({"result", "content", 0, "text"}), "Hello, Ada") << json::to_text(answered.value());
  // A server that waits for the answer is called once; one that is asked again does not mind.
  EXPECT_EQ(script->calls, protocol::is_modern(GetParam()) ? 2 : 1);
}

TEST_P(Asking, ALegacyCallerIsAskedAtOnce) {
  NodeServer server;
  const auto script = server.add("a");
  add_greeter(*script, GetParam());
  server.start();
  const auto client = server.connect(kLegacyPipe, {.capabilities = R"({"elicitation":{}})"});
  const auto call = client->start_tool("a.greet");
  const WireMessage question = call->next();
  ASSERT_EQ(question.method(), "elicitation/create");
  EXPECT_EQ(question.text({"params", "message"}), "Your name?");
  client->answer(question, R"({"action":"accept","content":{"name":"Bob"}})");
  EXPECT_EQ(call->reply().text({"result", "content", 0, "text"}), "Hello, Bob");
  EXPECT_EQ(script->calls, 1);
}

TEST_P(Asking, ACallerWhoCannotBeAskedHasClosedTheForm) {
  NodeServer server;
  add_greeter(*server.add("a"), GetParam());
  server.start();
  EXPECT_EQ(server.connect(kLegacyPipe)->call_tool("a.greet").text({"result", "content", 0, "text"}),
            "Hello, whoever");
}

INSTANTIATE_TEST_SUITE_P(BothEras, Asking,
                         ::testing::Values(protocol::Revision::k2026_07_28, protocol::Revision::k2025_11_25));

TEST(PassThrough, QuestionsCanBeKeptFromCallers) {
  NodeServer server;
  NodeConfig config;
  config.relay_questions = false;
  add_greeter(*server.add("a", config), protocol::Revision::k2025_11_25);
  server.start();
  const auto client = server.connect(kLegacyPipe, {.capabilities = R"({"elicitation":{}})"});
  EXPECT_THAT(client->call_tool("a.greet").text({"result", "content", 0, "text"}),
              HasSubstr("nobody_to_ask"));
}

TEST(PassThrough, ToolsAreFilteredRenamedAndDescribed) {
  NodeServer server;
  NodeConfig config;
  config.offer.tools.rules.allow = {"read_*", "write_*"};
  config.offer.tools.rules.deny = {"*_secret"};
  config.offer.tools.rename = {{"read_file", "open"}};
  config.offer.tools.describe = {{"read_file", "Opens a file"}};
  const auto script = server.add("fs", config);
  for (const char* name : {"read_file", "read_secret", "write_file", "delete_file"})
    script->add_tool(name, "As the upstream says");
  server.start();
  const auto client = server.connect();
  const std::vector<std::string> names = listed(*client, "tools/list", "tools", "name");
  EXPECT_THAT(names, ::testing::IsSupersetOf({"fs.open", "fs.write_file"}));
  for (const char* hidden : {"fs.read_file", "fs.read_secret", "fs.delete_file"})
    EXPECT_THAT(names, ::testing::Not(::testing::Contains(hidden)));
  EXPECT_THAT(listed(*client, "tools/list", "tools", "description"), ::testing::Contains("Opens a file"));
  EXPECT_EQ(client->call_tool("fs.open").text({"result", "content", 0, "text"}), "called read_file");
  EXPECT_FALSE(client->call_tool("fs.delete_file").has({"result", "content"}) &&
               client->call_tool("fs.delete_file").text({"result", "isError"}) != "true");
  EXPECT_EQ(script->calls, 1) << "what is not offered never reaches the upstream";
  EXPECT_EQ(server.node("fs").call_tool("delete_file", {}, {}).error().kind, ErrorKind::kNotFound);
}

TEST(PassThrough, OnlyWhatChangesNothingCanBeOffered) {
  NodeServer server;
  NodeConfig config;
  config.offer.tools.rules.read_only = true;
  config.offer.offers_prompts = false;
  config.offer.offers_resource_tools = false;
  const auto script = server.add("fs", config);
  script->add_tool("look");
  script->tools.back().annotations = protocol::ToolAnnotations{.read_only = true};
  script->add_tool("change");
  script->add_resource("file:///a");
  server.start();
  const auto client = server.connect();
  EXPECT_THAT(listed(*client, "tools/list", "tools", "name"), ::testing::ElementsAre("fs.look"));
  EXPECT_THAT(listed(*client, "resources/list", "resources", "uri"), ::testing::ElementsAre("fs+file:///a"));
}

TEST(PassThrough, PagesOfToolsAndStubsOfLinksHaveNamespacedUris) {
  NodeServer server;
  const auto script = server.add("fs");
  script->add_tool("chart");
  script->tools.back().meta = {{"ui", json::Object{{"resourceUri", "ui://chart"}}},
                               {"ui/resourceUri", "ui://chart"}};
  script->on_call = [](const std::string&, const json::Object&,
                       const client::CallOptions&) -> Result<protocol::ToolResult> {
    protocol::Resource resource;
    resource.uri = "file:///report";
    resource.name = "report";
    protocol::ToolResult result;
    result.content.push_back({.body = protocol::ResourceLink{resource}, .annotations = {}, .meta = {}});
    return result;
  };
  server.start();
  const auto client = server.connect();
  const WireMessage list = client->call("tools/list");
  EXPECT_EQ(list.text({"result", "tools", 0, "_meta", "ui", "resourceUri"}), "ui://fs/chart");
  EXPECT_EQ(list.text({"result", "tools", 0, "_meta", "ui/resourceUri"}), "ui://fs/chart");
  const WireMessage result = client->call_tool("fs.chart");
  EXPECT_EQ(result.text({"result", "content", 0, "uri"}), "fs+file:///report");
  EXPECT_THAT(result.text({"result", "content", 1, "text"}),
              ::testing::HasSubstr(R"("resource_uri":"fs+file:///report")"));
}

}  // namespace
}  // namespace sluice::gateway::testing
