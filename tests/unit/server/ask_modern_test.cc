// Asking in the modern era: the request ends, and is sent again with the answers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_client.h"
#include "test_server.h"

namespace sluice::server::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kAskable = R"({"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}})";

// Asks for a name, then for a town, in two rounds, and answers with both.
Result<protocol::ToolResult> ask_twice(const json::Object&, Context& context) {
  SLUICE_TRY(const protocol::ElicitAnswer name, context.ask_form("name", name_form()));
  SLUICE_TRY(const protocol::ElicitAnswer town,
             context.ask_form("town",
                              {.message = "Where are you?", .schema = parse(R"({"type":"object","properties":{
                                         "town":{"type":"string"}},"required":["town"]})")}));
  return protocol::text_result(describe(name) + ", " + describe(town));
}

class AskModernTest : public DialectTest {
 protected:
  AskModernTest() {
    options.clock = &clock;
    server.emplace(std::move(options));
    server->add_tool("ask", [](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
      SLUICE_TRY(const protocol::ElicitAnswer answer, context.ask_form("name", name_form()));
      return protocol::text_result(describe(answer));
    });
    server->add_tool("ask_twice", ask_twice);
  }

  TestClient connect(Principal principal = local_principal()) {
    return TestClient(**server, GetParam(),
                      {.capabilities = std::string(kAskable), .principal = std::move(principal)});
  }

  // The first round of a call of `tool`: its request state.
  static std::string state_of(TestClient& client, std::string_view tool, std::string_view arguments = "{}") {
    const WireMessage reply = client.call_tool(tool, arguments);
    EXPECT_EQ(reply.text({"result", "resultType"}), "input_required");
    return reply.text({"result", "requestState"});
  }

  // Parameters for the retry.
  static std::string retry(std::string_view tool, const std::string& state, std::string_view responses,
                           std::string_view arguments = "{}") {
    return json::to_text(json::Object{{"name", tool},
                                      {"arguments", parse(arguments)},
                                      {"requestState", state},
                                      {"inputResponses", parse(responses)}});
  }

  TestClock clock;
  ServerOptions options;
  std::optional<TestServer> server;
};

TEST_P(AskModernTest, EndsTheRequestWithTheQuestion) {
  TestClient client = connect();
  const WireMessage reply = client.call_tool("ask");
  EXPECT_EQ(reply.text({"result", "resultType"}), "input_required");
  EXPECT_EQ(reply.text({"result", "inputRequests", "name", "method"}), "elicitation/create");
  EXPECT_EQ(reply.text({"result", "inputRequests", "name", "params", "mode"}), "form");
  EXPECT_EQ(reply.text({"result", "inputRequests", "name", "params", "message"}), "What is your name?");
  EXPECT_TRUE(reply.has({"result", "requestState"}));
}

TEST_P(AskModernTest, FindsTheAnswerInTheRetry) {
  TestClient client = connect();
  const std::string state = state_of(client, "ask");
  const WireMessage reply = client.call(
      "tools/call", retry("ask", state, R"({"name":{"action":"accept","content":{"name":"Ada"}}})"));
  EXPECT_EQ(reply.text({"result", "content", 0, "text"}), R"(accept {"name":"Ada"})");
}

TEST_P(AskModernTest, TakesARefusalForAnAnswer) {
  TestClient client = connect();
  for (const char* action : {"decline", "cancel"}) {
    const std::string state = state_of(client, "ask");
    const std::string responses = R"({"name":{"action":")" + std::string(action) + R"("}})";
    EXPECT_EQ(
        client.call("tools/call", retry("ask", state, responses)).text({"result", "content", 0, "text"}),
        action);
  }
}

TEST_P(AskModernTest, NeedsNoStateWhereTheAnswerComesAtOnce) {
  TestClient client = connect();
  const WireMessage reply = client.call("tools/call", R"({"name":"ask",
    "inputResponses":{"name":{"action":"accept","content":{"name":"Ada"}}}})");
  EXPECT_EQ(reply.text({"result", "content", 0, "text"}), R"(accept {"name":"Ada"})");
}

TEST_P(AskModernTest, CarriesAnswersOfEarlierRounds) {
  TestClient client = connect();
  const std::string first = state_of(client, "ask_twice");
  const WireMessage second = client.call(
      "tools/call", retry("ask_twice", first, R"({"name":{"action":"accept","content":{"name":"Ada"}}})"));
  EXPECT_TRUE(second.has({"result", "inputRequests", "town"}));
  EXPECT_FALSE(second.has({"result", "inputRequests", "name"}));
  const WireMessage third =
      client.call("tools/call", retry("ask_twice", second.text({"result", "requestState"}),
                                      R"({"town":{"action":"accept","content":{"town":"London"}}})"));
  EXPECT_EQ(third.text({"result", "content", 0, "text"}),
            R"(accept {"name":"Ada"}, accept {"town":"London"})");
}

TEST_P(AskModernTest, AsksAgainForWhatWasNotAnswered) {
  TestClient client = connect();
  const std::string state = state_of(client, "ask");
  const WireMessage reply =
      client.call("tools/call", retry("ask", state, R"({"other":{"action":"accept","content":{}}})"));
  EXPECT_TRUE(reply.has({"result", "inputRequests", "name"}));
}

TEST_P(AskModernTest, AsksAgainWhereTheAnswerDoesNotFitTheForm) {
  TestClient client = connect();
  for (const char* bad : {R"({"name":{"action":"accept","content":{"name":7}}})",
                          R"({"name":{"action":"accept","content":{}}})", R"({"name":{"action":"accept"}})",
                          R"({"name":{"action":"perhaps"}})", R"({"name":{}})"}) {
    const std::string state = state_of(client, "ask");
    const WireMessage reply = client.call("tools/call", retry("ask", state, bad));
    EXPECT_TRUE(reply.has({"result", "inputRequests", "name"})) << bad;
  }
}

TEST_P(AskModernTest, RefusesResponsesOfAWrongType) {
  TestClient client = connect();
  const std::string state = state_of(client, "ask");
  for (const char* bad :
       {"[]", "7", "null", R"("x")", R"({"name":7})", R"({"name":null})", R"({"name":[]})"}) {
    EXPECT_EQ(client.call("tools/call", retry("ask", state, bad)).code(), -32602) << bad;
  }
}

TEST_P(AskModernTest, RefusesAStateThatWasChanged) {
  TestClient client = connect();
  const std::string state = state_of(client, "ask");
  for (std::size_t place = 0; place < state.size(); place += 11) {
    std::string changed = state;
    changed[place] = changed[place] == 'A' ? 'B' : 'A';
    const WireMessage reply = client.call("tools/call", retry("ask", changed, "{}"));
    EXPECT_EQ(reply.code(), -32602);
    EXPECT_EQ(reply.text({"error", "data", "code"}), "invalid_request_state");
  }
}

TEST_P(AskModernTest, RefusesAStateThatWasInvented) {
  TestClient client = connect();
  for (const std::string& invented : {std::string(), std::string("x"), std::string(300'000, 'A')})
    EXPECT_EQ(client.call("tools/call", retry("ask", invented, "{}")).code(), -32602);
  EXPECT_EQ(client.call("tools/call", R"({"name":"ask","requestState":7})").code(), -32602);
}

TEST_P(AskModernTest, RefusesAStateThatHasExpired) {
  TestClient client = connect();
  const std::string state = state_of(client, "ask");
  constexpr std::string_view kAnswer = R"({"name":{"action":"decline"}})";
  clock.advance(std::chrono::minutes(9));
  EXPECT_TRUE(client.call("tools/call", retry("ask", state, kAnswer)).is_result());
  clock.advance(std::chrono::minutes(2));
  const WireMessage reply = client.call("tools/call", retry("ask", state, kAnswer));
  EXPECT_EQ(reply.code(), -32602);
  EXPECT_THAT(reply.error(), HasSubstr("expired"));
}

// Otherwise it would be good for as much longer as the clock was set back.
TEST_P(AskModernTest, RefusesAStateThatWasMadeBeforeTheClockWasSetBack) {
  TestClient client = connect();
  const std::string state = state_of(client, "ask");
  constexpr std::string_view kAnswer = R"({"name":{"action":"decline"}})";
  clock.set_back(std::chrono::seconds(30));  // As it happens where clocks are kept in step.
  EXPECT_TRUE(client.call("tools/call", retry("ask", state, kAnswer)).is_result());
  clock.set_back(std::chrono::hours(24));
  const WireMessage reply = client.call("tools/call", retry("ask", state, kAnswer));
  EXPECT_EQ(reply.text({"error", "data", "code"}), "invalid_request_state");
  EXPECT_THAT(reply.error(), HasSubstr("clock was set back"));
}

TEST_P(AskModernTest, RefusesAStateOfOtherArguments) {
  TestClient client = connect();
  const std::string state = state_of(client, "ask", R"({"amount":1})");
  const WireMessage reply = client.call("tools/call", retry("ask", state, "{}", R"({"amount":1000000})"));
  EXPECT_EQ(reply.code(), -32602);
  EXPECT_THAT(reply.error(), HasSubstr("another request"));
}

TEST_P(AskModernTest, TakesTheSameArgumentsInAnotherOrder) {
  TestClient client = connect();
  const std::string state = state_of(client, "ask", R"({"a":1,"b":{"c":[1,2],"d":3}})");
  const WireMessage reply = client.call("tools/call", retry("ask", state, R"({"name":{"action":"decline"}})",
                                                            R"({"b":{"d":3,"c":[1,2]},"a":1})"));
  EXPECT_EQ(reply.text({"result", "content", 0, "text"}), "decline");
}

TEST_P(AskModernTest, RefusesAStateOfAnotherTool) {
  TestClient client = connect();
  const std::string state = state_of(client, "ask");
  EXPECT_EQ(client.call("tools/call", retry("ask_twice", state, "{}")).code(), -32602);
}

TEST_P(AskModernTest, RefusesACursorForAState) {
  for (int i = 0; i < 120; ++i) server->add_tool("z" + std::to_string(i), ask_twice);
  TestClient client = connect();
  const std::string cursor = client.call("tools/list").text({"result", "nextCursor"});
  EXPECT_EQ(client.call("tools/call", retry("ask", cursor, "{}")).code(), -32602);
}

TEST_P(AskModernTest, AsksForSamplesAndRootsToo) {
  server->add_tool("ask_all", [](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
    SLUICE_TRY(
        const catalog::Answers answers,
        context.ask({{.key = "sample", .body = greeting_sample()},
                     {.key = "roots", .body = protocol::ListRoots{}},
                     {.key = "page",
                      .body = protocol::ElicitUrl{.message = "Sign in", .url = "https://example.org/"}}}));
    const auto& roots = std::get<protocol::RootsAnswer>(answers.at("roots"));
    const auto& sample = std::get<protocol::SampleAnswer>(answers.at("sample"));
    return protocol::text_result(roots.roots.at(0).uri + " " + *sample.result.find("model")->if_string());
  });
  TestClient client = connect();
  const WireMessage asked = client.call_tool("ask_all");
  EXPECT_EQ(asked.text({"result", "inputRequests", "sample", "method"}), "sampling/createMessage");
  EXPECT_EQ(asked.text({"result", "inputRequests", "roots", "method"}), "roots/list");
  EXPECT_EQ(asked.text({"result", "inputRequests", "page", "params", "mode"}), "url");
  const WireMessage reply =
      client.call("tools/call", retry("ask_all", asked.text({"result", "requestState"}), R"({
    "sample":{"role":"assistant","content":{"type":"text","text":"hi"},"model":"m"},
    "roots":{"roots":[{"uri":"file:///home"}]},
    "page":{"action":"accept"}})"));
  EXPECT_EQ(reply.text({"result", "content", 0, "text"}), "file:///home m");
}

TEST_P(AskModernTest, IsImpossibleForAClientWithoutTheCapability) {
  struct Case {
    const char* capabilities;
    const char* required;
  };
  for (const Case& each : {Case{"{}", R"({"elicitation":{"form":{}}})"},
                           Case{R"({"elicitation":{"url":{}}})", R"({"elicitation":{"form":{}}})"},
                           Case{R"({"sampling":{}})", R"({"elicitation":{"form":{}}})"}}) {
    TestClient client(**server, GetParam(), {.capabilities = each.capabilities});
    const auto pending = client.start_tool("ask");
    const WireMessage reply = pending->reply();
    EXPECT_EQ(reply.code(), -32021);
    EXPECT_EQ(reply.text({"error", "data", "requiredCapabilities"}), each.required);
    if (!GetParam().pipe()) {
      EXPECT_EQ(pending->status(), 400);
    }
  }
}

TEST_P(AskModernTest, WorksForResourcesAndPrompts) {
  server->registry->add_resource({.uri = "memo:a", .name = "a"},
                                 [](const ResourceUri&, Context& context) -> Result<protocol::ReadResult> {
                                   SLUICE_TRY([[maybe_unused]] const auto answer,
                                              context.ask_form("name", name_form()));
                                   return protocol::ReadResult{};
                                 });
  server->registry->add_prompt(
      {.name = "p"},
      [](const protocol::PromptArguments&, Context& context) -> Result<protocol::PromptResult> {
        SLUICE_TRY([[maybe_unused]] const auto answer, context.ask_form("name", name_form()));
        return protocol::PromptResult{};
      });
  TestClient client = connect();
  struct Case {
    const char* method;
    const char* key;
    const char* target;
  };
  for (const Case& each : {Case{"resources/read", "uri", "memo:a"}, Case{"prompts/get", "name", "p"}}) {
    const WireMessage asked = client.call(each.method, json::to_text(json::Object{{each.key, each.target}}));
    EXPECT_EQ(asked.text({"result", "resultType"}), "input_required") << each.method;
    const WireMessage reply = client.call(
        each.method,
        json::to_text(json::Object{{each.key, each.target},
                                   {"requestState", asked.text({"result", "requestState"})},
                                   {"inputResponses", parse(R"({"name":{"action":"cancel"}})")}}));
    EXPECT_EQ(reply.text({"result", "resultType"}), "complete") << each.method;
  }
}

INSTANTIATE_TEST_SUITE_P(, AskModernTest, ::testing::Values(kModernPipe, kModernHttp), dialect_name);

class AskModernHttpTest : public AskModernTest {};

TEST_P(AskModernHttpTest, RefusesAStateOfAnotherPrincipal) {
  TestClient alice = connect({"token:alice"});
  TestClient bob = connect({"token:bob"});
  const std::string state = state_of(alice, "ask");
  const WireMessage reply = bob.call("tools/call", retry("ask", state, "{}"));
  EXPECT_EQ(reply.code(), -32602);
  EXPECT_THAT(reply.error(), HasSubstr("another caller"));
}

INSTANTIATE_TEST_SUITE_P(, AskModernHttpTest, ::testing::Values(kModernHttp), dialect_name);

}  // namespace
}  // namespace sluice::server::testing
