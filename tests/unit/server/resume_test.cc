// A legacy HTTP client that lost its connection comes back for what it missed: that, and nothing else.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recording_exchange.h"
#include "test_client.h"
#include "test_server.h"

namespace sluice::server::testing {
namespace {

constexpr std::string_view kWithToken = R"({"name":"steps","arguments":{},"_meta":{"progressToken":"t"}})";

class ResumeTest : public DialectTest {
 protected:
  ResumeTest() {
    server.add_tool("steps", [this](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
      context.progress({.done = 1, .total = {}, .message = {}});
      context.progress({.done = 2, .total = {}, .message = {}});
      first_half.set();
      go.wait(context.stop());
      context.progress({.done = 3, .total = {}, .message = {}});
      context.progress({.done = 4, .total = {}, .message = {}});
      return protocol::text_result("done");
    });
  }

  std::shared_ptr<RecordingExchange> get(TestClient& client, std::optional<std::string> last_event_id) {
    protocol::HttpHead head = client.head("", "{}");
    head.method = "GET";
    head.last_event_id = std::move(last_event_id);
    auto exchange = std::make_shared<RecordingExchange>(std::move(head), "");
    server->receive(exchange);
    return exchange;
  }

  Signal first_half;
  Signal go;
  TestServer server;
};

TEST_P(ResumeTest, ReplaysExactlyWhatWasMissed) {
  TestClient client(*server, GetParam());
  const auto pending = client.start("tools/call", kWithToken);
  EXPECT_EQ(pending->next().text({"params", "progress"}), "1");
  const std::string last_seen = pending->event_id(0);
  ASSERT_TRUE(first_half.wait());
  pending->disconnect();
  go.set();
  const auto resumed = client.resume(last_seen);
  EXPECT_EQ(resumed->next().text({"params", "progress"}), "2");
  EXPECT_EQ(resumed->next().text({"params", "progress"}), "3");
  EXPECT_EQ(resumed->next().text({"params", "progress"}), "4");
  EXPECT_EQ(resumed->reply().text({"result", "content", 0, "text"}), "done");
}

TEST_P(ResumeTest, ReplaysAsOftenAsItIsAsked) {
  TestClient client(*server, GetParam());
  go.set();
  const auto pending = client.start("tools/call", kWithToken);
  EXPECT_TRUE(pending->reply().is_result());
  const std::string last_seen = pending->event_id(2);
  for (int round = 0; round < 2; ++round) {
    const auto resumed = client.resume(last_seen);
    EXPECT_EQ(resumed->next().text({"params", "progress"}), "4");
    EXPECT_EQ(resumed->reply().text({"result", "content", 0, "text"}), "done");
  }
}

TEST_P(ResumeTest, EndsAtOnceWhereNothingWasMissed) {
  TestClient client(*server, GetParam());
  go.set();
  const auto pending = client.start("tools/call", kWithToken);
  EXPECT_TRUE(pending->reply().is_result());
  const std::string id = pending->event_id(0);
  const std::string last = id.substr(0, id.find('-')) + "-5";
  EXPECT_TRUE(client.resume(last)->released());
}

TEST_P(ResumeTest, GoesOnWithWhatIsStillToCome) {
  TestClient client(*server, GetParam());
  const auto pending = client.start("tools/call", kWithToken);
  ASSERT_TRUE(first_half.wait());
  pending->next();
  pending->next();
  const std::string last_seen = pending->event_id(1);
  const auto resumed = client.resume(last_seen);
  EXPECT_TRUE(pending->released());  // One connection at a time carries a stream.
  go.set();
  EXPECT_EQ(resumed->next().text({"params", "progress"}), "3");
  EXPECT_EQ(resumed->next().text({"params", "progress"}), "4");
  EXPECT_TRUE(resumed->reply().is_result());
}

TEST_P(ResumeTest, FromAnIdThatMeansNothingOpensTheStreamForEverythingElse) {
  TestClient client(*server, GetParam());
  for (const char* odd :
       {"", "x", "-", "1", "1-", "-1", "999-1", "1-99999999999999999999", "0x1-2", "1-2-3"}) {
    const auto stream = client.resume(odd);
    server.add_tool("tool" + std::to_string(std::string(odd).size()) + client.next_id(),
                    [](const json::Object&, Context&) -> Result<protocol::ToolResult> {
                      return protocol::text_result("");
                    });
    EXPECT_EQ(stream->next().method(), "notifications/tools/list_changed") << odd;
  }
}

TEST_P(ResumeTest, GivesTheStreamForEverythingElseWhatNoConnectionCarried) {
  TestClient client(*server, GetParam());
  const auto stream = client.resume("");
  server.registry->remove_tool("steps");
  EXPECT_EQ(stream->next().method(), "notifications/tools/list_changed");
  stream->disconnect();
  server.add_prompt("while nobody listens", "text");
  const auto again = client.resume("");
  EXPECT_EQ(again->next().method(), "notifications/prompts/list_changed");
}

TEST_P(ResumeTest, DoesNotReachAnotherSessionsStreams) {
  TestClient client(*server, GetParam());
  TestClient other(*server, GetParam());
  go.set();
  const auto pending = client.start("tools/call", kWithToken);
  EXPECT_TRUE(pending->reply().is_result());
  const std::string last_seen = pending->event_id(0);
  const auto resumed = other.resume(last_seen);
  server.add_prompt("marker", "text");
  EXPECT_EQ(resumed->next().method(), "notifications/prompts/list_changed");
}

INSTANTIATE_TEST_SUITE_P(, ResumeTest,
                         ::testing::Values(Dialect{Revision::k2025_03_26, Transport::kHttp},
                                           Dialect{Revision::k2025_06_18, Transport::kHttp}, kLegacyHttp),
                         dialect_name);

TEST_F(ResumeTest, BeginsAStreamWithAnEventThatSaysWhereToResume) {
  TestClient client(*server, kLegacyHttp);
  go.set();
  auto exchange = std::make_shared<RecordingExchange>(client.head("tools/call", kWithToken),
                                                      client.request("9", "tools/call", kWithToken));
  server->receive(exchange);
  const std::vector<protocol::Outbound> events = exchange->events(2);
  ASSERT_GE(events.size(), 2);
  EXPECT_EQ(events[0].message, "");
  EXPECT_FALSE(events[0].event_id.empty());
  EXPECT_TRUE(events[0].retry.has_value());
  EXPECT_NE(events[1].event_id, events[0].event_id);
  EXPECT_TRUE(exchange->final().has_value());
}

TEST_F(ResumeTest, SendsNoEmptyEventBeforeTheRevisionThatKnowsIt) {
  TestClient client(*server, {Revision::k2025_06_18, Transport::kHttp});
  go.set();
  auto exchange = std::make_shared<RecordingExchange>(client.head("tools/call", kWithToken),
                                                      client.request("9", "tools/call", kWithToken));
  server->receive(exchange);
  EXPECT_TRUE(exchange->final().has_value());
  for (const protocol::Outbound& event : exchange->events(0)) {
    if (event.message.empty()) {
      EXPECT_EQ(event.event_id, "") << "an event without a message";
    }
  }
}

TEST_F(ResumeTest, OpensTheResponseToAGetAtOnceInEveryRevision) {
  for (const Revision revision : {Revision::k2025_03_26, Revision::k2025_06_18, Revision::k2025_11_25}) {
    TestClient client(*server, {revision, Transport::kHttp});
    EXPECT_EQ(get(client, std::nullopt)->events(1).size(), 1) << protocol::to_string(revision);
  }
}

// A client that loses the second connection as well has then only the id of the event that primed it.
TEST_F(ResumeTest, PrimesAResumedStreamWithThePlaceItWasResumedFrom) {
  TestClient client(*server, kLegacyHttp);
  go.set();
  const auto pending = client.start("tools/call", kWithToken);
  EXPECT_TRUE(pending->reply().is_result());
  const std::string last_seen = pending->event_id(2);
  const std::vector<protocol::Outbound> events = get(client, last_seen)->events(2);
  ASSERT_EQ(events.size(), 2);
  EXPECT_EQ(events[0].message, "");
  EXPECT_EQ(events[0].event_id, last_seen);
}

TEST_F(ResumeTest, FollowsAHandlerThatLetsItsConnectionGo) {
  server.add_tool("patient", [this](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
    context.release_connection();
    first_half.set();
    go.wait(context.stop());
    return protocol::text_result("worth the wait");
  });
  TestClient client(*server, kLegacyHttp);
  auto exchange =
      std::make_shared<RecordingExchange>(client.head("tools/call", R"({"name":"patient"})"),
                                          client.request("9", "tools/call", R"({"name":"patient"})"));
  server->receive(exchange);
  ASSERT_TRUE(first_half.wait());
  EXPECT_FALSE(exchange->final().has_value());
  const std::vector<protocol::Outbound> events = exchange->events(1);
  ASSERT_EQ(events.size(), 1);
  const auto resumed = get(client, events[0].event_id);
  go.set();
  EXPECT_THAT(resumed->final()->message, ::testing::HasSubstr("worth the wait"));
}

}  // namespace
}  // namespace sluice::server::testing
