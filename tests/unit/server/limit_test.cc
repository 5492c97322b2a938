// How much the server keeps for its clients, and what happens to the one who asks for more.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_client.h"
#include "test_server.h"

namespace sluice::server::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kInitialize =
    R"({"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}})";

TEST(SessionLimit, GivesTheRoomOfTheIdlestSessionToANewOne) {
  TestServer server;
  TestClient busy(*server, kLegacyHttp);
  TestClient idlest(*server, kLegacyHttp);
  const auto stream = idlest.resume("");
  TestClient opener(*server, kLegacyHttp);
  for (int i = 3; i < 4096; ++i) EXPECT_EQ(opener.start("initialize", kInitialize)->status(), 200);
  EXPECT_TRUE(busy.call("ping").is_result());
  EXPECT_EQ(opener.start("initialize", kInitialize)->status(), 200);
  EXPECT_EQ(idlest.start("ping")->status(), 404);
  EXPECT_TRUE(stream->released());
  EXPECT_TRUE(busy.call("ping").is_result());
  EXPECT_TRUE(opener.call("ping").is_result());
}

constexpr std::string_view kListen = R"({"notifications":{"toolsListChanged":true}})";

TEST(ListenLimit, RefusesOneStreamTooManyAndGoesOnWithRequests) {
  TestServer server;
  server.add_echo();
  TestClient client(*server, kModernHttp);
  std::vector<std::unique_ptr<TestClient::Pending>> streams;
  for (int i = 0; i < 256; ++i) streams.push_back(client.start("subscriptions/listen", kListen));
  for (const auto& stream : streams)
    EXPECT_EQ(stream->next().method(), "notifications/subscriptions/acknowledged");
  const auto refused = client.start("subscriptions/listen", kListen);
  EXPECT_EQ(refused->reply().text({"error", "data", "code"}), "too_busy");
  EXPECT_EQ(refused->status(), 503);
  EXPECT_TRUE(client.call_tool("echo", R"({"text":"x"})").is_result());
  streams.front()->cancel();
  const auto next = client.start("subscriptions/listen", kListen);
  EXPECT_EQ(next->next().method(), "notifications/subscriptions/acknowledged");
}

TEST(TaskLimit, RefusesATaskTooManyUntilOneIsForgotten) {
  TestClock clock;
  ServerOptions options;
  options.clock = &clock;
  TestServer server(std::move(options));
  server.add_task_tool("work", [](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
    SLUICE_TRY([[maybe_unused]] const bool became, context.become_task());
    return protocol::text_result("done");
  });
  TestClient client(*server, kModernHttp,
                    {.capabilities = R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})"});
  for (int i = 0; i < 512; ++i) EXPECT_TRUE(client.call_tool("work").has({"result", "taskId"}));
  const WireMessage refused = client.call_tool("work");
  EXPECT_EQ(refused.text({"result", "isError"}), "true");
  EXPECT_THAT(refused.text({"result", "content", 0, "text"}), HasSubstr("1024"));
  clock.advance(std::chrono::minutes(11));
  EXPECT_TRUE(client.call_tool("work").has({"result", "taskId"}));
}

class QuestionLimitTest : public DialectTest {
 protected:
  QuestionLimitTest() {
    server.add_tool("ask",
                    [](const json::Object& arguments, Context& context) -> Result<protocol::ToolResult> {
                      std::vector<protocol::Question> questions;
                      const std::int64_t count = *arguments.find("count")->if_number()->as_int64();
                      for (std::int64_t i = 0; i < count; ++i)
                        questions.push_back({.key = "q" + std::to_string(i), .body = name_form()});
                      SLUICE_TRY(const catalog::Answers answers, context.ask(std::move(questions)));
                      return protocol::text_result(std::to_string(answers.size()));
                    });
  }
  TestServer server;
};

TEST_P(QuestionLimitTest, AsksNothingWhereAHandlerAsksTooMuchAtOnce) {
  TestClient client(*server, GetParam(), {.capabilities = R"({"elicitation":{"form":{}}})"});
  const WireMessage reply = client.call_tool("ask", R"({"count":17})");
  EXPECT_THAT(json::to_text(reply.value()), HasSubstr("questions at once"));
  EXPECT_FALSE(reply.has({"result", "inputRequests"}));
}

INSTANTIATE_TEST_SUITE_P(, QuestionLimitTest, ::testing::ValuesIn(both_eras()), dialect_name);

TEST_F(QuestionLimitTest, PutsSixteenQuestionsAtOnce) {
  TestClient client(*server, kModernPipe, {.capabilities = R"({"elicitation":{"form":{}}})"});
  EXPECT_EQ(client.call_tool("ask", R"({"count":16})").size({"result", "inputRequests"}), 16);
}

}  // namespace
}  // namespace sluice::server::testing
