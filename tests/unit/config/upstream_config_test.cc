// The `upstreams:` section and what belongs to it.

#include <map>

#include <gmock/gmock.h>

#include "sluice/config/config.h"

#include "temp_folder.h"

namespace sluice::config {
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

TEST(UpstreamConfig, AnOddEntryOfAnotherHostsFileStopsNoOther) {
  const fs::TempFolder folder;
  folder.write("mcp.json", R"({"mcpServers": {
    "good": {"command": "x", "env": {"T": "${env:TOKEN}", "D": "${UNSET:-usual}"}, "autoApprove": ["a"], "timeout": 60},
    "remote": {"type": "streamableHttp", "httpUrl": "https://example.org/mcp"},
    "windsurf": {"serverUrl": "https://example.org/other"},
    "old": {"type": "sse", "url": "https://example.org/sse"},
    "asks": {"command": "x", "env": {"K": "${input:key}"}},
    "empty": {},
    "text": "npx x",
    "off": {"disabled": true, "command": 7, "args": "${UNSET}"},
    "also_off": {"enabled": false},
    "home": {"command": "${workspaceFolder}/run"}}})");
  const auto config = parse("upstreams_file: mcp.json\n", folder.at("sluice.yaml"));
  ASSERT_TRUE(config.ok()) << config.error().message;
  std::vector<std::string> names;
  for (const UpstreamSpec& spec : config->gateway.upstreams) names.push_back(spec.node.name);
  EXPECT_THAT(names, ::testing::ElementsAre("good", "remote", "windsurf", "home"));
  const UpstreamSpec& good = config->gateway.upstreams[0];
  EXPECT_EQ(good.environment.at("T"), "s3cret");
  EXPECT_EQ(good.environment.at("D"), "usual");
  EXPECT_EQ(good.node.timeout, std::chrono::seconds(30)) << "60 of what is not known";
  EXPECT_EQ(config->gateway.upstreams[1].url, "https://example.org/mcp");
  EXPECT_EQ(config->gateway.upstreams[2].url, "https://example.org/other");
  EXPECT_EQ(config->gateway.upstreams[3].command, folder.path() + "/run");
  std::string left_out;
  std::string ignored;
  for (const UpstreamNote& note : config->gateway.notes) {
    EXPECT_THAT(note.text, Not(HasSubstr("s3cret")));
    (note.is_left_out ? left_out : ignored) += note.text + "\n";
  }
  for (const char* name : {"old: ", "asks: ", "empty: ", "text: "}) EXPECT_THAT(left_out, HasSubstr(name));
  EXPECT_THAT(left_out, Not(HasSubstr("off")));
  EXPECT_THAT(ignored, HasSubstr("autoApprove"));
  EXPECT_THAT(ignored, HasSubstr("timeout"));
}

TEST(UpstreamConfig, ReadsWhatIsOffered) {
  const auto config = parse(R"(
upstreams:
  fs:
    command: x
    tools: { allow: [ "read_*" ], deny: read_secret, read_only: true, rename: { read_file: read }, describe: { read_file: Reads } }
    offer: [ tools, resources ]
connect_wait: 20s
)");
  ASSERT_TRUE(config.ok()) << config.error().message;
  const gateway::OfferConfig& offer = config->gateway.upstreams.at(0).node.offer;
  EXPECT_THAT(offer.tools.rules.allow, ::testing::ElementsAre("read_*"));
  EXPECT_THAT(offer.tools.rules.deny, ::testing::ElementsAre("read_secret"));
  EXPECT_TRUE(offer.tools.rules.read_only);
  EXPECT_EQ(offer.tools.rename.at("read_file"), "read");
  EXPECT_EQ(offer.tools.describe.at("read_file"), "Reads");
  EXPECT_TRUE(offer.offers_tools && offer.offers_resources);
  EXPECT_FALSE(offer.offers_prompts || offer.offers_resource_tools);
  EXPECT_EQ(config->gateway.connect_wait, std::chrono::seconds(20));
}

TEST(UpstreamConfig, ReadsHowMuchIsKeptAndShown) {
  const auto config = parse(R"(
upstreams:
  fs:
    command: x
    max_inline_chars: 20000
    cache: { enabled: false, max_entries: 5000, max_bytes: 1MiB, ttl_seconds: 1800, inline_text_if_under_chars: 7000 }
    resources: { enabled: false, auto_read_if_size_under_bytes: 50000, inline_text_if_under_chars: 5000, cache_reads_to_artifacts: false }
artifacts: { retention: 2h, max_bytes: 10MiB, max_artifact_bytes: 1MiB }
)");
  ASSERT_TRUE(config.ok()) << config.error().message;
  const gateway::NodeConfig& node = config->gateway.upstreams.at(0).node;
  EXPECT_EQ(node.artifact_extraction.max_inline_size, 20'000U);
  EXPECT_FALSE(node.cache.enabled);
  EXPECT_EQ(node.cache.max_entries, 5'000U);
  EXPECT_EQ(node.cache.max_bytes, 1'048'576U);
  EXPECT_EQ(node.cache.ttl_seconds, 1'800U);
  EXPECT_EQ(node.cache.inline_text_if_under_chars, 7'000U);
  const gateway::ResourceHandlingConfig& handling = node.artifact_extraction.resources;
  EXPECT_FALSE(handling.enabled);
  EXPECT_EQ(handling.auto_read_if_size_under_bytes, 50'000U);
  EXPECT_EQ(handling.inline_text_if_under_chars, 5'000U);
  EXPECT_FALSE(handling.cache_reads_to_artifacts);
  EXPECT_EQ(config->gateway.artifacts.bounds.retention, std::chrono::hours(2));
  EXPECT_EQ(config->gateway.artifacts.bounds.artifact_bytes_max, 1'048'576U);
}

TEST(UpstreamConfig, ReadsTheTokenOfAPortalFromTheEnvironment) {
  const auto config = parse(R"(
portals: [ { host: own, base: "https://data.example.org", token: { env: TOKEN } } ]
ckan: { tools: [ ckan_package_search ] }
)");
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->portals->portals.at(0).token, "s3cret");
  EXPECT_THAT(config->portals->tools, ::testing::ElementsAre("ckan_package_search"));
  for (const char* bad :
       {R"(portals: [ { host: own, base: "http://data.example.org", token: { env: TOKEN } } ])",
        R"(portals: [ { host: own, token: s3cret } ])",
        R"(portals: [ { host: own, token: { env: UNSET } } ])",
        "portals: []\nckan: { tools: [ ckan_everything ] }"}) {
    const auto refused = parse(bad);
    ASSERT_FALSE(refused.ok()) << bad;
    EXPECT_THAT(refused.error().message, Not(HasSubstr("s3cret")));
  }
}

TEST(UpstreamConfig, ReadsHowAServerIsToldWhoIsCalling) {
  const auto config = parse(R"(
upstreams:
  crm: { url: "https://crm.example.org/mcp", authorization: {} }
  desk: { url: "https://desk.example.org/mcp", authorization: { client_id: sluice, redirect_port: 8123 } }
  billing:
    url: "https://billing.example.org/mcp"
    authorization:
      { grant: client_credentials, issuer: "https://login.example.org", client_id: sluice,
        client_secret: { env: TOKEN }, scopes: [ read, write ], account: work, allow_private: true }
token_store: state/tokens
)",
                            "/etc/sluice/sluice.yaml");
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->gateway.tokens, "/etc/sluice/state/tokens");
  const AuthorizationSpec& crm = config->gateway.upstreams.at(0).authorization.value();
  EXPECT_EQ(crm.grant, oauth::OAuthGrant::kAuthorizationCode);
  EXPECT_TRUE(crm.may_register);
  EXPECT_FALSE(crm.allow_private);
  EXPECT_EQ(crm.redirect_port, 0);
  EXPECT_EQ(config->gateway.upstreams.at(1).authorization.value().redirect_port, 8123);
  const AuthorizationSpec& billing = config->gateway.upstreams.at(2).authorization.value();
  EXPECT_EQ(billing.grant, oauth::OAuthGrant::kClientCredentials);
  EXPECT_EQ(billing.secret, "s3cret");
  EXPECT_EQ(billing.scopes, (std::vector<std::string>{"read", "write"}));
  EXPECT_EQ(billing.account, "work");
  EXPECT_TRUE(billing.allow_private);
}

TEST(UpstreamConfig, SecretsAreNamedAndBelongToOneIssuer) {
  const std::pair<const char*, const char*> cases[] = {
      {"client_id: a, client_secret: { env: TOKEN }", "authorization.issuer"},
      {"client_id: a, private_key: { env: TOKEN }", "authorization.issuer"},
      {"issuer: \"https://a\", client_secret: { env: TOKEN }", "authorization.client_id"},
      {"issuer: \"https://a\", client_id: a, client_secret: s3cret", "expected a mapping"},
      {"issuer: \"https://a\", client_id: a, client_secret: { env: UNSET }", "UNSET is not set"},
      {"issuer: \"https://a\", client_id: a, client_secret: { env: TOKEN }, private_key: { env: TOKEN }",
       "not both"},
      {"issuer: a.example.org", "must be the URL"},
      {"grant: client_credentials", "needs client_id"},
      {"grant: implicit", "must be authorization_code or client_credentials"},
      {"client_metadata_url: \"http://a/b\"", "must begin with https://"},
      {"auth_method: shouting", "must be none"},
      {"scopes: [ \"a b\" ]", "words without spaces"},
      {"account: \"a b\"", "a word without spaces"},
      {"redirect_port: 65536", "must be at most 65535"},
      {"redirect_port: -1", "authorization.redirect_port"},
      {"clientid: a", "clientid: unknown key; did you mean client_id?"},
  };
  for (const auto& [text, reason] : cases) {
    const auto config =
        parse("upstreams: { a: { url: \"https://x/mcp\", authorization: { " + std::string(text) + " } } }");
    ASSERT_FALSE(config.ok()) << text;
    EXPECT_THAT(config.error().message, HasSubstr(reason)) << text;
    EXPECT_THAT(config.error().message, Not(HasSubstr("s3cret"))) << text;
  }
  EXPECT_FALSE(parse("upstreams: { a: { command: x, authorization: {} } }").ok());
  EXPECT_FALSE(
      parse("upstreams: { a: { url: \"https://x\", headers: { authorization: x }, authorization: {} } }")
          .ok());
}

TEST(UpstreamConfig, WhatIsNotKnownIsAnError) {
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
      {"connect_wait: 2m", "must be at most 60s"},
      {"upstreams: { a: { command: x, type: sse } }", "use Streamable HTTP"},
      {"upstreams: { a: { command: x, offer: [ all ] } }", "must list tools"},
      {"upstreams: { a: { command: x, tools: { alow: [ b ] } } }", "did you mean allow?"},
      {"upstreams: { a: { command: x, proxy: \"http://p:1\" } }", "needs url"},
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
}  // namespace sluice::config
