// Sessions of the legacy era on HTTP, and batches in the one revision that has them.

#include <future>

#include <gtest/gtest.h>

#include "test_client.h"
#include "test_server.h"

namespace sluice::server::testing {
namespace {

class SessionTest : public DialectTest {
 protected:
  SessionTest() { server.add_echo(); }

  static int end_session(TestClient& client) {
    protocol::HttpHead head = client.head("", "{}");
    head.method = "DELETE";
    return client.post(std::move(head), "")->status();
  }

  TestServer server;
};

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

TEST_P(SessionTest, AnswersInOneJsonTextWhereThereIsNothingToStream) {
  TestClient client(*server, GetParam());
  const auto pending = client.start_tool("echo", R"({"text":"x"})");
  EXPECT_TRUE(pending->reply().is_result());
  EXPECT_FALSE(pending->streamed());
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

}  // namespace
}  // namespace sluice::server::testing
