#include "sluice/guard/access_gate.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/guard/current_gate.h"

#include "signed_tokens.h"

namespace sluice::guard {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

AccessSpec two_tokens() {
  AccessSpec spec;
  spec.tokens = {{.name = "alice", .secret = "alice-secret-0123"},
                 {.name = "bob", .secret = "bob-secret-0123456"}};
  return spec;
}

// The answer to credentials that is known at once.
Admission admission(catalog::Gate& gate, std::string_view header) {
  std::optional<Admission> answer;
  gate.authenticate({.authorization = header, .peer = "127.0.0.1"},
                    [&](Admission given) { answer = std::move(given); });
  EXPECT_TRUE(answer.has_value());
  return answer.value_or(Refusal{});
}

const Refusal& refusal_of(const Admission& admission) { return std::get<Refusal>(admission); }

TEST(AccessGate, GivesEachTokenItsPrincipal) {
  const auto gate = CurrentGate::create(two_tokens(), system_clock()).value();
  EXPECT_EQ(std::get<Admitted>(admission(*gate, "Bearer alice-secret-0123")).principal.id, "token:alice");
  EXPECT_EQ(std::get<Admitted>(admission(*gate, "bearer bob-secret-0123456")).principal.id, "token:bob");
}

TEST(AccessGate, RefusesEverythingElse) {
  const auto gate = CurrentGate::create(two_tokens(), system_clock()).value();
  for (const std::string_view header :
       {"", "Bearer", "Bearer ", "Bearer alice-secret-012", "Bearer alice-secret-01234",
        "Basic alice-secret-0123", "alice-secret-0123", "Bearer a.b.c"}) {
    const Admission answer = admission(*gate, header);
    EXPECT_EQ(refusal_of(answer).error.kind, ErrorKind::kUnauthenticated) << header;
    EXPECT_THAT(refusal_of(answer).error.message, Not(HasSubstr("secret")));
    EXPECT_EQ(refusal_of(answer).challenge, R"(Bearer realm="sluice")");
  }
}

TEST(AccessGate, LetsEverybodyInWithoutTokens) {
  const auto gate = CurrentGate::create({}, system_clock()).value();
  EXPECT_FALSE(gate->requires_token());
  EXPECT_EQ(std::get<Admitted>(admission(*gate, "")).principal.id, "local");
}

TEST(AccessGate, RefusesWeakAndRepeatedTokens) {
  const auto code_of = [](std::vector<Token> tokens) { return StaticTokens::create(tokens).error().code; };
  EXPECT_EQ(code_of({{.name = "a", .secret = "short"}}), "weak_token");
  EXPECT_EQ(code_of({{.name = "", .secret = "0123456789abcdef"}}), "invalid_input");
  EXPECT_EQ(
      code_of({{.name = "a", .secret = "0123456789abcdef"}, {.name = "a", .secret = "0123456789abcdeg"}}),
      "invalid_input");
  EXPECT_EQ(
      code_of({{.name = "a", .secret = "0123456789abcdef"}, {.name = "b", .secret = "0123456789abcdef"}}),
      "invalid_input");
}

TEST(AccessGate, TurnsAwayWhoIsDenied) {
  AccessSpec spec = two_tokens();
  spec.denied = {"token:alice"};
  const auto gate = CurrentGate::create(spec, system_clock()).value();
  const Admission answer = admission(*gate, "Bearer alice-secret-0123");
  EXPECT_EQ(refusal_of(answer).error.kind, ErrorKind::kForbidden);
  EXPECT_EQ(refusal_of(answer).challenge, "");
  EXPECT_TRUE(std::holds_alternative<Admitted>(admission(*gate, "Bearer bob-secret-0123456")));
}

TEST(CurrentGate, EndsDecisionsOfTheRulesBefore) {
  const auto gate = CurrentGate::create(two_tokens(), system_clock()).value();
  const Admission before = admission(*gate, "Bearer alice-secret-0123");
  const auto& lease = std::get<Admitted>(before).lease;
  EXPECT_TRUE(lease->is_good(system_clock().now()));

  gate->commit(gate->prepare(two_tokens()).value());  // The same rules: nothing ends.
  EXPECT_TRUE(lease->is_good(system_clock().now()));

  AccessSpec spec = two_tokens();
  spec.tokens.erase(spec.tokens.begin());
  EXPECT_FALSE(gate->prepare({.tokens = {{.name = "x", .secret = "short"}}}).ok());
  EXPECT_TRUE(lease->is_good(system_clock().now()));
  gate->commit(gate->prepare(spec).value());
  EXPECT_FALSE(lease->is_good(system_clock().now()));
  EXPECT_TRUE(std::holds_alternative<Refusal>(admission(*gate, "Bearer alice-secret-0123")));
  EXPECT_TRUE(std::holds_alternative<Admitted>(admission(*gate, "Bearer bob-secret-0123456")));
}

AccessSpec with_scopes() {
  AccessSpec spec;
  spec.issuers = {test_issuer()};
  spec.scopes = ScopeSpec{.read = "read", .write = "write", .prefix = "api://data/"};
  spec.upstreams = {{.name_space = "crm", .reads = {"get_*"}}};
  spec.public_url = "https://data.example.org";
  spec.path = "/mcp";
  return spec;
}

std::optional<Refusal> decision(std::vector<std::string> scopes, std::vector<catalog::Operation> operations) {
  const auto gate = AccessGate::create(with_scopes(), {}, system_clock()).value();
  const Principal principal{.id = "corp:a"};
  CallerIdentity identity;
  identity.scopes = std::move(scopes);
  return gate->allow({.principal = principal, .identity = &identity}, operations);
}

constexpr catalog::Operation kRead{
    .method = "tools/call", .target = "query", .effect = catalog::Effect::kReads};
constexpr catalog::Operation kWrite{
    .method = "tools/call", .target = "update", .effect = catalog::Effect::kWrites};

TEST(Scopes, WritingImpliesReading) {
  EXPECT_FALSE(decision({"write"}, {kRead, kWrite}));
  EXPECT_FALSE(decision({"read"}, {kRead}));
  EXPECT_TRUE(decision({"read"}, {kWrite}));
  EXPECT_TRUE(decision({}, {kRead}));
  EXPECT_TRUE(decision({"api://data/read"}, {kRead}));
}

TEST(Scopes, AreAllNamedAtOnce) {
  const std::optional<Refusal> refusal = decision({"openid"}, {kRead, kWrite});
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->error.kind, ErrorKind::kForbidden);
  EXPECT_EQ(refusal->error.code, "insufficient_scope");
  EXPECT_EQ(refusal->error.data, R"({"required_scopes":["api://data/read","api://data/write"]})");
  EXPECT_EQ(refusal->challenge,
            R"(Bearer error="insufficient_scope", scope="api://data/read api://data/write", )"
            R"(resource_metadata="https://data.example.org/.well-known/oauth-protected-resource/mcp")");
}

TEST(Scopes, ToolsOfUpstreamsWriteUnlessTheConfigurationSaysOtherwise) {
  for (const std::string_view tool : {"crm.delete", "crm_delete", "crm.GET_x", "crm_xget_"}) {
    EXPECT_TRUE(decision({"read"}, {{.method = "tools/call", .target = tool}})) << tool;
  }
  for (const std::string_view tool : {"crm.get_one", "crm_get_one", "crmx", "other"})
    EXPECT_FALSE(decision({"read"}, {{.method = "tools/call", .target = tool}})) << tool;
}

TEST(Scopes, AreNotAskedOfCallersWithoutATokenOfAnIssuer) {
  const auto gate = AccessGate::create(with_scopes(), {}, system_clock()).value();
  const Principal principal{.id = "token:alice"};
  EXPECT_FALSE(gate->allow({.principal = principal}, {kWrite}));
}

TEST(Challenges, LeadToTheMetadata) {
  const Challenges challenges(with_scopes());
  EXPECT_EQ(
      challenges.no_credentials(),
      R"(Bearer resource_metadata="https://data.example.org/.well-known/oauth-protected-resource/mcp", )"
      R"(scope="api://data/read")");
  EXPECT_THAT(challenges.invalid_token(TokenFault::kExpired),
              HasSubstr(R"(, error="invalid_token", error_description="the token has expired")"));
  EXPECT_TRUE(challenges.is_metadata_path("/.well-known/oauth-protected-resource/mcp"));
  EXPECT_TRUE(challenges.is_metadata_path("/.well-known/oauth-protected-resource"));
  EXPECT_FALSE(challenges.is_metadata_path("/.well-known/oauth-protected-resource/"));
  EXPECT_EQ(
      challenges.metadata(),
      R"({"resource":"https://data.example.org/mcp",)"
      R"("authorization_servers":["https://id.example.org/realms/main"],)"
      R"("scopes_supported":["api://data/read"],"bearer_methods_supported":["header"],"resource_name":"Sluice"})");
}

TEST(Challenges, AreNotMadeWithoutIssuers) {
  const Challenges challenges(two_tokens());
  EXPECT_EQ(challenges.no_credentials(), R"(Bearer realm="sluice")");
  EXPECT_FALSE(challenges.is_metadata_path("/.well-known/oauth-protected-resource"));
  EXPECT_FALSE(challenges.is_metadata_path(""));
}

TEST(TokenCache, DropsTheOldestAndWhatHasEnded) {
  TokenCache cache;
  const auto ended = std::make_shared<std::atomic<bool>>(false);
  const Monotonic now = system_clock().now();
  const auto put = [&](const std::string& digest) {
    cache.put(digest, {.principal = {.id = digest},
                       .lease = std::make_shared<const AdmissionLease>(
                           std::vector<AdmissionLease::Ended>{ended}, now + std::chrono::seconds(1))});
  };
  for (std::size_t i = 0; i <= kTokensCachedMax; ++i) put(std::to_string(i));
  EXPECT_FALSE(cache.find("0", now));
  EXPECT_TRUE(cache.find("1", now));
  EXPECT_FALSE(cache.find("1", now + std::chrono::seconds(1)));
  *ended = true;
  EXPECT_FALSE(cache.find("1", now));
}

}  // namespace
}  // namespace sluice::guard
