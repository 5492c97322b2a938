// How a client opens decides the era; which version it then speaks is agreed here.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_client.h"
#include "test_server.h"

namespace sluice::server::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kUnknown = R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{
  "io.modelcontextprotocol/protocolVersion":"1900-01-01",
  "io.modelcontextprotocol/clientCapabilities":{}}}})";

std::string initialize(std::string_view version) {
  return R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":")" +
         std::string(version) + R"(","capabilities":{},"clientInfo":{"name":"test","version":"1"}}})";
}

// A TestClient that has said nothing yet, for tests that open in their own way.
TestClient silent(TestServer& server, Transport transport) {
  return TestClient(*server, {protocol::kNewest, transport});
}

class VersionTest : public DialectTest {};

TEST_P(VersionTest, AnswersInTheRevisionThatTheClientAskedFor) {
  TestServer server;
  server.add_echo();
  TestClient client(*server, GetParam());  // Checks protocolVersion where there is a handshake.
  EXPECT_EQ(client.call_tool("echo", R"({"text":"hi"})").text({"result", "content", 0, "text"}), "hi");
}

INSTANTIATE_TEST_SUITE_P(, VersionTest, ::testing::ValuesIn(every_dialect()), dialect_name);

TEST(Initialize, OffersTheNewestLegacyRevisionForOneItDoesNotKnow) {
  TestServer server;
  TestClient client = silent(server, Transport::kPipe);
  const WireMessage reply = client.send(initialize("2038-01-19"))->reply();
  EXPECT_EQ(reply.text({"result", "protocolVersion"}), "2025-11-25");
}

TEST(Initialize, OffersTheNewestLegacyRevisionForAModernOne) {
  TestServer server;
  TestClient client = silent(server, Transport::kPipe);
  const WireMessage reply = client.send(initialize("2026-07-28"))->reply();
  EXPECT_EQ(reply.text({"result", "protocolVersion"}), "2025-11-25");
}

TEST(Initialize, IsRefusedTheSecondTimeOnOnePipe) {
  TestServer server;
  TestClient client(*server, kLegacyPipe);
  const WireMessage reply = client
                                .send(client.request("99", "initialize", R"({"protocolVersion":"2025-11-25",
    "capabilities":{},"clientInfo":{"name":"test","version":"1"}})"))
                                ->reply();
  EXPECT_EQ(reply.code(), -32600);
}

TEST(Initialize, OpensOneMoreSessionEachTimeOnHttp) {
  TestServer server;
  TestClient first(*server, kLegacyHttp);
  TestClient second(*server, kLegacyHttp);
  EXPECT_NE(first.session_id(), second.session_id());
  EXPECT_EQ(first.call("ping").text({"result"}), "{}");
}

TEST(Initialize, SaysWhatIsMissing) {
  TestServer server;
  TestClient client = silent(server, Transport::kPipe);
  const WireMessage reply =
      client
          .send(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})")
          ->reply();
  EXPECT_EQ(reply.code(), -32602);
  EXPECT_THAT(reply.error(), HasSubstr("params.capabilities"));
}

TEST(Initialize, AnnouncesWhatTheServerHas) {
  TestServer server;
  server.add_echo();
  server.add_prompt("greet", "Hello");
  TestClient client = silent(server, Transport::kPipe);
  const WireMessage reply = client.send(initialize("2025-11-25"))->reply();
  EXPECT_EQ(reply.text({"result", "capabilities"}),
            R"({"tools":{"listChanged":true},"prompts":{"listChanged":true},"logging":{}})");
}

TEST(Initialize, CarriesTheInstructions) {
  ServerOptions options;
  options.instructions = "Look before you leap.";
  TestServer server(std::move(options));
  TestClient client = silent(server, Transport::kPipe);
  EXPECT_EQ(client.send(initialize("2025-06-18"))->reply().text({"result", "instructions"}),
            "Look before you leap.");
}

class DiscoverTest : public DialectTest {};

TEST_P(DiscoverTest, NamesEveryRevisionNewestFirst) {
  TestServer server;
  TestClient client(*server, GetParam());
  EXPECT_EQ(client.call("server/discover").text({"result", "supportedVersions"}),
            R"(["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"])");
}

TEST_P(DiscoverTest, AnnouncesCapabilitiesAndTheTasksExtension) {
  TestServer server;
  server.add_echo();
  server.add_resource("memo:a", "A");
  TestClient client(*server, GetParam());
  const WireMessage reply = client.call("server/discover");
  EXPECT_TRUE(reply.has({"result", "capabilities", "tools"}));
  EXPECT_EQ(reply.text({"result", "capabilities", "resources"}), R"({"subscribe":true,"listChanged":true})");
  EXPECT_FALSE(reply.has({"result", "capabilities", "prompts"}));
  EXPECT_EQ(reply.text({"result", "capabilities", "extensions"}), R"({"io.modelcontextprotocol/tasks":{}})");
  EXPECT_EQ(reply.text({"result", "_meta", "io.modelcontextprotocol/serverInfo", "name"}), "sluice");
}

INSTANTIATE_TEST_SUITE_P(, DiscoverTest, ::testing::Values(kModernPipe, kModernHttp), dialect_name);

class UnknownVersionTest : public ::testing::TestWithParam<Transport> {};

TEST_P(UnknownVersionTest, IsAnsweredWithTheVersionsThatExist) {
  TestServer server;
  server.add_echo();
  TestClient client = silent(server, GetParam());
  protocol::HttpHead head{.method = "POST", .protocol_version = "1900-01-01", .mcp_method = "tools/list"};
  const auto pending = GetParam() == Transport::kPipe ? client.send(std::string(kUnknown))
                                                      : client.post(head, std::string(kUnknown));
  const WireMessage reply = pending->reply();
  EXPECT_EQ(reply.code(), -32022);
  EXPECT_EQ(reply.text({"error", "data", "requested"}), "1900-01-01");
  EXPECT_EQ(reply.text({"error", "data", "supported"}),
            R"(["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"])");
  if (GetParam() == Transport::kHttp) {
    EXPECT_EQ(pending->status(), 400);
  }
}

INSTANTIATE_TEST_SUITE_P(, UnknownVersionTest, ::testing::Values(Transport::kPipe, Transport::kHttp));

TEST(ModernRequest, CannotSpeakALegacyRevisionWithoutItsHandshake) {
  TestServer server;
  TestClient client = silent(server, Transport::kPipe);
  const WireMessage reply =
      client
          .send(R"({"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{
        "io.modelcontextprotocol/protocolVersion":"2025-11-25",
        "io.modelcontextprotocol/clientCapabilities":{}}}})")
          ->reply();
  EXPECT_EQ(reply.code(), -32022);
}

TEST(ModernRequest, NeedsClientCapabilitiesInItsMetadata) {
  TestServer server;
  TestClient client = silent(server, Transport::kPipe);
  const WireMessage reply =
      client
          .send(R"({"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{
        "io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})")
          ->reply();
  EXPECT_EQ(reply.code(), -32602);
  EXPECT_THAT(reply.error(), HasSubstr("io.modelcontextprotocol/clientCapabilities"));
}

TEST(ModernRequest, NeedsNoClientInfo) {
  TestServer server;
  TestClient client = silent(server, Transport::kPipe);
  const WireMessage reply =
      client
          .send(R"({"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{
        "io.modelcontextprotocol/protocolVersion":"2026-07-28",
        "io.modelcontextprotocol/clientCapabilities":{}}}})")
          ->reply();
  EXPECT_TRUE(reply.is_result());
}

TEST(ModernRequest, OfAMethodThatIsUnknownIsNotFoundOnHttp) {
  TestServer server;
  TestClient client(*server, kModernHttp);
  const auto pending = client.start("tools/imagine");
  EXPECT_EQ(pending->reply().code(), -32601);
  EXPECT_EQ(pending->status(), 404);
}

TEST(ModernRequest, OfALegacyMethodIsNotFound) {
  TestServer server;
  server.add_resource("memo:a", "A");
  TestClient client(*server, kModernPipe);
  EXPECT_EQ(client.call("ping").code(), -32601);
  EXPECT_EQ(client.call("logging/setLevel", R"({"level":"info"})").code(), -32601);
  EXPECT_EQ(client.call("resources/subscribe", R"({"uri":"memo:a"})").code(), -32601);
  EXPECT_EQ(client.call("initialize").code(), -32601);
}

TEST(LegacyRequest, OfAModernMethodIsNotFound) {
  TestServer server;
  TestClient client(*server, kLegacyPipe);
  EXPECT_EQ(client.call("server/discover").code(), -32601);
  EXPECT_EQ(client.call("subscriptions/listen", R"({"notifications":{}})").code(), -32601);
}

TEST(LegacyRequest, OfAKindThatTheServerDoesNotHaveIsNotFound) {
  TestServer server;
  TestClient client(*server, kLegacyPipe);
  EXPECT_EQ(client.call("tools/list").code(), -32601);
  EXPECT_EQ(client.call("resources/list").code(), -32601);
  EXPECT_EQ(client.call("prompts/list").code(), -32601);
  EXPECT_EQ(client.call("completion/complete").code(), -32601);
}

TEST(LegacyRequest, BeforeTheHandshakeIsRefused) {
  TestServer server;
  server.add_echo();
  TestClient client = silent(server, Transport::kPipe);
  const WireMessage reply = client.send(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})")->reply();
  EXPECT_EQ(reply.code(), -32600);
  EXPECT_THAT(reply.error(), HasSubstr("initialize"));
}

TEST(LegacyRequest, MayBeAPingBeforeTheHandshake) {
  TestServer server;
  TestClient client = silent(server, Transport::kPipe);
  EXPECT_EQ(client.send(R"({"jsonrpc":"2.0","id":1,"method":"ping"})")->reply().text({"result"}), "{}");
}

TEST(BothEras, ShareOnePipe) {
  TestServer server;
  server.add_echo();
  TestClient client(*server, {Revision::k2025_03_26, Transport::kPipe});
  for (int round = 0; round < 3; ++round) {
    client.speak(Revision::k2026_07_28);
    const WireMessage modern = client.call_tool("echo", R"({"text":"modern"})");
    EXPECT_EQ(modern.text({"result", "content", 0, "text"}), "modern");
    EXPECT_EQ(modern.text({"result", "resultType"}), "complete");
    client.speak(Revision::k2025_03_26);
    const WireMessage legacy = client.call_tool("echo", R"({"text":"legacy"})");
    EXPECT_EQ(legacy.text({"result", "content", 0, "text"}), "legacy");
    EXPECT_FALSE(legacy.has({"result", "resultType"}));
  }
}

TEST(BothEras, ShareOneEndpoint) {
  TestServer server;
  server.add_echo();
  TestClient legacy(*server, kLegacyHttp);
  TestClient modern(*server, kModernHttp);
  EXPECT_TRUE(modern.call_tool("echo", R"({"text":"a"})").has({"result", "resultType"}));
  EXPECT_FALSE(legacy.call_tool("echo", R"({"text":"b"})").has({"result", "resultType"}));
}

TEST(BothEras, MayUseOneIdAtATimeOnOnePipe) {
  Signal go;
  TestServer server;
  server.add_tool("wait", [&](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
    go.wait(context.stop());
    return protocol::text_result("done");
  });
  TestClient client(*server, kLegacyPipe);
  client.speak(Revision::k2026_07_28);
  const auto waiting = client.send(client.request("7", "tools/call", R"({"name":"wait"})"));
  client.speak(Revision::k2025_11_25);
  EXPECT_TRUE(client.send(R"({"jsonrpc":"2.0","id":8,"method":"ping"})")->reply().is_result());
  go.set();
  EXPECT_EQ(waiting->id(), "7");
}

TEST(ModernHttp, IgnoresASessionIdOfTheLegacyEra) {
  TestServer server;
  server.add_echo();
  TestClient client(*server, kModernHttp);
  protocol::HttpHead head = client.head("tools/list", "{}");
  head.session_id = "left over";
  EXPECT_TRUE(client.post(head, client.request("1", "tools/list", "{}"))->reply().is_result());
}

TEST(ModernHttp, HasNoStreamToOpenAndNoSessionToEnd) {
  TestServer server;
  TestClient client(*server, kModernHttp);
  for (const char* method : {"GET", "DELETE"}) {
    const auto pending = client.post({.method = method}, "");
    EXPECT_EQ(pending->status(), 405) << method;
    EXPECT_EQ(pending->header("Allow"), "POST");
  }
}

TEST(ModernHttp, RefusesAResponse) {
  TestServer server;
  TestClient client(*server, kModernHttp);
  const auto pending = client.post(client.head("", "{}"), R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(pending->status(), 400);
  EXPECT_EQ(pending->reply().code(), -32600);
}

TEST(ModernHttp, AcceptsANotificationWithoutABody) {
  TestServer server;
  TestClient client(*server, kModernHttp);
  const auto pending = client.post(client.head("notifications/other", "{}"),
                                   R"({"jsonrpc":"2.0","method":"notifications/other"})");
  EXPECT_EQ(pending->status(), 202);
  EXPECT_EQ(pending->reply().text({}), "");
}

}  // namespace
}  // namespace sluice::server::testing
