// `auth:`, `server.public_url` and secrets in files.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>

#include "sluice/config/config.h"

#include "temp_folder.h"

namespace sluice::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<Config> parse(std::string_view text, const std::string& name = "sluice.yaml") {
  return parse_config(text, name, [](const std::string& variable) -> std::optional<std::string> {
    if (variable == "IDP") return "secret-of-the-provider";
    return std::nullopt;
  });
}

std::string with_issuer(std::string_view keys, std::string_view auth = "") {
  return "server: { public_url: \"https://data.example.org\" }\nauth:\n  issuers:\n"
         "    - { name: corp, issuer: \"https://id.example.org/\"" +
         std::string(keys) + " }\n" + std::string(auth);
}

TEST(AuthConfig, HasDefaultsThatSuitMostProviders) {
  const guard::AccessSpec spec = access_of(parse(with_issuer("")).value());
  ASSERT_EQ(spec.issuers.size(), 1U);
  const guard::IssuerSpec& issuer = spec.issuers[0];
  EXPECT_EQ(issuer.name, "corp");
  EXPECT_EQ(issuer.issuer, "https://id.example.org/");
  EXPECT_THAT(issuer.audiences, ElementsAre("https://data.example.org/mcp"));
  EXPECT_EQ(issuer.algorithms.size(), 9U);
  EXPECT_THAT(issuer.types, ElementsAre("at+jwt", "jwt"));
  EXPECT_EQ(issuer.scopes.size(), 2U);
  EXPECT_EQ(issuer.groups.size(), 1U);
  EXPECT_EQ(issuer.display.size(), 2U);
  EXPECT_FALSE(issuer.introspection);
  EXPECT_FALSE(issuer.allow_private);
  EXPECT_FALSE(spec.scopes);
  EXPECT_EQ(spec.clock_skew, std::chrono::seconds(30));
  EXPECT_EQ(spec.public_url, "https://data.example.org");
  EXPECT_EQ(spec.path, "/mcp");
}

TEST(AuthConfig, ReadsEveryKey) {
  const Config config =
      parse(with_issuer(
                ", audience: [ a, b ], algorithms: [ ES256 ], types: JWT, jwks_file: keys.json, "
                "scopes: [ /s ], groups: [ /realm_access/roles ], display: [], ca_file: ca.pem, "
                "allow_private: true, introspection: { url: \"https://id.example.org/i\", client_id: me, "
                "secret: { env: IDP }, cache: 5s }",
                "  scopes: { read: r, write: w, prefix: \"api://x/\" }\n  clock_skew: 1m\n  denied: [ "
                "\"corp:a\" ]\n"),
            "/etc/sluice.yaml")
          .value();
  const guard::AccessSpec spec = access_of(config);
  const guard::IssuerSpec& issuer = spec.issuers.at(0);
  EXPECT_THAT(issuer.audiences, ElementsAre("a", "b"));
  EXPECT_THAT(issuer.algorithms, ElementsAre(crypto::JwsAlgorithm::kEs256));
  EXPECT_THAT(issuer.types, ElementsAre("jwt"));
  EXPECT_EQ(issuer.jwks_file, "/etc/keys.json");
  EXPECT_EQ(issuer.ca_file, "/etc/ca.pem");
  EXPECT_TRUE(issuer.allow_private);
  EXPECT_TRUE(issuer.display.empty());
  ASSERT_TRUE(issuer.introspection);
  EXPECT_EQ(issuer.introspection->url, "https://id.example.org/i");
  EXPECT_EQ(issuer.introspection->client_id, "me");
  EXPECT_EQ(issuer.introspection->secret, "secret-of-the-provider");
  EXPECT_EQ(issuer.introspection->cache, std::chrono::seconds(5));
  EXPECT_EQ(spec.scopes, (guard::ScopeSpec{.read = "r", .write = "w", .prefix = "api://x/"}));
  EXPECT_EQ(spec.clock_skew, std::chrono::minutes(1));
  EXPECT_THAT(spec.denied, ElementsAre("corp:a"));
}

TEST(AuthConfig, IsRefusedWithItsLineAndTheNearestName) {
  const std::map<std::string, std::string> wrong = {
      {with_issuer("").substr(with_issuer("").find("auth")), "issuers need server.public_url"},
      {with_issuer(", audiences: [ a ]"), "unknown key; did you mean audience?"},
      {with_issuer(", audience: []"), "audience: must name one or more"},
      {with_issuer(", audience: [ \"\" ]"), "audience: must name one or more"},
      {with_issuer(", algorithms: [ ES265 ]"), "unknown algorithm: ES265; did you mean ES256?"},
      {with_issuer(", algorithms: [ none ]"), "unknown algorithm: none"},
      {with_issuer(", algorithms: [ HS256 ]"), "unknown algorithm: HS256"},
      {with_issuer(", algorithms: []"), "algorithms: must name one or more"},
      {with_issuer(", types: []"), "types: must name one or more"},
      {with_issuer(", scopes: [ scope ]"), "no JSON Pointer to a claim"},
      {with_issuer(", jwks_url: \"http://id.example.org/k\""), "must be an https URL"},
      {with_issuer(", jwks_url: \"https://a.example/k\", jwks_file: k.json"),
       "either at jwks_url or in jwks_file"},
      {with_issuer(", introspection: { url: \"\" }"), "secret: required, but missing"},
      {with_issuer(", introspection: { secret: { env: NOT_SET } }"), "variable NOT_SET is not set"},
      {with_issuer(", introspection: { secret: { env: IDP }, cache: 2h }"), "cache: must be at most 1h"},
      {with_issuer("", "  clock_skew: 3m\n"), "clock_skew: must be at most 2m"},
      {with_issuer("", "  denied: [ ada ]\n"), "not a principal"},
      {with_issuer("", "  scopes: { read: \"a b\" }\n"), "read: must be one scope"},
      {with_issuer("", "  default_role: reader\n"), "unknown key"},
      {with_issuer("", "    - { name: corp, issuer: \"https://b.example\" }\n"),
       "another issuer has this name"},
      {with_issuer("", "    - { name: b, issuer: \"https://id.example.org/\" }\n"),
       "another entry has this issuer"},
      {with_issuer("", "    - { name: token, issuer: \"https://b.example\" }\n"),
       "token is used for other callers"},
      {with_issuer("", "    - { name: B, issuer: \"https://b.example\" }\n"), "1 to 32 lower-case letters"},
      {with_issuer("", "    - { name: b, issuer: \"http://b.example\" }\n"), "must be an https URL"},
      {with_issuer(
           ", introspection: { secret: { env: IDP } }",
           "    - { name: b, issuer: \"https://b.example\", introspection: { secret: { env: IDP } } }\n"),
       "only one issuer may have it"},
  };
  for (const auto& [text, message] : wrong) {
    const Result<Config> config = parse(text);
    ASSERT_FALSE(config.ok()) << text;
    EXPECT_THAT(config.error().message, HasSubstr(message)) << text;
    EXPECT_THAT(config.error().message, ::testing::StartsWith("sluice.yaml:")) << text;
  }
}

TEST(AuthConfig, TakesAnIssuerByHttpOnLoopback) {
  EXPECT_TRUE(
      parse("server: { public_url: \"http://127.0.0.1:8765\" }\nauth: { issuers: [ { name: a, issuer: "
            "\"http://127.0.0.1:9000\" }, { name: b, issuer: \"http://localhost:9001\" } ] }")
          .ok());
}

TEST(Secrets, AreReadFromFilesThatOnlyTheirOwnerWrites) {
  const fs::TempFolder folder;
  const std::string path = folder.path() + "/secret";
  std::ofstream(path) << "0123456789abcdef\r\n\n";
  const auto tokens = [&](const std::string& secret) {
    return parse("server: { tokens: [ { name: a, " + secret + " } ] }", folder.path() + "/sluice.yaml");
  };
  std::filesystem::permissions(path, std::filesystem::perms(0640));
  EXPECT_EQ(tokens("file: secret").value().server.tokens.at(0).secret, "0123456789abcdef");
  std::filesystem::permissions(path, std::filesystem::perms(0660));
  EXPECT_THAT(tokens("file: secret").error().message, HasSubstr("its group or others may write this file"));
  std::filesystem::permissions(path, std::filesystem::perms(0602));
  EXPECT_THAT(tokens("file: secret").error().message, HasSubstr("its group or others may write this file"));
  std::filesystem::permissions(path, std::filesystem::perms(0600));
  EXPECT_THAT(tokens("file: secret, env: IDP").error().message, HasSubstr("in env or in file, not in both"));
  EXPECT_THAT(tokens("file: missing").error().message, HasSubstr("missing"));
  std::ofstream(path) << "\n";
  EXPECT_THAT(tokens("file: secret").error().message, HasSubstr("the file is empty"));
}

}  // namespace
}  // namespace sluice::config
