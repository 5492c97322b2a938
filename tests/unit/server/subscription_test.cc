// Who hears of changes, in both eras.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_client.h"
#include "test_server.h"

namespace sluice::server::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<protocol::ToolResult> nothing(const json::Object&, Context&) { return protocol::text_result(""); }

// What the provider is told about who watches, in order: "+memo:a", "-memo:a".
class Watches {
 public:
  explicit Watches(Registry& registry) {
    registry.on_watch([state = state_](const ResourceUri& uri, bool watched) {
      const std::scoped_lock lock(state->mutex);
      state->seen.push_back((watched ? "+" : "-") + uri.text());
      state->changed.notify_all();
    });
  }
  std::vector<std::string> wait_for(std::size_t count) {
    std::unique_lock lock(state_->mutex);
    state_->changed.wait_for(lock, kPatience, [&] { return state_->seen.size() >= count; });
    return state_->seen;
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::string> seen;
  };
  const std::shared_ptr<State> state_ = std::make_shared<State>();  // Shared with the registry's handler.
};

class SubscribeTest : public DialectTest {
 protected:
  SubscribeTest() : watches(*server.registry) {
    server.add_resource("memo:a", "A");
    server.add_resource("memo:b", "B");
  }
  TestServer server;
  Watches watches;
};

TEST_P(SubscribeTest, BringsUpdatesOfThatResourceOnly) {
  TestClient client(*server, GetParam());
  client.open_stream();
  EXPECT_TRUE(client.call("resources/subscribe", R"({"uri":"memo:a"})").is_result());
  server.registry->resource_changed("memo:b");
  server.registry->resource_changed("memo:a");
  const WireMessage update = client.next();
  EXPECT_EQ(update.method(), "notifications/resources/updated");
  EXPECT_EQ(update.text({"params"}), R"({"uri":"memo:a"})");
}

TEST_P(SubscribeTest, EndsWithUnsubscribe) {
  TestClient client(*server, GetParam());
  client.open_stream();
  EXPECT_TRUE(client.call("resources/subscribe", R"({"uri":"memo:a"})").is_result());
  EXPECT_TRUE(client.call("resources/subscribe", R"({"uri":"memo:b"})").is_result());
  EXPECT_TRUE(client.call("resources/unsubscribe", R"({"uri":"memo:a"})").is_result());
  server.registry->resource_changed("memo:a");
  server.registry->resource_changed("memo:b");
  EXPECT_EQ(client.next().text({"params", "uri"}), "memo:b");
}

TEST_P(SubscribeTest, TwiceIsOnce) {
  TestClient client(*server, GetParam());
  EXPECT_TRUE(client.call("resources/subscribe", R"({"uri":"memo:a"})").is_result());
  EXPECT_TRUE(client.call("resources/subscribe", R"({"uri":"memo:a"})").is_result());
  EXPECT_TRUE(client.call("resources/unsubscribe", R"({"uri":"memo:a"})").is_result());
  EXPECT_THAT(watches.wait_for(2), ElementsAre("+memo:a", "-memo:a"));
}

TEST_P(SubscribeTest, ToSomethingThatDoesNotExistIsRefused) {
  TestClient client(*server, GetParam());
  const WireMessage reply = client.call("resources/subscribe", R"({"uri":"memo:missing"})");
  EXPECT_EQ(reply.code(), -32002);
  EXPECT_EQ(reply.text({"error", "data", "uri"}), "memo:missing");
}

TEST_P(SubscribeTest, OfSeveralSessionsIsWatchedOnce) {
  TestClient first(*server, GetParam());
  TestClient second(*server, GetParam());
  EXPECT_TRUE(first.call("resources/subscribe", R"({"uri":"memo:a"})").is_result());
  EXPECT_TRUE(second.call("resources/subscribe", R"({"uri":"memo:a"})").is_result());
  EXPECT_TRUE(first.call("resources/unsubscribe", R"({"uri":"memo:a"})").is_result());
  EXPECT_TRUE(second.call("resources/unsubscribe", R"({"uri":"memo:a"})").is_result());
  EXPECT_THAT(watches.wait_for(2), ElementsAre("+memo:a", "-memo:a"));
}

TEST_P(SubscribeTest, IsNotNeededToHearThatListsChanged) {
  TestClient client(*server, GetParam());
  client.open_stream();
  server.add_tool("new", nothing);
  EXPECT_EQ(client.next().method(), "notifications/tools/list_changed");
  server.add_prompt("new", "text");
  EXPECT_EQ(client.next().method(), "notifications/prompts/list_changed");
  server.add_resource("memo:new", "text");
  EXPECT_EQ(client.next().method(), "notifications/resources/list_changed");
}

INSTANTIATE_TEST_SUITE_P(, SubscribeTest, ::testing::ValuesIn(every_legacy_dialect()), dialect_name);

TEST_F(SubscribeTest, EndsWithThePipe) {
  {
    TestClient client(*server, kLegacyPipe);
    EXPECT_TRUE(client.call("resources/subscribe", R"({"uri":"memo:a"})").is_result());
  }
  EXPECT_THAT(watches.wait_for(2), ElementsAre("+memo:a", "-memo:a"));
}

TEST_F(SubscribeTest, EndsWithTheSession) {
  TestClient client(*server, kLegacyHttp);
  EXPECT_TRUE(client.call("resources/subscribe", R"({"uri":"memo:a"})").is_result());
  protocol::HttpHead head = client.head("", "{}");
  head.method = "DELETE";
  EXPECT_EQ(client.post(head, "")->status(), 204);
  EXPECT_THAT(watches.wait_for(2), ElementsAre("+memo:a", "-memo:a"));
}

TEST(LegacySession, HearsOfNothingBeforeItIsInitialized) {
  TestServer server;
  server.add_echo();
  TestClient client(*server, {protocol::kNewest, Transport::kPipe});
  EXPECT_TRUE(client
                  .send(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{
      "protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})")
                  ->reply()
                  .is_result());
  server.add_tool("early", nothing);
  EXPECT_TRUE(client.is_quiet());
  client.notify("notifications/initialized");
  server.add_tool("late", nothing);
  EXPECT_EQ(client.next().method(), "notifications/tools/list_changed");
  EXPECT_TRUE(client.is_quiet());
}

class ListenTest : public DialectTest {
 protected:
  ListenTest() : watches(*server.registry) {
    server.add_echo();
    server.add_prompt("greet", "Hello");
    server.add_resource("memo:a", "A");
    server.add_resource("memo:b", "B");
  }

  static std::string id_of(const WireMessage& message) {
    return message.text({"params", "_meta", "io.modelcontextprotocol/subscriptionId"});
  }

  TestServer server;
  Watches watches;
};

TEST_P(ListenTest, AcknowledgesFirst) {
  TestClient client(*server, GetParam());
  const auto stream = client.start("subscriptions/listen", R"({"notifications":{"toolsListChanged":true,
    "resourceSubscriptions":["memo:a"]}})");
  const WireMessage first = stream->next();
  EXPECT_EQ(first.method(), "notifications/subscriptions/acknowledged");
  EXPECT_EQ(id_of(first), stream->id());
  EXPECT_EQ(first.text({"params", "notifications"}),
            R"({"toolsListChanged":true,"resourceSubscriptions":["memo:a"]})");
}

TEST_P(ListenTest, AcknowledgesOnlyWhatItCanHonour) {
  TestServer bare;
  bare.add_echo();
  TestClient client(*bare, GetParam());
  const auto stream = client.start("subscriptions/listen", R"({"notifications":{"toolsListChanged":true,
    "promptsListChanged":true,"resourcesListChanged":true,
    "resourceSubscriptions":["memo:missing","not a uri"],"somethingElse":7}})");
  EXPECT_EQ(stream->next().text({"params", "notifications"}), R"({"toolsListChanged":true})");
}

TEST_P(ListenTest, BringsWhatWasAskedForAndNothingElse) {
  TestClient client(*server, GetParam());
  const auto stream = client.start("subscriptions/listen", R"({"notifications":{"promptsListChanged":true,
    "toolsListChanged":false,"resourceSubscriptions":["memo:b"]}})");
  stream->next();
  server.add_tool("unwanted", nothing);
  server.add_resource("memo:unwanted", "text");
  server.registry->resource_changed("memo:a");
  server.registry->resource_changed("memo:b");
  server.add_prompt("wanted", "text");
  const WireMessage update = stream->next();
  EXPECT_EQ(update.method(), "notifications/resources/updated");
  EXPECT_EQ(update.text({"params", "uri"}), "memo:b");
  EXPECT_EQ(id_of(update), stream->id());
  const WireMessage change = stream->next();
  EXPECT_EQ(change.method(), "notifications/prompts/list_changed");
  EXPECT_EQ(id_of(change), stream->id());
}

TEST_P(ListenTest, MayBeOpenSeveralTimesAtOnce) {
  TestClient client(*server, GetParam());
  const auto tools = client.start("subscriptions/listen", R"({"notifications":{"toolsListChanged":true}})");
  EXPECT_EQ(id_of(tools->next()), tools->id());
  const auto memos =
      client.start("subscriptions/listen", R"({"notifications":{"resourceSubscriptions":["memo:a"]}})");
  EXPECT_EQ(id_of(memos->next()), memos->id());
  server.add_tool("new", nothing);
  const WireMessage change = tools->next();
  EXPECT_EQ(id_of(change), tools->id());
  server.registry->resource_changed("memo:a");
  const WireMessage update = memos->next();
  EXPECT_EQ(id_of(update), memos->id());
  EXPECT_EQ(update.method(), "notifications/resources/updated");
}

TEST_P(ListenTest, WithNothingAskedForIsAcknowledgedAsNothing) {
  TestClient client(*server, GetParam());
  const auto stream = client.start("subscriptions/listen", R"({"notifications":{}})");
  EXPECT_EQ(stream->next().text({"params", "notifications"}), "{}");
}

TEST_P(ListenTest, KeepsTheTypeOfItsId) {
  TestClient client(*server, GetParam());
  constexpr std::string_view kParams = R"({"notifications":{"toolsListChanged":true}})";
  const std::string body = client.request(R"("7")", "subscriptions/listen", kParams);
  const auto stream =
      GetParam().pipe() ? client.send(body) : client.post(client.head("subscriptions/listen", kParams), body);
  EXPECT_EQ(json::to_text(stream->next().at({"params", "_meta", "io.modelcontextprotocol/subscriptionId"})),
            R"("7")");
}

TEST_P(ListenTest, EndsWhenItIsCancelled) {
  TestClient client(*server, GetParam());
  const auto stream = client.start("subscriptions/listen",
                                   R"({"notifications":{"toolsListChanged":true,
    "resourceSubscriptions":["memo:a"]}})");
  stream->next();
  stream->cancel();
  EXPECT_THAT(watches.wait_for(2), ElementsAre("+memo:a", "-memo:a"));
  server.add_tool("new", nothing);
  EXPECT_TRUE(client.call("server/discover").is_result());
  if (GetParam().pipe()) {
    EXPECT_TRUE(client.is_quiet());
  }
}

TEST_P(ListenTest, ClosesGracefullyWhenTheServerStops) {
  TestClient client(*server, GetParam());
  const auto stream = client.start("subscriptions/listen", R"({"notifications":{"toolsListChanged":true}})");
  stream->next();
  server->stop(std::chrono::milliseconds(0));
  const WireMessage bye = stream->next();
  EXPECT_EQ(bye.method(), "notifications/cancelled");
  EXPECT_EQ(bye.text({"params", "requestId"}), stream->id());
  const WireMessage reply = stream->reply();
  EXPECT_EQ(reply.text({"result", "resultType"}), "complete");
  EXPECT_EQ(reply.text({"result", "_meta", "io.modelcontextprotocol/subscriptionId"}), stream->id());
}

TEST_P(ListenTest, NeedsAFilter) {
  TestClient client(*server, GetParam());
  EXPECT_EQ(client.call("subscriptions/listen").code(), -32602);
  for (const char* bad :
       {R"({"notifications":7})", R"({"notifications":{"toolsListChanged":"yes"}})",
        R"({"notifications":{"resourceSubscriptions":"memo:a"}})",
        R"({"notifications":{"resourceSubscriptions":[7]}})", R"({"notifications":{"taskIds":7}})"}) {
    EXPECT_EQ(client.call("subscriptions/listen", bad).code(), -32602) << bad;
  }
}

TEST_P(ListenTest, DoesNotKeepTheRequestsTimeLimit) {
  ServerOptions options;
  options.request_timeout = std::chrono::seconds(1);  // Enough for the stream to be opened.
  Signal never;
  TestServer quick(std::move(options));
  quick.add_tool("slow", [&](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
    never.wait(context.stop());
    return cancelled();
  });
  TestClient client(*quick, GetParam());
  const auto stream = client.start("subscriptions/listen", R"({"notifications":{"toolsListChanged":true}})");
  stream->next();
  EXPECT_EQ(client.call_tool("slow").code(), -32603);  // Began later, and its time is up.
  quick.add_tool("new", nothing);
  EXPECT_EQ(stream->next().method(), "notifications/tools/list_changed");
}

INSTANTIATE_TEST_SUITE_P(, ListenTest, ::testing::Values(kModernPipe, kModernHttp), dialect_name);

TEST_F(ListenTest, EndsWhenThePipeCloses) {
  {
    TestClient client(*server, kModernPipe);
    client.start("subscriptions/listen", R"({"notifications":{"resourceSubscriptions":["memo:a"]}})")->next();
  }
  EXPECT_THAT(watches.wait_for(2), ElementsAre("+memo:a", "-memo:a"));
}

TEST_F(ListenTest, IsRefusedToAClientThatTakesNoStream) {
  TestClient client(*server, kModernHttp);
  constexpr std::string_view kParams = R"({"notifications":{}})";
  protocol::HttpHead head = client.head("subscriptions/listen", kParams);
  head.accepts_stream = false;
  const WireMessage reply = client.post(head, client.request("1", "subscriptions/listen", kParams))->reply();
  EXPECT_EQ(reply.code(), -32602);
  EXPECT_THAT(reply.error(), HasSubstr("text/event-stream"));
}

TEST_F(ListenTest, SharesAPipeWithALegacySession) {
  TestClient client(*server, kLegacyPipe);
  client.speak(Revision::k2026_07_28);
  const auto stream = client.start("subscriptions/listen", R"({"notifications":{"toolsListChanged":true}})");
  EXPECT_EQ(stream->next().method(), "notifications/subscriptions/acknowledged");
  client.speak(Revision::k2025_11_25);
  server.add_tool("new", nothing);
  std::vector<std::string> ids{id_of(client.next()), id_of(client.next())};
  EXPECT_THAT(ids, ::testing::UnorderedElementsAre("", stream->id()));
}

// The last owner of a stream's call may be the very callback that ends it.
TEST_F(ListenTest, MayComeAndGoManyTimes) {
  TestClient client(*server, kModernHttp);
  for (int i = 0; i < 200; ++i) {
    const auto stream =
        client.start("subscriptions/listen", R"({"notifications":{"resourceSubscriptions":["memo:a"]}})");
    if (i % 2 == 0) stream->next();
    stream->cancel();
  }
  EXPECT_TRUE(client.call("server/discover").is_result());
}

}  // namespace
}  // namespace sluice::server::testing
