// Progress and log lines go to whoever asked for them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_client.h"
#include "test_server.h"

namespace sluice::server::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Everything of one kind that came before the answer, as one text each.
std::vector<std::string> before_answer(TestClient::Pending& pending, TestClient& client, Dialect dialect,
                                       int expected, std::initializer_list<WireMessage::Step> path) {
  std::vector<std::string> found;
  for (int i = 0; i < expected; ++i) found.push_back(pending.next().text(path));
  EXPECT_TRUE(pending.reply().is_result());
  if (dialect.pipe()) {
    EXPECT_TRUE(client.is_quiet());
  }
  return found;
}

class ProgressTest : public DialectTest {
 protected:
  ProgressTest() {
    server.add_tool("work", [](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
      context.progress({.done = 1, .total = 4, .message = "one"});
      context.progress({.done = 1, .total = 4, .message = "again"});
      context.progress({.done = 0.5, .total = 4, .message = "backwards"});
      context.progress({.done = 2.5, .total = {}, .message = {}});
      context.progress({.done = 4, .total = 4, .message = "four"});
      return protocol::text_result("done");
    });
  }
  TestServer server;
};

TEST_P(ProgressTest, GrowsWithEachNotification) {
  TestClient client(*server, GetParam());
  const auto pending = client.start("tools/call", R"({"name":"work","_meta":{"progressToken":"t"}})");
  EXPECT_THAT(before_answer(*pending, client, GetParam(), 3, {"params", "progress"}),
              ElementsAre("1", "2.5", "4"));
}

TEST_P(ProgressTest, EchoesTheTokenAsItCame) {
  TestClient client(*server, GetParam());
  for (const char* token : {R"("7")", "7", R"("a \"quoted\" token")", "-9007199254740993"}) {
    const auto pending =
        client.start("tools/call", R"({"name":"work","_meta":{"progressToken":)" + std::string(token) + "}}");
    EXPECT_EQ(json::to_text(pending->next().at({"params", "progressToken"})), token);
    pending->next();
    pending->next();
    EXPECT_TRUE(pending->reply().is_result());
  }
}

TEST_P(ProgressTest, HasAMessageWhereTheRevisionKnowsIt) {
  TestClient client(*server, GetParam());
  const auto pending = client.start("tools/call", R"({"name":"work","_meta":{"progressToken":1}})");
  EXPECT_EQ(pending->next().text({"params", "message"}),
            GetParam().revision >= Revision::k2025_03_26 ? "one" : "");
}

TEST_P(ProgressTest, IsNotSentToAClientThatGaveNoToken) {
  TestClient client(*server, GetParam());
  const auto pending = client.start_tool("work");
  EXPECT_TRUE(pending->reply().is_result());
  if (GetParam().pipe()) {
    EXPECT_TRUE(client.is_quiet());
  } else {
    EXPECT_FALSE(pending->streamed());
  }
}

TEST_P(ProgressTest, TokenOfAWrongTypeIsRefused) {
  TestClient client(*server, GetParam());
  for (const char* token : {"1.5", "null", "true", "{}", "[]"}) {
    const WireMessage reply =
        client.call("tools/call", R"({"name":"work","_meta":{"progressToken":)" + std::string(token) + "}}");
    EXPECT_EQ(reply.code(), -32602) << token;
  }
}

INSTANTIATE_TEST_SUITE_P(, ProgressTest, ::testing::ValuesIn(every_dialect()), dialect_name);

TEST(Progress, ThatIsNoNumberIsDropped) {
  TestServer server;
  server.add_tool("odd", [](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
    context.progress({.done = std::numeric_limits<double>::quiet_NaN(), .total = {}, .message = {}});
    context.progress({.done = std::numeric_limits<double>::infinity(), .total = {}, .message = {}});
    context.progress({.done = 1, .total = std::numeric_limits<double>::infinity(), .message = {}});
    return protocol::text_result("done");
  });
  TestClient client(*server, kModernPipe);
  const auto pending = client.start("tools/call", R"({"name":"odd","_meta":{"progressToken":1}})");
  const WireMessage only = pending->next();
  EXPECT_EQ(only.text({"params", "progress"}), "1");
  EXPECT_FALSE(only.has({"params", "total"}));
  EXPECT_TRUE(pending->reply().is_result());
  EXPECT_TRUE(client.is_quiet());
}

class LogTest : public DialectTest {
 protected:
  LogTest() {
    server.add_tool("talk", [](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
      context.log(protocol::LogLevel::kDebug, "test", "debug");
      context.log(protocol::LogLevel::kInfo, "test", json::Object{{"text", "info"}});
      context.log(protocol::LogLevel::kWarning, "", "warning");
      context.log(protocol::LogLevel::kEmergency, "test", json::Array{1, nullptr});
      return protocol::text_result("done");
    });
  }
  TestServer server;
};

class LegacyLogTest : public LogTest {};

TEST_P(LegacyLogTest, StartsAtInfo) {
  TestClient client(*server, GetParam());
  const auto pending = client.start_tool("talk");
  EXPECT_THAT(before_answer(*pending, client, GetParam(), 3, {"params", "level"}),
              ElementsAre("info", "warning", "emergency"));
}

TEST_P(LegacyLogTest, FollowsSetLevel) {
  TestClient client(*server, GetParam());
  EXPECT_TRUE(client.call("logging/setLevel", R"({"level":"debug"})").is_result());
  EXPECT_THAT(before_answer(*client.start_tool("talk"), client, GetParam(), 4, {"params", "level"}),
              ElementsAre("debug", "info", "warning", "emergency"));
  EXPECT_TRUE(client.call("logging/setLevel", R"({"level":"alert"})").is_result());
  EXPECT_THAT(before_answer(*client.start_tool("talk"), client, GetParam(), 1, {"params", "level"}),
              ElementsAre("emergency"));
}

TEST_P(LegacyLogTest, RefusesALevelThatDoesNotExist) {
  TestClient client(*server, GetParam());
  EXPECT_EQ(client.call("logging/setLevel", R"({"level":"loud"})").code(), -32602);
  EXPECT_EQ(client.call("logging/setLevel", R"({"level":3})").code(), -32602);
  EXPECT_EQ(client.call("logging/setLevel").code(), -32602);
}

INSTANTIATE_TEST_SUITE_P(, LegacyLogTest, ::testing::ValuesIn(every_legacy_dialect()), dialect_name);

class ModernLogTest : public LogTest {};

TEST_P(ModernLogTest, SaysNothingUnlessTheRequestAsks) {
  TestClient client(*server, GetParam());
  const auto pending = client.start_tool("talk");
  EXPECT_THAT(before_answer(*pending, client, GetParam(), 0, {}), IsEmpty());
}

TEST_P(ModernLogTest, StartsAtTheLevelOfTheRequest) {
  TestClient client(*server, GetParam(), {.log_level = "warning"});
  const auto pending = client.start_tool("talk");
  EXPECT_THAT(before_answer(*pending, client, GetParam(), 2, {"params", "level"}),
              ElementsAre("warning", "emergency"));
}

TEST_P(ModernLogTest, RefusesALevelThatDoesNotExist) {
  TestClient client(*server, GetParam(), {.log_level = "loud"});
  EXPECT_EQ(client.call_tool("talk").code(), -32602);
}

INSTANTIATE_TEST_SUITE_P(, ModernLogTest, ::testing::Values(kModernPipe, kModernHttp), dialect_name);

TEST(Log, ThatIsTurnedOffIsNotOffered) {
  ServerOptions options;
  options.logging = false;
  TestServer server(std::move(options));
  server.add_tool("talk", [](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
    context.log(protocol::LogLevel::kEmergency, "test", "loud");
    return protocol::text_result("done");
  });
  TestClient client(*server, kLegacyPipe);
  EXPECT_EQ(client.call("logging/setLevel", R"({"level":"debug"})").code(), -32601);
  EXPECT_TRUE(client.call_tool("talk").is_result());
  EXPECT_TRUE(client.is_quiet());
}

TEST(Log, OfOneLegacySessionDoesNotChangeAnother) {
  TestServer server;
  server.add_tool("talk", [](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
    context.log(protocol::LogLevel::kDebug, "test", "debug");
    return protocol::text_result("done");
  });
  TestClient loud(*server, kLegacyPipe);
  TestClient quiet(*server, kLegacyPipe);
  EXPECT_TRUE(loud.call("logging/setLevel", R"({"level":"debug"})").is_result());
  EXPECT_TRUE(quiet.call_tool("talk").is_result());
  EXPECT_TRUE(quiet.is_quiet());
}

class PingTest : public DialectTest {};

TEST_P(PingTest, IsAnsweredWithNothing) {
  TestServer server;
  TestClient client(*server, GetParam());
  EXPECT_EQ(client.call("ping").text({"result"}), "{}");
}

TEST_P(PingTest, IsAnsweredWhileAToolRuns) {
  Signal begun;
  Signal go;
  TestServer server;
  server.add_tool("block", [&](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
    begun.set();
    go.wait(context.stop());
    return protocol::text_result("done");
  });
  TestClient client(*server, GetParam());
  const auto pending = client.start_tool("block");
  ASSERT_TRUE(begun.wait());
  EXPECT_TRUE(client.call("ping").is_result());
  go.set();
  EXPECT_TRUE(pending->reply().is_result());
}

INSTANTIATE_TEST_SUITE_P(, PingTest, ::testing::ValuesIn(every_legacy_dialect()), dialect_name);

}  // namespace
}  // namespace sluice::server::testing
