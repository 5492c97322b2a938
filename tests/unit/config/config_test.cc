#include "sluice/config/config.h"

#include <map>

#include <gmock/gmock.h>

namespace sluice::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Environment environment(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto at = variables.find(name);
    return at == variables.end() ? std::nullopt : std::optional(at->second);
  };
}

Result<Config> parse(std::string_view text, std::map<std::string, std::string> variables = {}) {
  return parse_config(text, "sluice.yaml", environment(std::move(variables)));
}

TEST(Config, IsAllDefaultsWhereTheFileIsEmpty) {
  const Config config = parse("").value();
  EXPECT_FALSE(config.server.http.has_value());
  EXPECT_EQ(config.limits.rows, 5000U);
}

// An operator who writes down the default means it as a ceiling.
TEST(Config, TellsAGivenTokenLimitFromTheDefault) {
  EXPECT_FALSE(parse("limits: { max_rows: 10 }")->has_max_tokens);
  EXPECT_TRUE(parse("limits: { max_tokens: 8000 }")->has_max_tokens);
  EXPECT_EQ(parse("limits: { max_tokens: 8000 }")->limits.tokens, parse("")->limits.tokens);
}

TEST(Config, ReadsTheFoldersOfFiles) {
  const Config config = parse_config("files: [ { path: docs/ }, { path: /srv/shared, name: team files } ]",
                                     "/etc/sluice.yaml", environment({}))
                            .value();
  ASSERT_EQ(config.files.size(), 2U);
  EXPECT_EQ(config.files[0].name, "docs");
  EXPECT_EQ(config.files[0].path, "/etc/docs/");
  EXPECT_EQ(config.files[1].name, "team files");
  EXPECT_EQ(config.files[1].path, "/srv/shared");
}

TEST(Config, ReadsHowLongAndHowMuchOfLocalSourcesIsRead) {
  using std::chrono::seconds;
  const Config config = parse(
                            "files: [ { path: a, ttl: 5s, binary_bytes: 1MiB }, { path: b } ]\n"
                            "docs: [ { path: c, ttl: 1s } ]\ngit: [ { path: d, ttl: 2m } ]")
                            .value();
  EXPECT_EQ(config.files[0].ttl, seconds(5));
  EXPECT_EQ(config.files[0].binary_bytes_max, std::size_t{1} << 20U);
  EXPECT_EQ(config.files[1].ttl, seconds(60));
  EXPECT_EQ(config.files[1].binary_bytes_max, 102'400U);
  EXPECT_EQ(config.docs[0].ttl, seconds(1));
  EXPECT_EQ(config.git[0].ttl, seconds(120));
  EXPECT_THAT(parse("files: [ { path: a, binary_bytes: 10 } ]").error().message,
              HasSubstr("100KiB to 64MiB"));
  EXPECT_THAT(parse("docs: [ { path: a, binary_bytes: 1MiB } ]").error().message, HasSubstr("unknown key"));
}

TEST(Config, RefusesFoldersOfFilesThatCannotBeToldApart) {
  EXPECT_THAT(parse("files: [ { path: a/docs }, { path: b/docs } ]").error().message,
              HasSubstr("another folder is called docs"));
  EXPECT_THAT(parse("files: [ { path: a, name: x/y } ]").error().message, HasSubstr("without a slash"));
  EXPECT_THAT(parse("files: [ { path: a, title: x } ]").error().message, HasSubstr("unknown key"));
  EXPECT_THAT(parse("files: [ { name: x } ]").error().message, HasSubstr("path"));
}

TEST(Config, ReadsWhatDatabasesCompute) {
  using databases::PushDown;
  const auto push_down = [](const std::string& text) {
    const Config config =
        parse("query: { push_down: " + text + " }\ndatabases: [ { name: a, url: \"sqlite:a.db\" } ]").value();
    EXPECT_EQ(config.query.push_down, config.databases.front().push_down);
    return config.query.push_down;
  };
  EXPECT_EQ(push_down("on"), PushDown::kOn);
  EXPECT_EQ(push_down("filters"), PushDown::kFilters);
  EXPECT_EQ(push_down("off"), PushDown::kOff);
  EXPECT_EQ(parse("")->query.push_down, PushDown::kOn);
  EXPECT_EQ(parse("")->query.push_keys, 10'000U);
  EXPECT_EQ(parse("query: { push_keys: 0 }")->query.push_keys, 0U);
  EXPECT_THAT(parse("query: { push_down: some }").error().message, HasSubstr("must be on, filters or off"));
  EXPECT_THAT(parse("query: { push_keys: 100001 }").error().message, HasSubstr("must be 0 to 100000"));
  EXPECT_THAT(parse("query: { push_key: 1 }").error().message, HasSubstr("push_keys"));
}

TEST(Config, ReadsRepositories) {
  const Config config = parse_config("git: [ { path: . }, { path: /srv/tool.git, name: tool } ]",
                                     "/etc/team/sluice.yaml", environment({}))
                            .value();
  ASSERT_EQ(config.git.size(), 2U);
  EXPECT_EQ(config.git[0].name, "team");
  EXPECT_EQ(config.git[0].path, "/etc/team/.");
  EXPECT_EQ(config.git[1].name, "tool");
  EXPECT_THAT(parse("git: [ { path: a, name: x }, { path: b, name: x } ]").error().message,
              HasSubstr("another folder is called x"));
  EXPECT_THAT(parse("git: [ { path: a, branch: x } ]").error().message, HasSubstr("unknown key"));
}

constexpr std::string_view kApis = R"(
apis:
  - name: v1
    base: "https://api.example.org/v1"
    headers: { Authorization: "Bearer ${API_TOKEN}" }
    ca_file: ca.pem
    ttl: 5m
    poll: 10s
    timeout: 20s
    max_bytes: 1MiB
    allowed_origins: [ "https://files.example.org" ]
    endpoints:
      - { name: status, path: /status, description: How it is }
      - name: user
        path: "/users/{user_id}"
        query: { verbose: "{verbose}", fixed: "1" }
        pagination: { next: /meta/next }
        parameters: { verbose: { values: [ yes, no ], required: true, description: How much } }
)";

TEST(Config, ReadsApis) {
  const Environment environment = [](const std::string& name) {
    return name == "API_TOKEN" ? std::optional<std::string>("token") : std::nullopt;
  };
  const Config config = parse_config(kApis, "/etc/sluice.yaml", environment).value();
  ASSERT_EQ(config.apis.size(), 1U);
  const apis::ApiSpec& api = config.apis[0];
  EXPECT_EQ(api.name, "v1");
  EXPECT_EQ(api.headers.at(0).second, "Bearer token");
  EXPECT_EQ(api.ca_file, "/etc/ca.pem");
  EXPECT_FALSE(api.allow_private);
  EXPECT_EQ(api.ttl, std::chrono::minutes(5));
  EXPECT_EQ(api.poll, std::chrono::seconds(10));
  EXPECT_EQ(api.timeout, std::chrono::seconds(20));
  EXPECT_EQ(api.bytes_max, 1024U * 1024);
  const apis::EndpointSpec& user = api.endpoints.at(1);
  EXPECT_EQ(user.query.at(0).second, "{verbose}");
  EXPECT_EQ(user.next, "/meta/next");
  EXPECT_EQ(user.parameters.at(0).values.size(), 2U);
  EXPECT_TRUE(user.parameters.at(0).required);
}

TEST(Config, RefusesApisThatMakeNoSenseWithoutTheirSecrets) {
  const auto refused = [](const std::string& text) {
    const Environment environment = [](const std::string&) { return std::optional<std::string>("secret\n"); };
    const Result<Config> config = parse_config("apis: [ " + text + " ]", "sluice.yaml", environment);
    EXPECT_FALSE(config.ok()) << text;
    EXPECT_THAT(config.error().message, Not(HasSubstr("secret")));
    return config.ok() ? "" : config.error().message;
  };
  EXPECT_THAT(refused("{ name: a }"), HasSubstr("base"));
  EXPECT_THAT(refused("{ name: a, base: \"ftp://x\" }"), HasSubstr("neither http nor https"));
  EXPECT_THAT(refused("{ name: a/b, base: \"http://x\" }"), HasSubstr("not a name of an API"));
  EXPECT_THAT(refused("{ name: a, base: \"http://x\", headers: { X: \"${T}\" } }"),
              HasSubstr("header X of a"));
  EXPECT_THAT(refused("{ name: a, base: \"http://x\", poll: 10ms }"), HasSubstr("1s or more"));
  EXPECT_THAT(refused("{ name: a, base: \"http://x\", max_bytes: 1GB }"), HasSubstr("max_bytes"));
  EXPECT_THAT(refused("{ name: a, base: \"http://x\", timeout: 1h }"), HasSubstr("timeout"));
  EXPECT_THAT(refused("{ name: a, base: \"http://x\", privat: true }"), HasSubstr("unknown key"));
  EXPECT_THAT(refused("{ name: a, base: \"http://x\", proxy: \"socks5://x\" }"), HasSubstr("proxy"));
  EXPECT_THAT(refused("{ name: a, base: \"http://x\" }, { name: a, base: \"http://y\" }"),
              HasSubstr("another API"));
  EXPECT_THAT(refused("{ name: a, base: \"http://x\", endpoints: [ { name: b, path: \"/{c\" } ] }"),
              HasSubstr("parameter"));
}

TEST(Config, ReadsPortals) {
  const auto environment = [](const std::string& name) -> std::optional<std::string> {
    if (name == "HTTPS_PROXY") return "http://proxy.example:3128";
    if (name == "no_proxy") return "localhost, .example.org";
    return std::nullopt;
  };
  const Config config = parse_config(R"(
portals:
  - { host: city, base: "https://data.example.org/ckan", aliases: [ data.example.org ], api_path: /api/action,
      allow_private: true, ca_file: ca.pem, origins: [ "https://files.example.org" ], rate: 2, burst: 4, wait: 1s,
      text_field: true, hvd_field: hvd, dataset_url: "https://data.example.org/d/{name}", organization_url: "https://x/{name}" }
  - { host: dati.gov.it }
portals_only: true
ckan: { character_limit: 1000, max_bytes: 1MiB, max_file_bytes: 2GB, timeout: 5s, file_timeout: 1m, file_hosts: [ cdn.example ] }
)",
                                     "/etc/sluice.yaml", environment)
                            .value();
  ASSERT_TRUE(config.portals.has_value());
  const ckan::CkanSpec& spec = *config.portals;
  ASSERT_EQ(spec.portals.size(), 2U);
  EXPECT_EQ(spec.portals[0].base, "https://data.example.org/ckan");
  EXPECT_EQ(spec.portals[0].ca_file, "/etc/ca.pem");
  EXPECT_EQ(spec.portals[0].rate.per_second, 2);
  EXPECT_EQ(spec.portals[0].rate.wait_max, std::chrono::seconds(1));
  EXPECT_TRUE(spec.portals[0].allow_private);
  EXPECT_EQ(spec.portals[0].text_field, std::optional(true));
  EXPECT_EQ(spec.portals[0].hvd_field, "hvd");
  EXPECT_EQ(spec.portals[1].host, "dati.gov.it");
  EXPECT_TRUE(spec.portals_only);
  EXPECT_EQ(spec.characters_max, 1'000U);
  EXPECT_EQ(spec.file_bytes_max, 2'000'000'000U);
  EXPECT_EQ(spec.https_proxy, "http://proxy.example:3128");
  EXPECT_EQ(spec.http_proxy, "");
  EXPECT_EQ(spec.no_proxy, (std::vector<std::string>{"localhost", ".example.org"}));
  EXPECT_FALSE(parse_config("", "sluice.yaml", environment).value().portals.has_value());
  EXPECT_TRUE(parse_config("portals: []", "sluice.yaml", environment).value().portals.has_value());
}

TEST(Config, RefusesPortalsThatMakeNoSense) {
  const auto environment = [](const std::string&) { return std::optional<std::string>(); };
  for (const char* text :
       {"portals: [ { base: \"https://x\" } ]", "portals: [ { host: a, base: \"ftp://x\" } ]",
        "portals: [ { host: a }, { host: a } ]", "portals: [ { host: a, hosts: b } ]",
        "portals: [ { host: a, rate: 0 } ]", "portals: [ { host: a, hvd_field: \"a:b\" } ]",
        "portals_only: true", "ckan: { timeout: 5s }", "portals: []\nckan: { timeout: 1ms }",
        "portals: []\nckan: { character_limit: 1 }", "portals: []\nckan: { max_bytes: 1GB }"}) {
    const Result<Config> config = parse_config(text, "sluice.yaml", environment);
    ASSERT_FALSE(config.ok()) << text;
    EXPECT_EQ(config.error().code, "invalid_configuration") << text;
  }
}

TEST(Config, ReadsTheServerSection) {
  const Config config = parse(R"(
server:
  http: "0.0.0.0:8765"
  path: /data
  tls: { certificate: cert.pem, key: key.pem }
  tokens: [ { name: team, env: TEAM_TOKEN } ]
  allowed_hosts: [ data.example.org ]
  allowed_origins: "https://app.example.org"
  max_message_bytes: 1MiB
  request_timeout: 30s
  signing_key: { env: SIGNING_KEY }
limits: { max_rows: 10, max_bytes: 2MB }
)",
                              {{"TEAM_TOKEN", "0123456789abcdef"}, {"SIGNING_KEY", std::string(32, 's')}})
                            .value();
  EXPECT_EQ(config.server.http->host, "0.0.0.0");
  EXPECT_EQ(config.server.path, "/data");
  EXPECT_EQ(config.server.tls->private_key, "key.pem");
  EXPECT_EQ(config.server.tokens.at(0).secret, "0123456789abcdef");
  EXPECT_THAT(config.server.allowed_hosts, ElementsAre("data.example.org"));
  EXPECT_THAT(config.server.allowed_origins, ElementsAre("https://app.example.org"));
  EXPECT_EQ(config.server.message_bytes_max, 1024U * 1024U);
  EXPECT_EQ(config.server.request_timeout, std::chrono::seconds(30));
  EXPECT_EQ(config.limits.rows, 10U);
  EXPECT_EQ(config.limits.bytes, 2'000'000U);
}

TEST(Config, ReadsHowResultsLeaveTheServer) {
  const Config none = parse("").value();
  EXPECT_EQ(none.exports.link_lifetime, std::chrono::minutes(5));
  EXPECT_FALSE(none.exports.rest.has_value());
  EXPECT_FALSE(none.server.drain.has_value());
  const Config config = parse(
                            "server: { public_url: 'https://data.example.org:8443', drain: 1s, grace: 2s }\n"
                            "downloads: { ttl: 1m, max_bytes: 1MB }\n"
                            "rest: { path: /rows, max_rows: 10, max_bytes: 2MB, basic: true }")
                            .value();
  EXPECT_EQ(config.server.public_url, "https://data.example.org:8443");
  EXPECT_EQ(config.server.drain, std::chrono::seconds(1));
  EXPECT_EQ(config.server.grace, std::chrono::seconds(2));
  EXPECT_EQ(config.exports.link_lifetime, std::chrono::minutes(1));
  EXPECT_EQ(config.exports.downloads.bytes_max, 1'000'000U);
  EXPECT_EQ(config.exports.rest->path, "/rows");
  EXPECT_EQ(config.exports.rest->rows_max, 10U);
  EXPECT_EQ(config.exports.rest->bytes_max, 2'000'000U);
  EXPECT_TRUE(config.exports.rest->basic);
  EXPECT_EQ(config.exports.rest->public_url, config.server.public_url);
  EXPECT_EQ(parse("rest: {}")->exports.rest->path, "/api/v1");
}

TEST(Config, RefusesWhatCannotLeaveTheServer) {
  for (const std::string text :
       {"server: { public_url: data.example.org }", "server: { public_url: 'https://a/b' }",
        "server: { public_url: 'https://u@a' }", "server: { public_url: 'ftp://a' }",
        "server: { public_url: 'https://' }", "server: { public_url: \"https://a\\nX: y\" }",
        "downloads: { ttl: 0s }", "downloads: { ttl: 25h }", "downloads: { tll: 5m }", "rest: { path: api }",
        "rest: { path: / }", "rest: { path: /api/ }", "rest: { path: /mcp }", "rest: { path: /download }",
        "rest: { path: '/a?b' }", "server: { path: /api/v1/mcp }\nrest: {}"}) {
    const Result<Config> config = parse(text);
    ASSERT_FALSE(config.ok()) << text;
    EXPECT_EQ(config.error().code, "invalid_configuration") << text;
  }
}

TEST(Config, RefusesASecondDocument) {
  EXPECT_EQ(parse("limits: { max_rows: 5 }\n---\nlimits: { max_rows: 6 }\n").error().message,
            "sluice.yaml:2: a second document; a configuration is one document");
  EXPECT_EQ(parse("---\nlimits: { max_rows: 5 }\n").value().limits.rows, 5U);
  EXPECT_EQ(parse("limits: { max_rows: 5 }\n...\n").value().limits.rows, 5U);
}

// The library would read one document after the other and never end.
TEST(Config, RefusesTextThatBeginsWithAComma) {
  for (const char* text : {",", ",im", "\n,a: 1\n", ",serr:$#{\n"})
    EXPECT_THAT(parse(text).error().message, HasSubstr("not valid YAML")) << text;
}

TEST(Config, RefusesTextThatIsCutByANul) {
  EXPECT_THAT(parse("files: [ { path: \"docs\\0/../secret\" } ]").error().message, HasSubstr("U+0000"));
  EXPECT_THAT(parse(std::string("files: [ { path: docs } ]\n\0server: { http: 1 }", 46)).error().message,
              HasSubstr("U+0000"));
}

TEST(Config, NamesTheLineAndTheNearestKeyOfAnUnknownOne) {
  const Result<Config> config = parse("server:\n  htpp: 8765\n");
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(config.error().code, "invalid_configuration");
  EXPECT_THAT(config.error().message,
              HasSubstr("sluice.yaml:2: server.htpp: unknown key; did you mean http?"));
  EXPECT_THAT(parse("nonsense: 1\n").error().message, HasSubstr("sluice.yaml:1: nonsense: unknown key"));
}

TEST(Config, SubstitutesVariablesAndNamesAnUnsetOne) {
  EXPECT_EQ(parse("server: { path: \"/${NAME}/mcp\" }", {{"NAME", "x"}}).value().server.path, "/x/mcp");
  EXPECT_EQ(parse("server: { path: \"/$${NAME}\" }").value().server.path, "/${NAME}");
  EXPECT_THAT(parse("server:\n  path: /${MISSING}\n").error().message,
              HasSubstr("sluice.yaml:2: server.path: the environment variable MISSING is not set"));
  EXPECT_THAT(parse("server: { tokens: [ { name: a, env: MISSING } ] }").error().message,
              HasSubstr("MISSING is not set"));
}

TEST(Config, NeverPrintsASecret) {
  const Result<Config> config = parse("server: { signing_key: { env: KEY } }", {{"KEY", "short-secret"}});
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(config.error().message.find("short-secret"), std::string::npos);
}

TEST(Config, RefusesValuesOfTheWrongKind) {
  for (const std::string_view text :
       {"server: 7", "server: [ ]", "[1, 2]", "server: { http: nonsense }", "server: { http: { a: 1 } }",
        "server: { path: mcp }", "server: { tokens: 1 }", "server: { tokens: [ x ] }",
        "server: { max_message_bytes: lots }", "server: { max_message_bytes: 1 }",
        "server: { request_timeout: 5 }", "server: { request_timeout: 99999999h }",
        "limits: { max_rows: -1 }", "limits: { max_rows: 1.5 }", "server: { tls: { certificate: a } }",
        "server: { http: 1, http: 2 }", "a: [", "limits: { max_bytes: 99999999999999999999 }"}) {
    const Result<Config> config = parse(text);
    ASSERT_FALSE(config.ok()) << text;
    EXPECT_EQ(config.error().code, "invalid_configuration") << text;
    EXPECT_THAT(config.error().message, HasSubstr("sluice.yaml:")) << text;
  }
}

}  // namespace
}  // namespace sluice::config
