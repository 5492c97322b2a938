// One server as a library sees it: what docs/GATEWAY.md shows.

#include <gmock/gmock.h>

#include "sluice/protocol/wire/decode.h"

#include "node_server.h"

namespace sluice::gateway::testing {
namespace {

using ::testing::HasSubstr;

TEST(ToolNode, FindsResourcesWhenItConnects) {
  const auto script = std::make_shared<Script>();
  script->add_resource("file:///data/config.json", "config.json");
  script->add_template("file:///data/users/{user_id}/profile.json");
  NodeConfig config;
  config.name = "filesystem";
  const auto node = take(ToolNode::create(config, scripted(script), {}));
  ASSERT_TRUE(node->connect().ok());

  ASSERT_TRUE(node->discovery()->resources_supported);
  EXPECT_EQ(node->list_resources().at(0).name, "config.json");
  EXPECT_EQ(node->list_resource_templates().at(0).uri_template, "file:///data/users/{user_id}/profile.json");
  const json::Object result = node->read_resource("file:///data/config.json", {});
  EXPECT_EQ(json::to_text(result), R"({"text":"text of file:///data/config.json"})");
  EXPECT_EQ(node->generated_tools().size(), 3U);
}

TEST(ToolNode, SaysWhatIsWrongInsteadOfFailing) {
  const auto script = std::make_shared<Script>();
  script->on_read = [](const std::string&, const client::CallOptions&) -> Result<protocol::ReadResult> {
    return server_error(-32002, "no such file");
  };
  const auto node = take(ToolNode::create({.name = "fs"}, scripted(script), {}));
  ASSERT_TRUE(node->connect().ok());
  const json::Object result = node->read_resource("invalid://uri", {});
  ASSERT_TRUE(result.contains("error"));
  EXPECT_THAT(*result.find("error")->if_string(), HasSubstr("no such file"));
  EXPECT_EQ(script->reads, 1) << "what the server refuses is not tried again";
}

TEST(ToolNode, ServersWithoutResourcesHaveNoToolsForThem) {
  const auto script = std::make_shared<Script>();
  script->has_resources = false;
  const auto node = take(ToolNode::create({.name = "fs"}, scripted(script), {}));
  ASSERT_TRUE(node->connect().ok());
  EXPECT_FALSE(node->discovery()->resources_supported);
  EXPECT_TRUE(node->list_resources().empty());
  EXPECT_TRUE(node->generated_tools().empty());
}

// The guide keeps reads for ttl_seconds; a server of the modern era may say otherwise, and need not.
TEST(ToolNode, WithoutATimeOfTheServerReadsAreKeptForTheConfiguredOne) {
  const auto reads_of_two = [](std::chrono::milliseconds said) {
    const auto script = std::make_shared<Script>();
    script->revision = protocol::kNewest;
    script->on_read = [said](const std::string& uri,
                             const client::CallOptions&) -> Result<protocol::ReadResult> {
      protocol::ReadResult result;
      result.contents.push_back({.uri = uri, .mime_type = {}, .body = protocol::TextBody{"x"}, .meta = {}});
      result.cache.ttl = said;
      return result;
    };
    const auto node = take(ToolNode::create({.name = "fs"}, scripted(script), {}));
    EXPECT_TRUE(node->connect().ok());
    node->read_resource("file:///a", {});
    node->read_resource("file:///a", {});
    return static_cast<int>(script->reads);
  };
  EXPECT_EQ(reads_of_two(protocol::kNoTtl), 1);
  EXPECT_EQ(reads_of_two(std::chrono::milliseconds(0)), 2) << "a server that says none is obeyed";
  EXPECT_EQ(reads_of_two(std::chrono::minutes(1)), 1);
}

TEST(ToolNode, ReadsAreTriedAgainAndActionsAreNot) {
  const auto script = std::make_shared<Script>();
  int failing = 2;
  script->on_read = [&](const std::string& uri, const client::CallOptions&) -> Result<protocol::ReadResult> {
    if (failing-- > 0) return unavailable("HTTP 503").with_code("http_status");
    protocol::ReadResult result;
    result.contents.push_back(
        {.uri = uri, .mime_type = {}, .body = protocol::TextBody{"at last"}, .meta = {}});
    return result;
  };
  script->on_call = [](const std::string&, const json::Object&,
                       const client::CallOptions&) -> Result<protocol::ToolResult> {
    return unavailable("HTTP 503").with_code("http_status");
  };
  const auto node = take(ToolNode::create({.name = "fs"}, scripted(script), {}));
  ASSERT_TRUE(node->connect().ok());
  EXPECT_EQ(json::to_text(node->read_resource("a:1", {})), R"({"text":"at last"})");
  EXPECT_EQ(script->reads, 3);
  EXPECT_EQ(node->call_tool("write", {}, {}).error().code, "upstream_failed");
  EXPECT_EQ(script->calls, 1);
}

TEST(ToolNode, UpdatesForgetWhatIsKept) {
  const auto script = std::make_shared<Script>();
  const auto node = take(ToolNode::create({.name = "fs"}, scripted(script), {}));
  ASSERT_TRUE(node->connect().ok());
  (void)node->read_resource("file:///a", {});
  (void)node->read_resource("file:///a", {});
  EXPECT_EQ(script->reads, 1);
  script->options.on_resource_updated("file:///a");
  (void)node->read_resource("file:///a", {});
  EXPECT_EQ(script->reads, 2);
  script->options.on_list_changed(client::ListKind::kResources);
  (void)node->read_resource("file:///a", {});
  EXPECT_EQ(script->reads, 3);
}

TEST(ToolNode, WhatActsForgetsWhatIsKept) {
  const auto script = std::make_shared<Script>();
  script->add_tool("write");
  script->add_tool("look");
  script->tools.back().annotations = protocol::ToolAnnotations{.read_only = true};
  const auto node = take(ToolNode::create({.name = "fs"}, scripted(script), {}));
  ASSERT_TRUE(node->connect().ok());
  (void)node->read_resource("file:///a", {});
  (void)node->call_tool("look", {}, {});
  (void)node->read_resource("file:///a", {});
  EXPECT_EQ(script->reads, 1);
  (void)node->call_tool("write", {}, {});
  (void)node->read_resource("file:///a", {});
  EXPECT_EQ(script->reads, 2);
}

}  // namespace
}  // namespace sluice::gateway::testing
