// Both eras over one pipe, and sessions; the rest is in tests/transcripts.

#include <gtest/gtest.h>

#include "test_client.h"
#include "test_server.h"

namespace sluice::server::testing {
namespace {

TEST(Initialize, OpensOneMoreSessionEachTimeOnHttp) {
  TestServer server;
  TestClient first(*server, kLegacyHttp);
  TestClient second(*server, kLegacyHttp);
  EXPECT_NE(first.session_id(), second.session_id());
  EXPECT_EQ(first.call("ping").text({"result"}), "{}");
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

}  // namespace
}  // namespace sluice::server::testing
