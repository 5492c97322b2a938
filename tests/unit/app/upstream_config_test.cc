// The `upstreams:` section and what belongs to it.

#include <map>

#include <gmock/gmock.h>

#include "sluice/app/config.h"

#include "temp_folder.h"

namespace sluice::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Result<Config> parse(const std::string& text, const std::string& name = "sluice.yaml") {
  return parse_config(text, name, [](const std::string& variable) -> std::optional<std::string> {
    static const std::map<std::string, std::string> kVariables{
        {"TOKEN", "s3cret"}, {"PATH", "/bin"}, {"AWS_SECRET_ACCESS_KEY", "hidden"}, {"EXTRA", "more"}};
    const auto at = kVariables.find(variable);
    if (at == kVariables.end()) return std::nullopt;
    return at->second;
  });
}

TEST(UpstreamConfig, ReadsCommandsAndUrls) {
  const auto config = parse(R"(
upstreams:
  fs: { command: npx, args: ["-y", "server"], env: { A: "${TOKEN}" }, inherit_env: [ EXTRA ], preset: filesystem }
  web: { url: "https://example.org/mcp", headers: { Authorization: "Bearer ${TOKEN}" }, pin: true, timeout: 5s }
tool_names: safe
)");
  ASSERT_TRUE(config.ok()) << config.error().message;
  ASSERT_EQ(config->gateway.upstreams.size(), 2U);
  const UpstreamSpec& fs = config->gateway.upstreams[0];
  EXPECT_EQ(fs.node.name, "fs");
  EXPECT_EQ(fs.arguments.size(), 2U);
  EXPECT_EQ(fs.environment.at("A"), "s3cret");
  EXPECT_EQ(fs.environment.at("EXTRA"), "more");
  EXPECT_EQ(fs.environment.at("PATH"), "/bin");
  EXPECT_FALSE(fs.environment.contains("TOKEN"));
  EXPECT_EQ(fs.node.artifact_extraction.resources.auto_read_if_size_under_bytes, 100'000U);
  EXPECT_EQ(fs.node.timeout, std::chrono::seconds(30));
  EXPECT_FALSE(fs.pin);
  const UpstreamSpec& web = config->gateway.upstreams[1];
  EXPECT_EQ(web.headers.at(0).second, "Bearer s3cret");
  EXPECT_TRUE(web.pin);
  EXPECT_EQ(web.node.timeout, std::chrono::seconds(5));
  EXPECT_EQ(config->gateway.names, gateway::NameStyle::kSafe);
}

TEST(UpstreamConfig, ReadsTheFilesOfOtherHosts) {
  const fs::TempFolder folder;
  folder.write("mcp.json", R"({"inputs": [], "mcpServers": {
    "My server": {"type": "stdio", "command": "x", "args": [], "env": {"T": "${TOKEN}"}},
    "off": {"command": "y", "disabled": true}}})");
  const auto config = parse("upstreams_file: mcp.json\n", folder.at("sluice.yaml"));
  ASSERT_TRUE(config.ok()) << config.error().message;
  ASSERT_EQ(config->gateway.upstreams.size(), 1U);
  EXPECT_EQ(config->gateway.upstreams[0].node.name, "My_server");
  EXPECT_EQ(config->gateway.upstreams[0].environment.at("T"), "s3cret");
}

TEST(UpstreamConfig, V16_WhatIsNotKnownIsAnError) {
  const std::pair<const char*, const char*> cases[] = {
      {"upstreams: { a: { command: x, comand: y } }", "comand"},
      {"upstreams: { a: { } }", "needs either command or url"},
      {"upstreams: { a: { command: x, url: \"http://x\" } }", "needs either command or url"},
      {"upstreams: { a: { url: \"file:///etc/passwd\" } }", "must begin with https:// or http://"},
      {"upstreams: { a: { command: x }, A: { command: y } }", "namespace"},
      {"upstreams: { a: { command: x, timeout: 1h } }", "must be 1s to 5m"},
      {"upstreams: { a: { command: x, max_concurrency: 0 } }", "must be 1 to 128"},
      {"upstreams: { a: { command: x, preset: other } }", "must be filesystem"},
      {"upstreams: { a: { command: x, env: { A: \"${UNSET}\" } } }", "UNSET"},
      {"upstreams: { a: { command: x, inherit_env: [ UNSET ] } }", "UNSET"},
      {"upstreams: { a: { command: x, type: carrier-pigeon } }", "must be stdio or http"},
      {"upstreams_file: /no/such/file.json", "open /no/such/file.json"},
      {"tool_names: colourful", "must be dotted or safe"},
      {"artifacts: { pfad: x }", "pfad"},
  };
  for (const auto& [text, expected] : cases) {
    const auto config = parse(text);
    ASSERT_FALSE(config.ok()) << text;
    EXPECT_THAT(config.error().message, HasSubstr(expected)) << text;
    EXPECT_THAT(config.error().message, Not(HasSubstr("s3cret")));
  }
}

}  // namespace
}  // namespace sluice::app
