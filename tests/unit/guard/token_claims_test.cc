#include "sluice/guard/token_claims.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/json/reader.h"

#include "signed_tokens.h"

namespace sluice::guard {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

VerifiedCaller caller_with(std::string_view more) {
  const IssuerSpec issuer = test_issuer();
  const json::Value claims = json::read(claims_with(more)).value();
  return std::get<VerifiedCaller>(read_claims(
      claims, {.issuer = issuer, .now = test_time(), .clock_skew = std::chrono::milliseconds(0)}));
}

TEST(TokenClaims, SayWhoIsCalling) {
  const VerifiedCaller caller =
      caller_with(R"(,"azp":"desktop","preferred_username":"ada","scope":"sluice:read openid")");
  EXPECT_EQ(caller.subject, "8f2a");
  EXPECT_EQ(caller.identity.issuer, "corp");
  EXPECT_EQ(caller.identity.client_id, "desktop");
  EXPECT_EQ(caller.identity.display, "ada");
  EXPECT_THAT(caller.identity.scopes, ElementsAre("sluice:read", "openid"));
  EXPECT_EQ(caller.identity.accepted_until, test_time(kTestSeconds + 300));
}

TEST(TokenClaims, ScopesAreTextOrListOfAllPlaces) {
  EXPECT_THAT(caller_with(R"(,"scope":" a  b ","scp":["c","d e",7])").identity.scopes,
              ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_THAT(caller_with(R"(,"scope":7,"scp":{"a":"b"})").identity.scopes, IsEmpty());
}

TEST(TokenClaims, GroupsAreTextOrListOfAllPlaces) {
  EXPECT_THAT(caller_with(R"(,"groups":["a b","c/d"],"realm_access":{"roles":["r"]})").identity.groups,
              ElementsAre("a b", "c/d", "r"));
  EXPECT_THAT(caller_with(R"(,"groups":"one")").identity.groups, ElementsAre("one"));
  EXPECT_THAT(caller_with(R"(,"groups":["a\nb",7,"",["x"]],"realm_access":"x")").identity.groups, IsEmpty());
}

TEST(TokenClaims, GroupsThatTheProviderLeavesOutAreUnknown) {
  EXPECT_TRUE(caller_with(R"(,"groups":["a"])").identity.are_groups_known);
  EXPECT_FALSE(caller_with(R"(,"_claim_names":{"groups":"src1"})").identity.are_groups_known);
  EXPECT_TRUE(caller_with(R"(,"_claim_names":{"photos":"src1"})").identity.are_groups_known);
}

TEST(TokenClaims, NamesWithControlCharactersAreNotShown) {
  EXPECT_EQ(caller_with(R"(,"preferred_username":"a\u001b[31m","azp":"a\rb")").identity.display, "");
  EXPECT_EQ(caller_with(R"(,"preferred_username":"a\u001b[31m","azp":"a\rb")").identity.client_id, "");
}

TEST(TokenClaims, ATimeFarAheadIsCut) {
  const IssuerSpec issuer = test_issuer();
  const json::Value claims = json::read(R"({"aud":"api://data","sub":"a","exp":1e300})").value();
  const auto caller = std::get<VerifiedCaller>(read_claims(
      claims, {.issuer = issuer, .now = test_time(), .clock_skew = std::chrono::milliseconds(0)}));
  EXPECT_GT(caller.identity.accepted_until, test_time());
}

TEST(ClaimPointer, FindsClaimsWithAnyName) {
  const json::Value claims = json::read(R"({"a":{"b/c":{"~":1}},"https://x.example/g":2})").value();
  EXPECT_NE(ClaimPointer::parse("/a/b~1c/~0").value().find(claims), nullptr);
  EXPECT_NE(ClaimPointer::parse("/https:~1~1x.example~1g").value().find(claims), nullptr);
  EXPECT_EQ(ClaimPointer::parse("/a/b").value().find(claims), nullptr);
  EXPECT_EQ(ClaimPointer::parse("/a/b~1c/~0/0").value().find(claims), nullptr);
}

TEST(ClaimPointer, RefusesWhatIsNone) {
  for (const std::string_view text : {"", "scope", "/", "//", "/a/", "/a~", "/a~2", "/1/2/3/4/5/6/7/8/9"})
    EXPECT_EQ(ClaimPointer::parse(text).error().code, "invalid_pointer") << text;
}

}  // namespace
}  // namespace sluice::guard
