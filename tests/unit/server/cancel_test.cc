// A request that is cancelled stops, and nothing more is heard of it.

#include <atomic>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_client.h"
#include "test_server.h"

namespace sluice::server::testing {
namespace {

// A tool that says when it has begun, runs until it is stopped or let go, and says which it was.
struct Blocker {
  Signal begun;
  Signal go;
  Signal ended;
  std::atomic<bool> stopped{false};

  Registry::ToolHandler handler() {
    return [this](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
      begun.set();
      go.wait(context.stop());
      stopped = context.stop().stop_requested();
      // A handler that does not hear well: it goes on talking after it was told to stop.
      context.progress({.done = 1, .total = {}, .message = "too late"});
      ended.set();
      return protocol::text_result("done");
    };
  }
};

constexpr std::string_view kWithToken = R"({"name":"block","arguments":{},"_meta":{"progressToken":"t"}})";

class CancelTest : public DialectTest {
 protected:
  CancelTest() {
    server.add_tool("block", blocker.handler());
    server.add_echo();
  }
  Blocker blocker;
  TestServer server;
};

TEST_P(CancelTest, StopsTheHandler) {
  TestClient client(*server, GetParam());
  const auto pending = client.start_tool("block");
  ASSERT_TRUE(blocker.begun.wait());
  pending->cancel();
  ASSERT_TRUE(blocker.ended.wait());
  EXPECT_TRUE(blocker.stopped);
}

TEST_P(CancelTest, LeavesTheRestOfTheServerAlone) {
  TestClient client(*server, GetParam());
  const auto pending = client.start_tool("block");
  ASSERT_TRUE(blocker.begun.wait());
  pending->cancel();
  EXPECT_TRUE(client.call_tool("echo", R"({"text":"still here"})").is_result());
}

INSTANTIATE_TEST_SUITE_P(, CancelTest, ::testing::ValuesIn(every_dialect()), dialect_name);

class CancelOnAPipeTest : public CancelTest {};

TEST_P(CancelOnAPipeTest, IsFollowedByNoFurtherMessage) {
  TestClient client(*server, GetParam());
  const auto pending = client.start("tools/call", kWithToken);
  ASSERT_TRUE(blocker.begun.wait());
  pending->cancel();
  ASSERT_TRUE(blocker.ended.wait());
  // The pipe keeps the order: what the handler still said would come before the answers to these.
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(client.call_tool("echo", R"({"text":"later"})").is_result());
  EXPECT_TRUE(client.is_quiet());
}

TEST_P(CancelOnAPipeTest, FreesTheIdForAnotherRequest) {
  TestClient client(*server, GetParam());
  const auto pending = client.start_tool("block");
  ASSERT_TRUE(blocker.begun.wait());
  pending->cancel();
  ASSERT_TRUE(blocker.ended.wait());
  EXPECT_TRUE(client.call_tool("echo", R"({"text":"x"})").is_result());
}

TEST_P(CancelOnAPipeTest, OfAnUnknownOrMalformedIdIsIgnored) {
  TestClient client(*server, GetParam());
  const auto pending = client.start_tool("block");
  ASSERT_TRUE(blocker.begun.wait());
  client.notify("notifications/cancelled", R"({"requestId":4711})");
  client.notify("notifications/cancelled",
                R"({"requestId":")" + pending->id() + R"("})");  // A string, not it.
  client.notify("notifications/cancelled", R"({"requestId":null})");
  client.notify("notifications/cancelled", R"({"requestId":[1]})");
  client.notify("notifications/cancelled", "{}");
  blocker.go.set();
  EXPECT_EQ(pending->reply().text({"result", "content", 0, "text"}), "done");
  EXPECT_FALSE(blocker.stopped);
}

TEST_P(CancelOnAPipeTest, AfterTheAnswerIsIgnored) {
  TestClient client(*server, GetParam());
  const auto pending = client.start_tool("echo", R"({"text":"x"})");
  EXPECT_TRUE(pending->reply().is_result());
  pending->cancel();
  EXPECT_TRUE(client.call_tool("echo", R"({"text":"y"})").is_result());
}

TEST_P(CancelOnAPipeTest, HappensWhenThePipeCloses) {
  TestClient client(*server, GetParam());
  const auto pending = client.start_tool("block");
  ASSERT_TRUE(blocker.begun.wait());
  client.close();
  ASSERT_TRUE(blocker.ended.wait());
  EXPECT_TRUE(blocker.stopped);
}

INSTANTIATE_TEST_SUITE_P(, CancelOnAPipeTest,
                         ::testing::Values(kModernPipe, kLegacyPipe,
                                           Dialect{Revision::k2024_11_05, Transport::kPipe}),
                         dialect_name);

TEST_F(CancelTest, ReachesTheModernRequestOnAPipeThatAlsoHasALegacySession) {
  TestClient client(*server, kLegacyPipe);
  client.speak(Revision::k2026_07_28);
  const auto pending = client.start_tool("block");
  ASSERT_TRUE(blocker.begun.wait());
  pending->cancel();
  ASSERT_TRUE(blocker.ended.wait());
  EXPECT_TRUE(blocker.stopped);
}

TEST_F(CancelTest, MayCarryTheMetadataOfTheModernEra) {
  TestClient client(*server, kModernPipe);
  const auto pending = client.start_tool("block");
  ASSERT_TRUE(blocker.begun.wait());
  client.notify("notifications/cancelled", R"({"requestId":)" + pending->id() + R"(,"_meta":{
    "io.modelcontextprotocol/protocolVersion":"2026-07-28"}})");
  ASSERT_TRUE(blocker.ended.wait());
  EXPECT_TRUE(blocker.stopped);
}

TEST_F(CancelTest, OfAnotherPipeDoesNotReachTheRequest) {
  TestClient client(*server, kModernPipe);
  TestClient other(*server, kModernPipe);
  const auto pending = client.start_tool("block");
  ASSERT_TRUE(blocker.begun.wait());
  other.notify("notifications/cancelled", R"({"requestId":)" + pending->id() + "}");
  blocker.go.set();
  EXPECT_TRUE(pending->reply().is_result());
  EXPECT_FALSE(blocker.stopped);
}

TEST_F(CancelTest, OfAnotherSessionDoesNotReachTheRequest) {
  TestClient client(*server, kLegacyHttp);
  TestClient other(*server, kLegacyHttp);
  const auto pending = client.start_tool("block");
  ASSERT_TRUE(blocker.begun.wait());
  other.notify("notifications/cancelled", R"({"requestId":)" + pending->id() + "}");
  blocker.go.set();
  EXPECT_TRUE(pending->reply().is_result());
}

TEST_F(CancelTest, IsNotWhatALegacyHttpClientMeansByLosingItsConnection) {
  TestClient client(*server, kLegacyHttp);
  const auto pending = client.start_tool("block");
  ASSERT_TRUE(blocker.begun.wait());
  pending->disconnect();
  EXPECT_TRUE(client.call("ping").is_result());
  blocker.go.set();
  ASSERT_TRUE(blocker.ended.wait());
  EXPECT_FALSE(blocker.stopped);
}

TEST_F(CancelTest, HappensWhenALegacyHttpSessionEnds) {
  TestClient client(*server, kLegacyHttp);
  const auto pending = client.start_tool("block");
  ASSERT_TRUE(blocker.begun.wait());
  protocol::HttpHead head = client.head("", "{}");
  head.method = "DELETE";
  EXPECT_EQ(client.post(head, "")->status(), 204);
  ASSERT_TRUE(blocker.ended.wait());
  EXPECT_TRUE(blocker.stopped);
}

TEST_F(CancelTest, EndsTheResponseOfALegacyHttpRequest) {
  TestClient client(*server, kLegacyHttp);
  const auto pending = client.start_tool("block");
  ASSERT_TRUE(blocker.begun.wait());
  pending->cancel();
  EXPECT_EQ(pending->status(), 202);
  EXPECT_EQ(pending->reply().text({}), "");
}

}  // namespace
}  // namespace sluice::server::testing
