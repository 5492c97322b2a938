#include "http_fixture.h"
#include "test_clients.h"

namespace sluice::client::testing {
namespace {

using fetch::testing::Answer;
using fetch::testing::HttpFixture;
using fetch::testing::SeenRequest;

TEST(Negotiation, PrefersTheModernEra) {
  for (const Transport transport : {Transport::kMemory, Transport::kStdio, Transport::kHttp}) {
    const Served served(transport);
    const Result<ServerInfo> info = served.client()->connect();
    ASSERT_TRUE(info.ok()) << info.error().message;
    EXPECT_EQ(info->revision, protocol::Revision::k2026_07_28);
  }
}

TEST(Negotiation, FallsBackToTheHandshakeOnAnErrorThatIsNotModern) {
  const Result<ServerInfo> info = make_client(misbehaving("plain"))->connect();
  ASSERT_TRUE(info.ok()) << info.error().message;
  EXPECT_EQ(info->revision, protocol::Revision::k2025_11_25);
}

TEST(Negotiation, TakesASilentServerForALegacyOne) {
  ClientOptions options;
  options.probe_timeout = std::chrono::milliseconds{100};
  const Result<ServerInfo> info = make_client(misbehaving("silent_probe"), options)->connect();
  ASSERT_TRUE(info.ok()) << info.error().message;
  EXPECT_EQ(info->revision, protocol::Revision::k2025_11_25);
}

TEST(Negotiation, AsksAModernServerAgainThatWasSlowToStart) {
  ClientOptions options;
  options.probe_timeout = std::chrono::milliseconds{100};
  const Result<ServerInfo> info = make_client(misbehaving("slow_modern"), options)->connect();
  ASSERT_TRUE(info.ok()) << info.error().message;
  EXPECT_EQ(info->revision, protocol::Revision::k2026_07_28);
}

TEST(Negotiation, StartsAServerAgainThatDiedOfTheProbe) {
  const Result<ServerInfo> info = make_client(misbehaving("dies_of_probe"))->connect();
  ASSERT_TRUE(info.ok()) << info.error().message;
  EXPECT_EQ(info->revision, protocol::Revision::k2025_11_25);
}

TEST(Negotiation, RefusesAVersionThatNobodyKnows) {
  EXPECT_EQ(code_of(make_client(misbehaving("future"))->connect()), "version_mismatch");
}

std::unique_ptr<Client> client_of(const HttpFixture& fixture) {
  Endpoint endpoint;
  endpoint.url = fixture.url("/mcp");
  return make_client(endpoint);
}

bool is_request(const SeenRequest& request, const char* method) {
  return request.body.find(std::string("\"method\":\"") + method + "\"") != std::string::npos;
}

void initialize(Answer& answer) {
  answer.json(R"({"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-06-18","capabilities":{},)"
              R"("serverInfo":{"name":"old","version":"1"}}})");
}

// What a legacy server may answer to a modern request.
TEST(Negotiation, FallsBackOverHttpWhateverTheOldServerSays) {
  for (const std::string says : {"400 empty", "400 error", "404", "405", "200 error"}) {
    const HttpFixture fixture([&](const SeenRequest& request, Answer& answer) {
      if (is_request(request, "initialize")) return initialize(answer);
      if (is_request(request, "notifications/initialized")) return answer.reply(202, {}, "");
      if (request.method != "POST") return answer.reply(405, {}, "");
      const std::string error =
          R"({"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}})";
      if (says == "400 empty") return answer.reply(400, {}, "");
      if (says == "400 error") return answer.reply(400, {{"Content-Type", "application/json"}}, error);
      if (says == "404") return answer.reply(404, {}, "not here");
      if (says == "405") return answer.reply(405, {}, "");
      answer.json(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}})");
    });
    const Result<ServerInfo> info = client_of(fixture)->connect();
    ASSERT_TRUE(info.ok()) << says << ": " << info.error().message;
    EXPECT_EQ(info->revision, protocol::Revision::k2025_06_18) << says;
    EXPECT_EQ(fixture.seen().at(2).header("mcp-protocol-version"), "2025-06-18");
  }
}

TEST(Negotiation, DoesNotFallBackWhenAModernServerRefuses) {
  const HttpFixture fixture([](const SeenRequest&, Answer& answer) {
    answer.reply(
        400, {{"Content-Type", "application/json"}},
        R"({"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no","data":{"supported":["2027-01-01"]}}})");
  });
  EXPECT_EQ(code_of(client_of(fixture)->connect()), "version_mismatch");
  EXPECT_EQ(fixture.seen().size(), 1U);
}

TEST(Negotiation, DoesNotTakeABrokenServerForAnOldOne) {
  const HttpFixture fixture([](const SeenRequest&, Answer& answer) { answer.reply(503, {}, "later"); });
  EXPECT_EQ(code_of(client_of(fixture)->connect()), "unexpected_status");
  EXPECT_EQ(fixture.seen().size(), 1U);
}

}  // namespace
}  // namespace sluice::client::testing
