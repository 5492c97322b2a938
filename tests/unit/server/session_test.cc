// Sessions of the legacy era on HTTP, and batches in the one revision that has them.

#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_client.h"
#include "test_server.h"

namespace sluice::server::testing {
namespace {

using ::testing::HasSubstr;

class SessionTest : public DialectTest {
 protected:
  SessionTest() { server.add_echo(); }

  // Sends tools/list after `spoil` has changed the headers.
  template <typename Spoil>
  std::unique_ptr<TestClient::Pending> list(TestClient& client, Spoil spoil) {
    protocol::HttpHead head = client.head("tools/list", "{}");
    spoil(head);
    return client.post(std::move(head), client.request(client.next_id(), "tools/list", "{}"));
  }

  static int end_session(TestClient& client) {
    protocol::HttpHead head = client.head("", "{}");
    head.method = "DELETE";
    return client.post(std::move(head), "")->status();
  }

  TestServer server;
};

TEST_P(SessionTest, IsNeededForEveryRequest) {
  TestClient client(*server, GetParam());
  const auto pending = list(client, [](protocol::HttpHead& head) { head.session_id.reset(); });
  EXPECT_EQ(pending->status(), 400);
  EXPECT_THAT(pending->reply().error(), HasSubstr("Mcp-Session-Id"));
}

TEST_P(SessionTest, ThatIsUnknownIsNotFound) {
  TestClient client(*server, GetParam());
  const auto pending = list(client, [](protocol::HttpHead& head) { head.session_id = "made-up"; });
  EXPECT_EQ(pending->status(), 404);
  EXPECT_TRUE(pending->reply().code() != 0);
}

TEST_P(SessionTest, ThatWasEndedIsNotFound) {
  TestClient client(*server, GetParam());
  EXPECT_EQ(end_session(client), 204);
  EXPECT_EQ(list(client, [](protocol::HttpHead&) {})->status(), 404);
  EXPECT_EQ(end_session(client), 404);
}

TEST_P(SessionTest, OfAnotherPrincipalIsNotFound) {
  TestClient alice(*server, GetParam(), {.principal = {"token:alice"}});
  TestClient bob(*server, GetParam(), {.principal = {"token:bob"}});
  const std::string stolen = alice.session_id();
  EXPECT_EQ(list(bob, [&](protocol::HttpHead& head) { head.session_id = stolen; })->status(), 404);
  protocol::HttpHead end = bob.head("", "{}");
  end.method = "DELETE";
  end.session_id = stolen;
  EXPECT_EQ(bob.post(end, "")->status(), 404);
  protocol::HttpHead open = end;
  open.method = "GET";
  EXPECT_EQ(bob.post(open, "")->status(), 404);
  EXPECT_EQ(list(alice, [](protocol::HttpHead&) {})->status(), 200);
}

TEST_P(SessionTest, ClosesItsStreamWhenItEnds) {
  TestClient client(*server, GetParam());
  const auto stream = client.resume("");
  EXPECT_EQ(end_session(client), 204);
  EXPECT_TRUE(stream->released());
}

TEST_P(SessionTest, HasAnIdThatCannotBeGuessed) {
  TestClient client(*server, GetParam());
  EXPECT_GE(client.session_id().size(), 22);  // 128 bits in base64.
}

TEST_P(SessionTest, RefusesAVersionHeaderOfAnotherEra) {
  TestClient client(*server, GetParam());
  for (const char* version : {"2026-07-28", "1900-01-01", ""}) {
    const auto pending = list(client, [&](protocol::HttpHead& head) { head.protocol_version = version; });
    EXPECT_EQ(pending->status(), 400) << version;
  }
}

TEST_P(SessionTest, NeedsNoVersionHeader) {
  TestClient client(*server, GetParam());
  EXPECT_EQ(list(client, [](protocol::HttpHead& head) { head.protocol_version.reset(); })->status(), 200);
}

TEST_P(SessionTest, AnswersInOneJsonTextWhereThereIsNothingToStream) {
  TestClient client(*server, GetParam());
  const auto pending = client.start_tool("echo", R"({"text":"x"})");
  EXPECT_TRUE(pending->reply().is_result());
  EXPECT_FALSE(pending->streamed());
}

TEST_P(SessionTest, AcceptsNotificationsAndResponsesWithoutABody) {
  TestClient client(*server, GetParam());
  for (const char* body : {R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
                           R"({"jsonrpc":"2.0","method":"notifications/unheard_of"})",
                           R"({"jsonrpc":"2.0","id":4711,"result":{}})"}) {
    const auto pending = client.send(body);
    EXPECT_EQ(pending->status(), 202) << body;
    EXPECT_EQ(pending->reply().text({}), "") << body;
  }
}

TEST_P(SessionTest, StillTakesRequestsOnTheModernWay) {
  TestClient client(*server, GetParam());
  TestClient modern(*server, kModernHttp);
  EXPECT_TRUE(modern.call_tool("echo", R"({"text":"x"})").is_result());
  EXPECT_TRUE(client.call_tool("echo", R"({"text":"y"})").is_result());
}

INSTANTIATE_TEST_SUITE_P(, SessionTest,
                         ::testing::Values(Dialect{Revision::k2024_11_05, Transport::kHttp},
                                           Dialect{Revision::k2025_03_26, Transport::kHttp},
                                           Dialect{Revision::k2025_06_18, Transport::kHttp}, kLegacyHttp),
                         dialect_name);

TEST(Session, ThatWasIdleForTooLongMakesRoomForANewOne) {
  TestClock clock;
  ServerOptions options;
  options.clock = &clock;
  TestServer server(std::move(options));
  TestClient idle(*server, kLegacyHttp);
  TestClient busy(*server, kLegacyHttp);
  const auto stream = idle.resume("");
  clock.advance(std::chrono::minutes(20));
  EXPECT_TRUE(busy.call("ping").is_result());
  clock.advance(std::chrono::minutes(11));
  TestClient fresh(*server, kLegacyHttp);
  EXPECT_EQ(idle.start("ping")->status(), 404);
  EXPECT_TRUE(stream->released());
  EXPECT_TRUE(busy.call("ping").is_result());
}

class BatchTest : public DialectTest {
 protected:
  BatchTest() { server.add_echo(); }
  TestServer server;
};

TEST_P(BatchTest, IsAnsweredWithOneArray) {
  TestClient client(*server, GetParam());
  const auto pending = client.send(R"([
    {"jsonrpc":"2.0","id":"a","method":"ping"},
    {"jsonrpc":"2.0","method":"notifications/initialized"},
    {"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}},
    {"jsonrpc":"2.0","id":"c","method":"no/such"}])");
  const WireMessage reply = GetParam().pipe() ? client.next() : pending->reply();
  ASSERT_EQ(reply.size({}), 3);
  std::map<std::string, WireMessage> answers;
  for (const json::Value& answer : *reply.value().if_array())
    answers.emplace(WireMessage(answer).id(), WireMessage(answer));
  EXPECT_TRUE(answers.at(R"("a")").is_result());
  EXPECT_EQ(answers.at(R"("b")").text({"result", "content", 0, "text"}), "x");
  EXPECT_EQ(answers.at(R"("c")").code(), -32601);
}

TEST_P(BatchTest, AnswersEachMemberThatIsNoMessage) {
  TestClient client(*server, GetParam());
  const auto pending = client.send(R"([1,{"jsonrpc":"2.0","id":"a","method":"ping"},[],{}])");
  const WireMessage reply = GetParam().pipe() ? client.next() : pending->reply();
  ASSERT_EQ(reply.size({}), 4);
}

TEST_P(BatchTest, IsAnsweredMemberByMemberWhileTheServerStops) {
  Signal begun;
  Signal go;
  server.add_tool("wait", [&](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
    begun.set();
    go.wait(context.stop());
    return protocol::text_result("done");
  });
  TestClient client(*server, GetParam());
  const auto waiting = client.start_tool("wait");
  ASSERT_TRUE(begun.wait());
  auto stopping = std::async(std::launch::async, [&] { return server->stop(kPatience); });
  ASSERT_TRUE(client.is_refused_soon());
  const auto pending = client.send(R"([{"jsonrpc":"2.0","id":"a","method":"ping"},
                                       {"jsonrpc":"2.0","method":"notifications/initialized"},
                                       {"jsonrpc":"2.0","id":"b","method":"ping"}])");
  const WireMessage reply = GetParam().pipe() ? client.next() : pending->reply();
  ASSERT_EQ(reply.size({}), 2);
  EXPECT_EQ(reply.text({0, "id"}), "a");
  EXPECT_EQ(reply.text({1, "id"}), "b");
  EXPECT_EQ(reply.text({1, "error", "code"}), "-32603");
  go.set();
  EXPECT_TRUE(waiting->reply().is_result());
  EXPECT_TRUE(stopping.get());
}

TEST_P(BatchTest, ThatIsEmptyIsRefused) {
  TestClient client(*server, GetParam());
  const auto pending = client.send("[]");
  EXPECT_EQ((GetParam().pipe() ? client.next() : pending->reply()).code(), -32600);
}

TEST_P(BatchTest, ThatIsTooLongIsRefused) {
  TestClient client(*server, GetParam());
  std::string batch = "[";
  for (int i = 0; i < 101; ++i) {
    batch += i == 0 ? "" : ",";
    batch += R"({"jsonrpc":"2.0","method":"notifications/initialized"})";
  }
  const auto pending = client.send(batch + "]");
  EXPECT_EQ((GetParam().pipe() ? client.next() : pending->reply()).code(), -32600);
}

INSTANTIATE_TEST_SUITE_P(, BatchTest,
                         ::testing::Values(Dialect{Revision::k2025_03_26, Transport::kPipe},
                                           Dialect{Revision::k2025_03_26, Transport::kHttp}),
                         dialect_name);

TEST(Batch, OfNotificationsIsAcceptedWithoutABody) {
  TestServer server;
  TestClient client(*server, {Revision::k2025_03_26, Transport::kHttp});
  const auto pending = client.send(R"([{"jsonrpc":"2.0","method":"notifications/initialized"}])");
  EXPECT_EQ(pending->status(), 202);
  EXPECT_EQ(pending->reply().text({}), "");
}

class NoBatchTest : public BatchTest {};

TEST_P(NoBatchTest, IsRefusedInRevisionsThatDoNotHaveIt) {
  TestClient client(*server, GetParam());
  const auto pending = client.send(R"([{"jsonrpc":"2.0","id":"a","method":"ping"}])");
  const WireMessage reply = GetParam().pipe() ? client.next() : pending->reply();
  EXPECT_EQ(reply.code(), -32600);
  EXPECT_THAT(reply.error(), HasSubstr("2025-03-26"));
}

std::vector<Dialect> without_batches() {
  std::vector<Dialect> dialects = every_dialect();
  std::erase_if(dialects, [](const Dialect& each) { return each.revision == Revision::k2025_03_26; });
  return dialects;
}

INSTANTIATE_TEST_SUITE_P(, NoBatchTest, ::testing::ValuesIn(without_batches()), dialect_name);

}  // namespace
}  // namespace sluice::server::testing
