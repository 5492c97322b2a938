// Lists are ordered, come in pages, and continue with cursors that nobody but the server can make.

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_client.h"
#include "test_server.h"

namespace sluice::server::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Result<protocol::ToolResult> nothing(const json::Object&, Context&) { return protocol::text_result(""); }

std::vector<std::string> names(const WireMessage& reply, const char* list, const char* key) {
  std::vector<std::string> found;
  for (int i = 0; i < static_cast<int>(reply.size({"result", list})); ++i)
    found.push_back(reply.text({"result", list, i, key}));
  return found;
}

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

TEST_P(ListTest, OfToolsIsOrderedByName) {
  TestServer server;
  for (const char* name : {"b", "a.z", "C", "a_z", "a"}) server.add_tool(name, nothing);
  TestClient client(*server, GetParam());
  EXPECT_THAT(names(client.call("tools/list"), "tools", "name"), ElementsAre("C", "a", "a.z", "a_z", "b"));
}

TEST_P(ListTest, OfToolsIsTheSameEachTime) {
  TestServer server({}, many_tools(20));
  TestClient client(*server, GetParam());
  EXPECT_EQ(client.call("tools/list").text({"result"}), client.call("tools/list").text({"result"}));
}

TEST_P(ListTest, OfManyToolsComesInPagesThatMissNothing) {
  TestServer server({}, many_tools(230));
  TestClient client(*server, GetParam());
  std::vector<std::string> all;
  std::vector<std::size_t> sizes;
  std::string params = "{}";
  for (int page = 0; page < 3; ++page) {
    const WireMessage reply = client.call("tools/list", params);
    const std::vector<std::string> some = names(reply, "tools", "name");
    sizes.push_back(some.size());
    all.insert(all.end(), some.begin(), some.end());
    EXPECT_EQ(reply.has({"result", "nextCursor"}), page < 2);
    params = cursor_params(reply.text({"result", "nextCursor"}));
  }
  EXPECT_THAT(sizes, ElementsAre(100, 100, 30));
  EXPECT_EQ(all.size(), 230);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 230);
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
}

TEST_P(ListTest, OfExactlyOnePageHasNoCursor) {
  TestServer server({}, many_tools(100));
  TestClient client(*server, GetParam());
  const WireMessage reply = client.call("tools/list");
  EXPECT_EQ(reply.size({"result", "tools"}), 100);
  EXPECT_FALSE(reply.has({"result", "nextCursor"}));
}

TEST_P(ListTest, OfResourcesTemplatesAndPromptsComesInPagesToo) {
  TestServer server;
  for (int i = 0; i < 101; ++i) {
    server.add_resource("memo:" + padded(i), "text");
    server.add_prompt("prompt" + padded(i), "text");
    ASSERT_TRUE(server.registry
                    ->add_template({.uri_template = "note:" + padded(i) + "/{id}", .name = "note"},
                                   [](const ResourceUri&, const TemplateValues&, Context&)
                                       -> Result<protocol::ReadResult> { return protocol::ReadResult{}; })
                    .ok());
  }
  TestClient client(*server, GetParam());
  struct Case {
    const char* method;
    const char* list;
  };
  for (const Case& each : {Case{"resources/list", "resources"}, Case{"prompts/list", "prompts"},
                           Case{"resources/templates/list", "resourceTemplates"}}) {
    const WireMessage first = client.call(each.method);
    EXPECT_EQ(first.size({"result", each.list}), 100) << each.method;
    const WireMessage second = client.call(each.method, cursor_params(first.text({"result", "nextCursor"})));
    EXPECT_EQ(second.size({"result", each.list}), 1) << each.method;
    EXPECT_FALSE(second.has({"result", "nextCursor"})) << each.method;
  }
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

TEST_P(CursorTest, ThatWasInventedIsRefused) {
  TestClient client(*server, GetParam());
  for (const std::string& invented : {std::string(), std::string("100"), std::string("tool0050"),
                                      std::string("."), std::string(100'000, 'A')})
    EXPECT_EQ(client.call("tools/list", cursor_params(invented)).code(), -32602) << invented.substr(0, 20);
}

TEST_P(CursorTest, OfAnotherListIsRefused) {
  TestClient client(*server, GetParam());
  const std::string cursor = client.call("prompts/list").text({"result", "nextCursor"});
  EXPECT_EQ(client.call("tools/list", cursor_params(cursor)).code(), -32602);
}

TEST_P(CursorTest, OfAnotherServerIsRefused) {
  TestServer other({}, many_tools(101));
  TestClient stranger(*other, GetParam());
  TestClient client(*server, GetParam());
  const std::string cursor = stranger.call("tools/list").text({"result", "nextCursor"});
  EXPECT_EQ(client.call("tools/list", cursor_params(cursor)).code(), -32602);
}

TEST_P(CursorTest, DoesNotShowItsContents) {
  TestClient client(*server, GetParam());
  EXPECT_THAT(client.call("tools/list").text({"result", "nextCursor"}), Not(HasSubstr("tool0099")));
}

INSTANTIATE_TEST_SUITE_P(, CursorTest, ::testing::ValuesIn(both_eras()), dialect_name);

TEST(Cursor, OfAnotherPrincipalIsRefused) {
  TestServer server({}, many_tools(101));
  TestClient alice(*server, kModernHttp, {.principal = {"token:alice"}});
  TestClient bob(*server, kModernHttp, {.principal = {"token:bob"}});
  const std::string cursor = alice.call("tools/list").text({"result", "nextCursor"});
  EXPECT_EQ(bob.call("tools/list", cursor_params(cursor)).code(), -32602);
  EXPECT_TRUE(alice.call("tools/list", cursor_params(cursor)).is_result());
}

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

TEST(ModernList, SaysHowLongAndForWhomItMayBeKept) {
  TestServer server;
  server.add_echo();
  TestClient client(*server, kModernPipe);
  const WireMessage reply = client.call("tools/list");
  EXPECT_EQ(reply.text({"result", "cacheScope"}), "private");
  EXPECT_TRUE(reply.at({"result", "ttlMs"}).is_number());
}

}  // namespace
}  // namespace sluice::server::testing
