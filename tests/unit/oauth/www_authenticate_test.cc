#include "sluice/oauth/www_authenticate.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::oauth {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

AuthenticateScheme only(const std::string& text) {
  const std::vector<AuthenticateScheme> schemes = parse_www_authenticate(text).value();
  EXPECT_EQ(schemes.size(), 1U) << text;
  return schemes.at(0);
}

TEST(WwwAuthenticate, ReadsTokensAndQuotedValues) {
  const AuthenticateScheme scheme = only(R"(Bearer realm="a, b=\"c\"", Error=invalid_token , scope = "x y")");
  EXPECT_EQ(scheme.name, "bearer");
  EXPECT_THAT(scheme.parameters, ElementsAre(Pair("realm", R"(a, b="c")"), Pair("error", "invalid_token"),
                                             Pair("scope", "x y")));
  EXPECT_EQ(*scheme.find("scope"), "x y");
  EXPECT_EQ(scheme.find("missing"), nullptr);
}

TEST(WwwAuthenticate, SeparatesChallenges) {
  const std::vector<AuthenticateScheme> schemes =
      parse_www_authenticate(
          R"(Negotiate abc==, Basic realm="x", DPoP algs="ES256", error="use_dpop_nonce", Bearer)")
          .value();
  ASSERT_EQ(schemes.size(), 4U);
  EXPECT_EQ(schemes[0].name, "negotiate");
  EXPECT_TRUE(schemes[0].parameters.empty());
  EXPECT_EQ(*schemes[1].find("realm"), "x");
  EXPECT_EQ(*schemes[2].find("error"), "use_dpop_nonce");
  EXPECT_EQ(schemes[3].name, "bearer");
}

TEST(WwwAuthenticate, TakesTheFirstOfTwoEqualParameters) {
  EXPECT_EQ(*only(R"(Bearer error="a", error="b")").find("error"), "a");
}

TEST(WwwAuthenticate, IsEmptyWhereNothingIsSaid) {
  EXPECT_TRUE(parse_www_authenticate("").value().empty());
  EXPECT_TRUE(parse_www_authenticate(" , ,").value().empty());
}

TEST(OauthAbuseChallenge, BrokenTextIsRefused) {
  for (const std::string& text :
       {std::string(R"(Bearer realm="open)"), std::string(R"(Bearer realm="open\)"), std::string("=x"),
        std::string("Bearer a=b c=d"), std::string("Bearer\n a=b"), std::string("Bearer a=\"\x01\""),
        std::string("B\"earer"), std::string("Bearer a=\""), std::string(9'000, 'a'),
        std::string(9'000, ',')}) {
    const Result<std::vector<AuthenticateScheme>> parsed = parse_www_authenticate(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().code, "invalid_challenge");
  }
}

TEST(OauthAbuseChallenge, CountsAreBounded) {
  std::string schemes;
  for (int i = 0; i < 17; ++i) schemes += "Bearer, ";
  EXPECT_EQ(parse_www_authenticate(schemes).error().code, "invalid_challenge");
  std::string parameters = "Bearer ";
  for (int i = 0; i < 33; ++i) parameters += "a=b, ";
  EXPECT_EQ(parse_www_authenticate(parameters).error().code, "invalid_challenge");
}

TEST(OauthAbuseChallenge, RandomTextNeitherHangsNorCrashes) {
  std::mt19937 random(15);  // NOLINT(cert-msc51-cpp): the same texts each time.
  constexpr std::string_view kAlphabet = "Bearer=\"\\, \t/abc;-\x7f\x80";
  for (int round = 0; round < 50'000; ++round) {
    std::string text;
    for (std::size_t length = random() % 40; length > 0; --length)
      text += kAlphabet[random() % kAlphabet.size()];
    const Result<std::vector<AuthenticateScheme>> parsed = parse_www_authenticate(text);
    if (!parsed.ok()) {
      EXPECT_EQ(parsed.error().code, "invalid_challenge");
      continue;
    }
    for (const AuthenticateScheme& scheme : *parsed) EXPECT_FALSE(scheme.name.empty());
  }
}

}  // namespace
}  // namespace sluice::oauth
