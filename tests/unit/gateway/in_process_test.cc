// Servers behind servers within one process, through the client itself.

#include <gmock/gmock.h>

#include "sluice/client/client.h"
#include "sluice/json/reader.h"

#include "node_server.h"

namespace sluice::gateway::testing {
namespace {

using server::testing::TestServer;
using ::testing::Contains;
using ::testing::HasSubstr;

ToolNode::Connector connect_to(server::Server& server, client::Eras eras) {
  return [&server, eras](client::ClientOptions options) {
    options.eras = eras;
    return client::Client::create(client::InProcess{.receiver = server.receiver()}, std::move(options));
  };
}

// A server whose only provider is a gateway to another.
class Level {
 public:
  Level(const std::string& name_space, server::Server& behind, client::Eras eras) {
    auto artifacts = std::make_shared<InMemoryArtifactStore>();
    auto node =
        take(ToolNode::create({.name = name_space}, connect_to(behind, eras), {.artifacts = artifacts}));
    node->start();
    EXPECT_TRUE(node->wait_first_attempt(system_clock().now() + std::chrono::seconds(20)));
    EXPECT_EQ(node->discovery()->problem, "");
    server = take(server::Server::create({}, {take(make_gateway_provider({node}, artifacts))}));
  }

  std::unique_ptr<server::Server> server;
};

class Stacked : public ::testing::TestWithParam<client::Eras> {
 protected:
  void SetUp() override {
    bottom_.add_echo();
    bottom_.add_resource("test://deep", "at the bottom");
    bottom_.add_prompt("greet", "hello");
    bottom_.add_tool("ask",
                     [](const json::Object&, catalog::Context& context) -> Result<protocol::ToolResult> {
                       SLUICE_TRY(const protocol::ElicitAnswer answer,
                                  context.ask_form("who", server::testing::name_form()));
                       return protocol::text_result(server::testing::describe(answer));
                     });
    bottom_.add_tool("work",
                     [](const json::Object&, catalog::Context& context) -> Result<protocol::ToolResult> {
                       context.progress({.done = 1, .total = 2, .message = "half"});
                       return protocol::text_result(json::to_text(context.meta()));
                     });
    bottom_.add_tool("export", [](const json::Object&, catalog::Context&) -> Result<protocol::ToolResult> {
      return protocol::text_result(std::string(40'000, 'x') + "the end");
    });
    bottom_.add_tool("table", [](const json::Object&, catalog::Context&) -> Result<protocol::ToolResult> {
      json::Array rows;
      for (int i = 0; i < 5'000; ++i) rows.push_back(json::Object{{"row", i}});
      return protocol::structured_result(json::Object{{"rows", std::move(rows)}});
    });
    three_ = std::make_unique<Level>("c", *bottom_, GetParam());
    two_ = std::make_unique<Level>("b", *three_->server, GetParam());
    one_ = std::make_unique<Level>("a", *two_->server, GetParam());
  }
  std::unique_ptr<TestClient> connect(Dialect dialect, ClientOptions options = {}) {
    return std::make_unique<TestClient>(*one_->server, dialect, std::move(options));
  }

  TestServer bottom_;
  std::unique_ptr<Level> three_;
  std::unique_ptr<Level> two_;
  std::unique_ptr<Level> one_;
};

TEST_P(Stacked, ThreeLevelsPassEverythingThrough) {
  for (const Dialect dialect : {kModernPipe, kLegacyPipe}) {
    const auto client = connect(dialect);
    EXPECT_THAT(listed(*client, "tools/list", "tools", "name"), Contains("a.b.c.echo"));
    EXPECT_EQ(
        client->call_tool("a.b.c.echo", R"({"text":"down and up"})").text({"result", "content", 0, "text"}),
        "down and up");
    EXPECT_EQ(client->call("resources/read", R"({"uri":"a+b+c+test://deep"})")
                  .text({"result", "contents", 0, "text"}),
              "at the bottom");
    EXPECT_EQ(client->call_tool("a.b.c.resources_read", R"({"uri":"test://deep"})")
                  .text({"result", "structuredContent", "result", "text"}),
              "at the bottom");
    EXPECT_THAT(listed(*client, "prompts/list", "prompts", "name"), Contains("a.b.c.greet"));
    EXPECT_EQ(client->call("prompts/get", R"({"name":"a.b.c.greet","arguments":{}})")
                  .text({"result", "messages", 0, "content", "text"}),
              "hello");
  }
}

TEST_P(Stacked, WhatIsCutIsReadOnThroughThreeLevels) {
  const auto client = connect(kModernPipe);
  const WireMessage result = client->call_tool("a.b.c.export");
  const std::string note = result.text({"result", "content", 1, "text"});
  ASSERT_THAT(note, HasSubstr("a+b+artifact://c_"));
  const std::size_t begin = note.find("a+b+");
  const std::string uri = note.substr(begin, note.find(' ', begin) - begin);
  const WireMessage rest = client->call("resources/read", json::to_text(json::Object{{"uri", uri}}));
  const std::string seen =
      result.text({"result", "content", 0, "text"}) + rest.text({"result", "contents", 0, "text"});
  EXPECT_EQ(seen, std::string(40'000, 'x') + "the end");
}

TEST_P(Stacked, TheWholeOfStructuredContentIsReadThroughThreeLevels) {
  const auto client = connect(kModernPipe);
  const WireMessage result = client->call_tool("a.b.c.table");
  std::string uri = result.text({"result", "_meta", "sluice/truncated", "artifact"});
  ASSERT_THAT(uri, HasSubstr("a+b+artifact://c_"));
  std::string seen;
  while (!uri.empty()) {
    const WireMessage read = client->call("resources/read", json::to_text(json::Object{{"uri", uri}}));
    std::string text = read.text({"result", "contents", 0, "text"});
    const bool goes_on = read.has({"result", "contents", 0, "_meta", "sluice/next"});
    uri = goes_on ? read.text({"result", "contents", 0, "_meta", "sluice/next"}) : "";
    const std::string mark = "\n\n[Content truncated...]";
    while (goes_on && text.ends_with(mark)) text.resize(text.size() - mark.size());
    seen += text;
  }
  const Result<json::Value> whole = json::read(seen);
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  EXPECT_EQ(whole->find("rows")->if_array()->size(), 5'000U);
}

TEST_P(Stacked, QuestionsAreRelayedOverThreeLevels) {
  const auto legacy = connect(kLegacyPipe, {.capabilities = R"({"elicitation":{}})"});
  const auto call = legacy->start_tool("a.b.c.ask");
  const WireMessage question = call->next();
  ASSERT_EQ(question.method(), "elicitation/create");
  legacy->answer(question, R"({"action":"accept","content":{"name":"Bob"}})");
  EXPECT_THAT(call->reply().text({"result", "content", 0, "text"}), HasSubstr("Bob"));

  const auto modern = connect(kModernPipe, {.capabilities = R"({"elicitation":{"form":{}}})"});
  const WireMessage asked = modern->call_tool("a.b.c.ask");
  ASSERT_EQ(asked.text({"result", "resultType"}), "input_required") << json::to_text(asked.value());
  const std::string key = asked.at({"result", "inputRequests"}).if_object()->begin()->key;
  const json::Object answer{{"action", "accept"}, {"content", json::Object{{"name", "Ada"}}}};
  const WireMessage answered = modern->call(
      "tools/call", json::to_text(json::Object{{"name", "a.b.c.ask"},
                                               {"arguments", json::Object{}},
                                               {"requestState", asked.at({"result", "requestState"})},
                                               {"inputResponses", json::Object{{key, answer}}}}));
  EXPECT_THAT(answered.text({"result", "content", 0, "text"}), HasSubstr("Ada"))
      << json::to_text(answered.value());
}

TEST_P(Stacked, ProgressAndTraceContextGoThrough) {
  const auto client = connect(kLegacyPipe);
  const auto call = client->start(
      "tools/call",
      R"({"name":"a.b.c.work","arguments":{},"_meta":{"progressToken":"p","traceparent":"00-1-2-01"}})");
  EXPECT_EQ(call->next().text({"params", "message"}), "half");
  EXPECT_THAT(call->reply().text({"result", "content", 0, "text"}), HasSubstr("00-1-2-01"));
}

TEST_P(Stacked, ChangesComeUpThreeLevels) {
  const auto client = connect(kLegacyPipe);
  EXPECT_TRUE(client->call("resources/subscribe", R"({"uri":"a+b+c+test://deep"})").is_result());
  // The subscription goes down level by level in its own time: the change is told again until it comes.
  WireMessage told;
  for (int i = 0; i < 2'000 && told.method() != "notifications/resources/updated"; ++i) {
    bottom_.registry->resource_changed("test://deep");
    while (!client->is_quiet() && told.method() != "notifications/resources/updated") told = client->next();
    (void)client->call_tool("a.b.c.echo", R"({"text":"time passes"})");
  }
  EXPECT_EQ(told.text({"params", "uri"}), "a+b+c+test://deep");
  bottom_.add_tool("late", [](const json::Object&, catalog::Context&) -> Result<protocol::ToolResult> {
    return protocol::text_result("here");
  });
  EXPECT_TRUE(hears(*client, "notifications/tools/list_changed"));
  EXPECT_EQ(client->call_tool("a.b.c.late").text({"result", "content", 0, "text"}), "here");
}

INSTANTIATE_TEST_SUITE_P(BothEras, Stacked, ::testing::Values(client::Eras::kModern, client::Eras::kLegacy));

}  // namespace
}  // namespace sluice::gateway::testing
