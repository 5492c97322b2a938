// Asking in the legacy era: a request of the server to the client, while the call waits.

#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_client.h"
#include "test_server.h"

namespace sluice::server::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kAskable = R"({"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}})";

Result<protocol::ToolResult> ask_name(const json::Object&, Context& context) {
  SLUICE_TRY(const protocol::ElicitAnswer answer, context.ask_form("name", name_form()));
  return protocol::text_result(describe(answer));
}

Result<protocol::ToolResult> ask_sample(const json::Object&, Context& context) {
  SLUICE_TRY(const catalog::Answers answers, context.ask({{.key = "s", .body = greeting_sample()}}));
  return protocol::text_result(
      *std::get<protocol::SampleAnswer>(answers.at("s")).result.find("model")->if_string());
}

Result<protocol::ToolResult> ask_roots(const json::Object&, Context& context) {
  SLUICE_TRY(const catalog::Answers answers, context.ask({{.key = "r", .body = protocol::ListRoots{}}}));
  std::string all;
  for (const protocol::Root& root : std::get<protocol::RootsAnswer>(answers.at("r")).roots)
    all += root.uri + ' ';
  return protocol::text_result(all);
}

class AskLegacyTest : public DialectTest {
 protected:
  AskLegacyTest() {
    server.add_tool("name", ask_name);
    server.add_tool("sample", ask_sample);
    server.add_tool("roots", ask_roots);
    server.add_echo();
  }
  TestClient connect(std::string_view capabilities = kAskable) {
    return TestClient(*server, GetParam(), {.capabilities = std::string(capabilities)});
  }
  TestServer server;
};

TEST_P(AskLegacyTest, ForASampleWaitsForTheAnswer) {
  TestClient client = connect();
  const auto pending = client.start_tool("sample");
  const WireMessage question = pending->next();
  EXPECT_EQ(question.method(), "sampling/createMessage");
  EXPECT_EQ(question.text({"params", "maxTokens"}), "100");
  client.answer(question, R"({"role":"assistant","content":{"type":"text","text":"hi"},"model":"m1"})");
  EXPECT_EQ(pending->reply().text({"result", "content", 0, "text"}), "m1");
}

TEST_P(AskLegacyTest, TakesTheAnswerWhileTheServerStops) {
  TestClient client = connect();
  const auto pending = client.start_tool("sample");
  const WireMessage question = pending->next();
  auto stopping = std::async(std::launch::async, [&] { return server->stop(kPatience); });
  ASSERT_TRUE(client.is_refused_soon());
  client.answer(question, R"({"role":"assistant","content":{"type":"text","text":"hi"},"model":"m1"})");
  EXPECT_EQ(pending->reply().text({"result", "content", 0, "text"}), "m1");
  EXPECT_TRUE(stopping.get());
}

TEST_P(AskLegacyTest, ForRootsWaitsForTheAnswer) {
  TestClient client = connect();
  const auto pending = client.start_tool("roots");
  const WireMessage question = pending->next();
  EXPECT_EQ(question.method(), "roots/list");
  client.answer(question, R"({"roots":[{"uri":"file:///a","name":"A"},{"uri":"file:///b"}]})");
  EXPECT_EQ(pending->reply().text({"result", "content", 0, "text"}), "file:///a file:///b ");
}

TEST_P(AskLegacyTest, SeveralAtATimeDoesNotMixTheAnswers) {
  TestClient client = connect();
  const auto first = client.start_tool("sample");
  const WireMessage question_of_first = first->next();
  const auto second = client.start_tool("sample");
  const WireMessage question_of_second = second->next();
  EXPECT_NE(question_of_first.id(), question_of_second.id());
  client.answer(question_of_second,
                R"({"role":"assistant","content":{"type":"text","text":""},"model":"two"})");
  EXPECT_EQ(second->reply().text({"result", "content", 0, "text"}), "two");
  client.answer(question_of_first,
                R"({"role":"assistant","content":{"type":"text","text":""},"model":"one"})");
  EXPECT_EQ(first->reply().text({"result", "content", 0, "text"}), "one");
}

TEST_P(AskLegacyTest, ThatIsRefusedIsAnErrorOfTheTool) {
  TestClient client = connect();
  const auto pending = client.start_tool("roots");
  client.answer_with_error(pending->next(), R"({"code":-1,"message":"User said no"})");
  const WireMessage reply = pending->reply();
  EXPECT_EQ(reply.text({"result", "isError"}), "true");
  EXPECT_THAT(reply.text({"result", "content", 0, "text"}), HasSubstr("User said no"));
}

TEST_P(AskLegacyTest, WithAnAnswerOfTheWrongShapeIsAnErrorOfTheTool) {
  TestClient client = connect();
  for (const char* bad :
       {"{}", R"({"roots":7})", R"({"roots":[7]})", R"({"roots":[{}]})", "7", "null", "[]"}) {
    const auto pending = client.start_tool("roots");
    client.answer(pending->next(), bad);
    EXPECT_EQ(pending->reply().text({"result", "isError"}), "true") << bad;
  }
}

TEST_P(AskLegacyTest, OfAClientThatCannotBeAskedIsAnErrorOfTheTool) {
  TestClient client = connect("{}");
  for (const char* tool : {"name", "sample", "roots"}) {
    const WireMessage reply = client.call_tool(tool);
    EXPECT_EQ(reply.text({"result", "isError"}), "true") << tool;
    EXPECT_THAT(reply.text({"result", "content", 0, "text"}), HasSubstr("missing_capability"));
  }
}

TEST_P(AskLegacyTest, EndsWhenTheCallIsCancelled) {
  TestClient client = connect();
  const auto pending = client.start_tool("roots");
  const WireMessage question = pending->next();
  pending->cancel();
  client.answer(question, R"({"roots":[]})");  // Too late, and ignored.
  EXPECT_TRUE(client.call_tool("echo", R"({"text":"x"})").is_result());
}

TEST_P(AskLegacyTest, IgnoresAnswersToQuestionsThatWereNotAsked) {
  TestClient client = connect();
  const auto pending = client.start_tool("roots");
  const WireMessage question = pending->next();
  client.answer(WireMessage(parse(R"({"id":4711})")), R"({"roots":[{"uri":"file:///wrong"}]})");
  client.answer(WireMessage(parse(R"({"id":")" + question.id() + R"("})")),
                R"({"roots":[{"uri":"file:///no"}]})");
  client.answer(question, R"({"roots":[{"uri":"file:///right"}]})");
  client.answer(question, R"({"roots":[{"uri":"file:///late"}]})");
  EXPECT_EQ(pending->reply().text({"result", "content", 0, "text"}), "file:///right ");
}

INSTANTIATE_TEST_SUITE_P(, AskLegacyTest, ::testing::ValuesIn(every_legacy_dialect()), dialect_name);

class ElicitTest : public AskLegacyTest {};

TEST_P(ElicitTest, WaitsForTheForm) {
  TestClient client = connect();
  const auto pending = client.start_tool("name");
  const WireMessage question = pending->next();
  EXPECT_EQ(question.method(), "elicitation/create");
  EXPECT_EQ(question.text({"params", "message"}), "What is your name?");
  EXPECT_EQ(question.has({"params", "mode"}), GetParam().revision >= Revision::k2025_11_25);
  client.answer(question, R"({"action":"accept","content":{"name":"Ada"}})");
  EXPECT_EQ(pending->reply().text({"result", "content", 0, "text"}), R"(accept {"name":"Ada"})");
}

TEST_P(ElicitTest, TakesARefusalForAnAnswer) {
  TestClient client = connect();
  for (const char* action : {"decline", "cancel"}) {
    const auto pending = client.start_tool("name");
    client.answer(pending->next(), R"({"action":")" + std::string(action) + R"("})");
    EXPECT_EQ(pending->reply().text({"result", "content", 0, "text"}), action);
  }
}

TEST_P(ElicitTest, ChecksTheFormThatCameBack) {
  TestClient client = connect();
  const auto pending = client.start_tool("name");
  client.answer(pending->next(), R"({"action":"accept","content":{"name":7}})");
  const WireMessage reply = pending->reply();
  EXPECT_EQ(reply.text({"result", "isError"}), "true");
  EXPECT_THAT(reply.text({"result", "content", 0, "text"}), HasSubstr("content.name"));
}

INSTANTIATE_TEST_SUITE_P(, ElicitTest,
                         ::testing::Values(kLegacyPipe, kLegacyHttp,
                                           Dialect{Revision::k2025_06_18, Transport::kPipe},
                                           Dialect{Revision::k2025_06_18, Transport::kHttp}),
                         dialect_name);

class ElicitTooEarlyTest : public AskLegacyTest {};

TEST_P(ElicitTooEarlyTest, IsNotAskedInARevisionThatDoesNotKnowIt) {
  TestClient client = connect(R"({"elicitation":{}})");
  EXPECT_EQ(client.call_tool("name").text({"result", "isError"}), "true");
}

INSTANTIATE_TEST_SUITE_P(, ElicitTooEarlyTest,
                         ::testing::Values(Dialect{Revision::k2024_11_05, Transport::kPipe},
                                           Dialect{Revision::k2025_03_26, Transport::kHttp}),
                         dialect_name);

TEST(ElicitUrl, IsNotAskedBeforeTheRevisionThatKnowsIt) {
  TestServer server;
  server.add_tool("page", [](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
    SLUICE_TRY(
        [[maybe_unused]] const catalog::Answers answers,
        context.ask({{.key = "p",
                      .body = protocol::ElicitUrl{.message = "Sign in", .url = "https://example.org/"}}}));
    return protocol::text_result("signed in");
  });
  TestClient old(*server, {Revision::k2025_06_18, Transport::kPipe},
                 {.capabilities = R"({"elicitation":{"url":{}}})"});
  EXPECT_EQ(old.call_tool("page").text({"result", "isError"}), "true");
  TestClient client(*server, kLegacyPipe, {.capabilities = R"({"elicitation":{"url":{}}})"});
  const auto pending = client.start_tool("page");
  const WireMessage question = pending->next();
  EXPECT_EQ(question.text({"params", "url"}), "https://example.org/");
  client.answer(question, R"({"action":"accept"})");
  EXPECT_EQ(pending->reply().text({"result", "content", 0, "text"}), "signed in");
}

TEST(AskLegacy, GivesUpOnAClientThatDoesNotAnswer) {
  ServerOptions options;
  options.ask_timeout = std::chrono::milliseconds(20);
  TestServer server(std::move(options));
  server.add_tool("roots", ask_roots);
  TestClient client(*server, kLegacyPipe, {.capabilities = R"({"roots":{}})"});
  const auto pending = client.start_tool("roots");
  EXPECT_EQ(pending->next().method(), "roots/list");
  const WireMessage reply = pending->reply();
  EXPECT_EQ(reply.text({"result", "isError"}), "true");
  EXPECT_THAT(reply.text({"result", "content", 0, "text"}), HasSubstr("ask_timeout"));
}

TEST(AskLegacy, DoesNotCountTheUsersTimeAsTheRequests) {
  Signal never;
  ServerOptions options;
  options.request_timeout = std::chrono::seconds(1);  // Enough for the question to be asked.
  TestServer server(std::move(options));
  server.add_tool("roots", ask_roots);
  TestClient client(*server, kLegacyPipe, {.capabilities = R"({"roots":{}})"});
  const auto pending = client.start_tool("roots");
  const WireMessage question = pending->next();
  // Another request overruns its time meanwhile, so more than the timeout has passed for this one.
  server.add_tool("slow", [&](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
    never.wait(context.stop());
    return cancelled();
  });
  EXPECT_EQ(client.call_tool("slow").code(), -32603);
  client.answer(question, R"({"roots":[]})");
  EXPECT_TRUE(pending->reply().is_result());
}

TEST(AskLegacy, EndsWhenThePipeCloses) {
  Signal ended;
  TestServer server;
  server.add_tool("roots", [&](const json::Object& arguments, Context& context) {
    Result<protocol::ToolResult> result = ask_roots(arguments, context);
    ended.set();
    return result;
  });
  TestClient client(*server, kLegacyPipe, {.capabilities = R"({"roots":{}})"});
  const auto pending = client.start_tool("roots");
  EXPECT_EQ(pending->next().method(), "roots/list");
  client.close();
  EXPECT_TRUE(ended.wait());
}

TEST(AskLegacy, IsImpossibleWhereTheClientTakesNoStream) {
  TestServer server;
  server.add_tool("roots", ask_roots);
  TestClient client(*server, kLegacyHttp, {.capabilities = R"({"roots":{}})"});
  constexpr std::string_view kParams = R"({"name":"roots","arguments":{}})";
  protocol::HttpHead head = client.head("tools/call", kParams);
  head.accepts_stream = false;
  const WireMessage reply = client.post(head, client.request("50", "tools/call", kParams))->reply();
  EXPECT_EQ(reply.text({"result", "isError"}), "true");
}

TEST(AskLegacy, SaysBeforehandWhetherItCan) {
  TestServer server;
  server.add_tool("can", [](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
    return protocol::text_result(context.can_ask(name_form()) ? "yes" : "no");
  });
  TestClient able(*server, kLegacyPipe, {.capabilities = R"({"elicitation":{}})"});
  TestClient unable(*server, kLegacyPipe);
  EXPECT_EQ(able.call_tool("can").text({"result", "content", 0, "text"}), "yes");
  EXPECT_EQ(unable.call_tool("can").text({"result", "content", 0, "text"}), "no");
}

}  // namespace
}  // namespace sluice::server::testing
