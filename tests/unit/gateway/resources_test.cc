// Resources of upstreams and artifacts, read through the server.

#include <gmock/gmock.h>

#include "node_server.h"

namespace sluice::gateway::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

WireMessage read(TestClient& client, const std::string& uri) {
  return client.call("resources/read", json::to_text(json::Object{{"uri", uri}}));
}

TEST(GatewayResources, AreListedUnderNamespacedUris) {
  NodeServer server;
  server.add("a")->add_resource("file:///x");
  const auto script = server.add("b");
  script->add_resource("file:///x");
  script->add_resource("ui://widget");
  script->add_template("db://{table}/data");
  server.start();
  const auto client = server.connect();
  EXPECT_THAT(listed(*client, "resources/list", "resources", "uri"),
              ElementsAre("a+file:///x", "b+file:///x", "ui://b/widget"));
  EXPECT_THAT(listed(*client, "resources/templates/list", "resourceTemplates", "uriTemplate"),
              ElementsAre("b+db://{table}/data"));
  const WireMessage one = read(*client, "b+file:///x");
  EXPECT_EQ(one.text({"result", "contents", 0, "text"}), "text of file:///x");
  EXPECT_EQ(one.text({"result", "contents", 0, "uri"}), "b+file:///x");
  EXPECT_EQ(read(*client, "ui://b/widget").text({"result", "contents", 0, "text"}), "text of ui://widget");
  EXPECT_EQ(read(*client, "c+file:///x").text({"error", "data", "code"}), "resource_not_found");
}

TEST(GatewayResources, GeneratedToolsAnswerAsTheGuideSays) {
  NodeServer server;
  const auto script = server.add("fs");
  script->add_resource("file:///data/config.json", "config.json");
  script->resources.back().size = 1'024;
  script->resources.back().mime_type = "application/json";
  script->add_template("file:///data/users/{user_id}/profile.json");
  server.start();
  const auto client = server.connect();
  EXPECT_EQ(json::to_text(structured(client->call_tool("fs.resources_list"))),
            R"({"count":1,"resources":[{"uri":"file:///data/config.json","name":"config.json",)"
            R"("mime_type":"application/json","size_bytes":1024}]})");
  EXPECT_EQ(
      json::to_text(structured(client->call_tool("fs.resources_templates_list"))),
      R"({"count":1,"templates":[{"uri_template":"file:///data/users/{user_id}/profile.json","name":"a template"}]})");
  for (const std::string uri : {"file:///data/config.json", "fs+file:///data/config.json"}) {
    const json::Value answer =
        structured(client->call_tool("fs.resources_read", json::to_text(json::Object{{"uri", uri}})));
    EXPECT_EQ(json::to_text(answer),
              R"({"result":{"text":"text of file:///data/config.json"},"uri":")" + uri + "\"}");
  }
  EXPECT_EQ(json::to_text(structured(client->call_tool("fs.resources_read"))),
            R"({"result":{"error":"Missing required 'uri' parameter"},"uri":""})");
}

TEST(GatewayResources, LargeOnesAreArtifactsThatCanBeReadOn) {
  NodeServer server;
  const std::string whole = std::string(150'000, 'x') + "the end";
  server.add("fs")->on_read = [&](const std::string& uri,
                                  const client::CallOptions&) -> Result<protocol::ReadResult> {
    protocol::ReadResult result;
    result.contents.push_back(
        {.uri = uri, .mime_type = "text/plain", .body = protocol::TextBody{whole}, .meta = {}});
    return result;
  };
  server.start();
  const auto client = server.connect();
  const json::Value tool =
      structured(client->call_tool("fs.resources_read", R"({"uri":"file:///large.txt"})"));
  const std::string id = *tool.find("result")->find("artifact")->find("id")->if_string();
  EXPECT_THAT(id, StartsWith("fs_"));
  const WireMessage cut = read(*client, "fs+file:///large.txt");
  EXPECT_THAT(cut.text({"result", "contents", 0, "text"}), HasSubstr("[Content truncated...]"));
  const std::string next = cut.text({"result", "contents", 0, "_meta", "sluice/next"});
  EXPECT_EQ(next, "artifact://" + id + "?offset=102400");
  EXPECT_THAT(read(*client, next).text({"result", "contents", 0, "text"}), ::testing::EndsWith("the end"));
  EXPECT_THAT(listed(*client, "resources/list", "resources", "uri"), ElementsAre("artifact://" + id));
}

TEST(GatewayResources, ArtifactsAndReadsAreEachCallersOwn) {
  NodeServer server;
  server.add("fs")->on_read = [](const std::string& uri,
                                 const client::CallOptions&) -> Result<protocol::ReadResult> {
    protocol::ReadResult result;
    result.contents.push_back({.uri = uri,
                               .mime_type = {},
                               .body = protocol::BlobBody{std::string("\x00\x01\xFF", 3)},
                               .meta = {}});
    return result;
  };
  server.start();
  const auto anna = server.connect(kModernHttp, {.principal = {.id = "token:anna"}});
  const auto bert = server.connect(kModernHttp, {.principal = {.id = "token:bert"}});
  const json::Value answer = structured(anna->call_tool("fs.resources_read", R"({"uri":"x:1"})"));
  const std::string uri = "artifact://" + *answer.find("result")->find("artifact")->find("id")->if_string();
  EXPECT_EQ(read(*anna, uri).text({"result", "contents", 0, "blob"}), "AAH/");
  const WireMessage foreign = read(*bert, uri);
  const WireMessage unknown = read(*bert, "artifact://fs_000000000000");
  EXPECT_EQ(foreign.text({"error", "data", "code"}), "resource_not_found");
  EXPECT_EQ(foreign.code(), unknown.code()) << "one error for all";
  EXPECT_TRUE(listed(*bert, "resources/list", "resources", "uri").empty());
}

TEST(GatewayResources, FailedReadsAreErrorsOfTheReadThatSayWhatToDo) {
  NodeServer server;
  server.add("fs")->on_read = [](const std::string& uri,
                                 const client::CallOptions&) -> Result<protocol::ReadResult> {
    if (uri == "x:method") return server_error(-32601, "Method not found");
    if (uri == "x:fault") return server_error(-32000, "broken");
    if (uri == "x:large") return limit_reached("bytes in a message of the server", 7);
    if (uri == "x:slow") return deadline_exceeded();
    return unavailable("the line broke");
  };
  server.start();
  for (const Dialect dialect : {kModernHttp, kModernPipe, kLegacyPipe}) {
    const auto client = server.connect(dialect);
    for (const auto& [uri, code] :
         std::map<std::string, std::string>{{"x:method", "upstream_error"},
                                            {"x:fault", "upstream_error"},
                                            {"x:large", "upstream_answer_too_large"},
                                            {"x:slow", "upstream_timeout"}}) {
      const WireMessage reply = read(*client, "fs+" + uri);
      EXPECT_EQ(reply.code(), -32603) << uri;
      EXPECT_EQ(reply.text({"error", "data", "code"}), code) << uri;
      EXPECT_NE(reply.text({"error", "data", "hint"}), "") << uri;
    }
  }
  // Last: the upstream is taken for broken from here on.
  const WireMessage broken = read(*server.connect(), "fs+x:line");
  EXPECT_EQ(broken.code(), -32603);
  EXPECT_EQ(broken.text({"error", "data", "code"}), "upstream_failed");
  EXPECT_NE(broken.text({"error", "data", "hint"}), "");
}

TEST(GatewayResources, HostileArtifactUrisNameNothing) {
  NodeServer server;
  (void)server.add("fs");
  server.start();
  const auto client = server.connect();
  for (const std::string uri :
       {"artifact://", "artifact://../../etc/passwd", "artifact://..%2f..%2fetc%2fpasswd", "artifact://a?x=1",
        "artifact://a?offset=-1", "artifact://a/b", "artifact://%00"})
    EXPECT_EQ(read(*client, uri).text({"error", "data", "code"}), "resource_not_found") << uri;
}

TEST(GatewayResources, ReadsAreKeptAndShared) {
  NodeServer server;
  const auto script = server.add("fs");
  server.start();
  const auto client = server.connect();
  (void)read(*client, "fs+file:///a");
  (void)read(*client, "fs+file:///a");
  (void)client->call_tool("fs.resources_read", R"({"uri":"file:///a"})");
  EXPECT_EQ(script->reads, 1);
}

TEST(GatewayResources, UpdatesReachWhoSubscribed) {
  NodeServer server;
  const auto script = server.add("fs");
  script->add_resource("file:///a");
  server.start();
  const auto client = server.connect(kLegacyPipe);
  EXPECT_TRUE(client->call("resources/subscribe", R"({"uri":"fs+file:///a"})").is_result());
  ASSERT_TRUE(script->wait_subscribed("file:///a"));
  for (int i = 0; i < 1'000; ++i) script->options.on_resource_updated("file:///a");
  const WireMessage told = heard(*client, "notifications/resources/updated");
  EXPECT_EQ(told.text({"params", "uri"}), "fs+file:///a");
  EXPECT_TRUE(client->call("resources/unsubscribe", R"({"uri":"fs+file:///a"})").is_result());
  EXPECT_TRUE(script->wait_subscribed("file:///a", false));
}

TEST(GatewayResources, ListsFollowTheUpstream) {
  NodeServer server;
  const auto script = server.add("fs");
  server.start();
  const auto client = server.connect(kLegacyPipe);
  EXPECT_TRUE(listed(*client, "resources/list", "resources", "uri").empty());
  script->add_resource("file:///new");
  script->options.on_list_changed(client::ListKind::kResources);
  EXPECT_TRUE(hears(*client, "notifications/resources/list_changed"));
  EXPECT_THAT(listed(*client, "resources/list", "resources", "uri"), ElementsAre("fs+file:///new"));
  script->add_tool("late");
  script->options.on_list_changed(client::ListKind::kTools);
  EXPECT_TRUE(hears(*client, "notifications/tools/list_changed"));
  EXPECT_EQ(client->call_tool("fs.late").text({"result", "content", 0, "text"}), "called late");
}

}  // namespace
}  // namespace sluice::gateway::testing
