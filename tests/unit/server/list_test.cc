// Lists are ordered, come in pages, and continue with cursors that nobody but the server can make.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_client.h"
#include "test_server.h"

namespace sluice::server::testing {
namespace {

Result<protocol::ToolResult> nothing(const json::Object&, Context&) { return protocol::text_result(""); }

std::string cursor_params(const std::string& cursor) {
  return json::to_text(json::Object{{"cursor", cursor}});
}

std::string padded(int number) {
  const std::string digits = std::to_string(number);
  return std::string(4 - digits.size(), '0') + digits;
}

// Registers tool0000, tool0001 and so on.
auto many_tools(int count) {
  return [count](Registry& registry) {
    for (int i = 0; i < count; ++i) registry.add_tool(protocol::Tool{.name = "tool" + padded(i)}, nothing);
  };
}

class ListTest : public DialectTest {};

TEST_P(ListTest, OfToolsIsTheSameEachTime) {
  TestServer server({}, many_tools(20));
  TestClient client(*server, GetParam());
  EXPECT_EQ(client.call("tools/list").text({"result"}), client.call("tools/list").text({"result"}));
}

TEST_P(ListTest, ContinuesAfterAToolThatHasGoneAway) {
  TestServer server({}, many_tools(150));
  TestClient client(*server, GetParam());
  const std::string cursor = client.call("tools/list").text({"result", "nextCursor"});
  ASSERT_TRUE(server.registry->remove_tool("tool0099"));
  const WireMessage rest = client.call("tools/list", cursor_params(cursor));
  EXPECT_EQ(rest.text({"result", "tools", 0, "name"}), "tool0100");
  EXPECT_EQ(rest.size({"result", "tools"}), 50);
}

INSTANTIATE_TEST_SUITE_P(, ListTest, ::testing::ValuesIn(both_eras()), dialect_name);

class CursorTest : public DialectTest {
 protected:
  CursorTest() : server({}, many_tools(101)) {
    for (int i = 0; i < 101; ++i) server.add_prompt("prompt" + padded(i), "text");
  }
  TestServer server;
};

TEST_P(CursorTest, ThatWasChangedIsRefused) {
  TestClient client(*server, GetParam());
  const std::string cursor = client.call("tools/list").text({"result", "nextCursor"});
  for (std::size_t place = 0; place < cursor.size(); place += 7) {
    std::string changed = cursor;
    changed[place] = changed[place] == 'A' ? 'B' : 'A';
    const WireMessage reply = client.call("tools/list", cursor_params(changed));
    EXPECT_EQ(reply.code(), -32602) << changed;
    EXPECT_EQ(reply.text({"error", "data", "code"}), "invalid_cursor");
  }
}

TEST_P(CursorTest, OfAnotherServerIsRefused) {
  TestServer other({}, many_tools(101));
  TestClient stranger(*other, GetParam());
  TestClient client(*server, GetParam());
  const std::string cursor = stranger.call("tools/list").text({"result", "nextCursor"});
  EXPECT_EQ(client.call("tools/list", cursor_params(cursor)).code(), -32602);
}

INSTANTIATE_TEST_SUITE_P(, CursorTest, ::testing::ValuesIn(both_eras()), dialect_name);

TEST(Cursor, OfAReplicaWithTheSameKeyIsAccepted) {
  const crypto::Signer key(std::string(32, 'k'));
  ServerOptions options;
  options.signer = key;
  TestServer first(options, many_tools(101));
  TestServer second(options, many_tools(101));
  TestClient here(*first, kModernHttp);
  TestClient there(*second, kModernHttp);
  const std::string cursor = here.call("tools/list").text({"result", "nextCursor"});
  EXPECT_EQ(there.call("tools/list", cursor_params(cursor)).text({"result", "tools", 0, "name"}), "tool0100");
}

}  // namespace
}  // namespace sluice::server::testing
