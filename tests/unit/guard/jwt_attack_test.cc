// What attackers send instead of a good JSON Web Token, and what it gets.
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/crypto/digest.h"

#include "signed_tokens.h"

namespace sluice::guard {
namespace {

constexpr std::string_view kHeader = R"({"alg":"ES256","typ":"at+jwt","kid":"one"})";

// An issuer with two keys, and another one that signs what it likes.
struct World {
  crypto::SigningKey key = crypto::SigningKey::generate_es256();
  crypto::SigningKey second = crypto::SigningKey::generate_es256();
  crypto::SigningKey stranger = crypto::SigningKey::generate_es256();
  IssuerSpec issuer = test_issuer();
  KeySet keys =
      KeySet::parse("{\"keys\":[" + published(key, "one") + "," + published(second, "two") + "]}").value();
  WallTime now = test_time();
  std::chrono::milliseconds skew{30'000};

  JwtVerdict judge(std::string_view token) const {
    std::variant<Jwt, TokenFault> parsed = parse_jwt(token);
    if (const TokenFault* fault = std::get_if<TokenFault>(&parsed)) return *fault;
    const Jwt& jwt = std::get<Jwt>(parsed);
    if (find_issuer(jwt, {issuer}) == nullptr) return TokenFault::kIssuer;
    return verify_jwt(jwt, keys, {.issuer = issuer, .now = now, .clock_skew = skew});
  }
  std::optional<TokenFault> fault_of(std::string_view token) const {
    const JwtVerdict verdict = judge(token);
    const TokenFault* fault = std::get_if<TokenFault>(&verdict);
    return fault == nullptr ? std::nullopt : std::optional(*fault);
  }
  bool is_good(std::string_view token) const { return std::holds_alternative<VerifiedJwt>(judge(token)); }
  bool is_unknown_key(std::string_view token) const {
    return std::holds_alternative<UnknownKey>(judge(token));
  }
  std::string token(std::string_view payload) const { return signed_token(kHeader, payload, key); }
};

std::string claims_of(std::string_view issuer, std::string_view audience, std::string_view subject,
                      std::string_view exp) {
  return R"({"iss":)" + std::string(issuer) + R"(,"aud":)" + std::string(audience) + R"(,"sub":)" +
         std::string(subject) + R"(,"exp":)" + std::string(exp) + "}";
}

constexpr std::string_view kIssuer = R"("https://id.example.org/realms/main")";
constexpr std::string_view kAudience = R"("https://data.example.org/mcp")";

TEST(JwtAttack, AGoodTokenIsGood) {
  const World world;
  EXPECT_TRUE(world.is_good(world.token(claims_with())));
  EXPECT_TRUE(world.is_good(signed_token(R"({"alg":"ES256","kid":"two"})", claims_with(), world.second)));
  EXPECT_TRUE(world.is_good(
      signed_token(R"({"typ":"application/AT+JWT","kid":"one","alg":"ES256"})", claims_with(), world.key)));
}

TEST(JwtAttack, AlgorithmNoneAndEmptySignaturesAreRefused) {
  const World world;
  for (const std::string_view name : {"none", "None", "NONE", "nOnE", ""}) {
    const std::string header = R"({"alg":")" + std::string(name) + R"(","kid":"one"})";
    const std::string unsigned_text = base64url_encode(header) + "." + base64url_encode(claims_with());
    EXPECT_EQ(world.fault_of(unsigned_text + "."), TokenFault::kSignature) << name;
    EXPECT_EQ(world.fault_of(signed_token(header, claims_with(), world.key)), TokenFault::kSignature) << name;
  }
  const std::string good = world.token(claims_with());
  EXPECT_EQ(world.fault_of(good.substr(0, good.rfind('.') + 1)), TokenFault::kSignature);
  EXPECT_EQ(world.fault_of(good.substr(0, good.rfind('.'))), TokenFault::kMalformed);
}

TEST(JwtAttack, AMacWithThePublicKeyIsRefused) {
  const World world;
  const std::string jwk = world.key.public_jwk();
  for (const std::string& secret : {jwk, std::string(), std::string("\0", 1), published(world.key, "one")}) {
    for (const std::string_view name : {"HS256", "HS384", "HS512"}) {
      const std::string header = R"({"alg":")" + std::string(name) + R"(","kid":"one"})";
      const std::string text = base64url_encode(header) + "." + base64url_encode(claims_with());
      EXPECT_EQ(world.fault_of(text + "." + base64url_encode(crypto::hmac_sha256(secret, text))),
                TokenFault::kSignature);
    }
  }
}

TEST(JwtAttack, AnAlgorithmThatDoesNotFitTheKeyIsRefused) {
  const World world;
  for (const std::string_view name : {"RS256", "PS256", "ES384", "EdDSA"}) {
    const std::string header = R"({"alg":")" + std::string(name) + R"(","kid":"one"})";
    EXPECT_EQ(world.fault_of(signed_token(header, claims_with(), world.key)), TokenFault::kSignature) << name;
  }
  World narrow;
  narrow.issuer.algorithms = {crypto::JwsAlgorithm::kRs256};
  EXPECT_EQ(narrow.fault_of(narrow.token(claims_with())), TokenFault::kSignature);
  // A key that is published for another algorithm of its type.
  const std::string jwk = published(world.key, "one");
  World other;
  other.keys = KeySet::parse("{\"keys\":[" + jwk.substr(0, jwk.size() - 1) + R"(,"alg":"ES384"}]})").value();
  EXPECT_EQ(other.keys.size(), 0U);
}

TEST(JwtAttack, KeyIdsAreTextAndNothingElse) {
  const World world;
  for (const std::string_view id : {"../../../etc/passwd", "https://attacker.example/keys", "one' OR '1'='1",
                                    "ONE", "one ", "one\\u0000", ""}) {
    const std::string header = R"({"alg":"ES256","kid":")" + std::string(id) + R"("})";
    EXPECT_TRUE(world.is_unknown_key(signed_token(header, claims_with(), world.key))) << id;
  }
  for (const std::string& id : {std::string("7"), std::string("null"), std::string("[\"one\"]"),
                                '"' + std::string(10'240, 'k') + '"'}) {
    const std::string header = R"({"alg":"ES256","kid":)" + id + "}";
    EXPECT_EQ(world.fault_of(signed_token(header, claims_with(), world.key)), TokenFault::kMalformed);
  }
  EXPECT_EQ(
      world.fault_of(signed_token(R"({"alg":"ES256","kid":"one","kid":"two"})", claims_with(), world.key)),
      TokenFault::kMalformed);
  // The id of one key with the signature of another.
  EXPECT_EQ(world.fault_of(signed_token(R"({"alg":"ES256","kid":"two"})", claims_with(), world.key)),
            TokenFault::kSignature);
  // No id, and two keys that fit.
  EXPECT_EQ(world.fault_of(signed_token(R"({"alg":"ES256"})", claims_with(), world.key)),
            TokenFault::kSignature);
}

TEST(JwtAttack, TwoKeysWithOneIdAreNoKey) {
  World world;
  world.keys =
      KeySet::parse("{\"keys\":[" + published(world.key, "one") + "," + published(world.second, "one") + "]}")
          .value();
  EXPECT_EQ(world.fault_of(world.token(claims_with())), TokenFault::kSignature);
}

TEST(JwtAttack, KeysInTheTokenAreNotUsed) {
  const World world;
  const std::string jwk = world.stranger.public_jwk();
  for (const std::string& more :
       {R"("jwk":)" + jwk, std::string(R"("jku":"http://127.0.0.1:1/keys")"),
        std::string(R"("x5u":"http://127.0.0.1:1/chain")"), std::string(R"("x5c":["MIIB"])")}) {
    const std::string known = R"({"alg":"ES256","kid":"one",)" + more + "}";
    EXPECT_EQ(world.fault_of(signed_token(known, claims_with(), world.stranger)), TokenFault::kSignature)
        << more;
    const std::string unknown = R"({"alg":"ES256","kid":"x",)" + more + "}";
    EXPECT_TRUE(world.is_unknown_key(signed_token(unknown, claims_with(), world.stranger))) << more;
    EXPECT_TRUE(world.is_good(signed_token(known, claims_with(), world.key))) << more;
  }
}

TEST(JwtAttack, TimesAreCheckedToTheEdgesOfTheSkew) {
  World world;
  const auto expiring = [&](const std::string& exp) {
    return world.token(claims_of(kIssuer, kAudience, R"("8f2a")", exp));
  };
  const auto at = [](std::int64_t offset) { return std::to_string(kTestSeconds + offset); };
  EXPECT_TRUE(world.is_good(expiring(at(-29))));
  EXPECT_EQ(world.fault_of(expiring(at(-30))), TokenFault::kExpired);
  EXPECT_TRUE(world.is_good(expiring(at(-30) + ".001")));
  EXPECT_EQ(world.fault_of(expiring(at(-100))), TokenFault::kExpired);
  for (const std::string exp : {"0", "-1", "-1e300", "1"})
    EXPECT_EQ(world.fault_of(expiring(exp)), TokenFault::kExpired) << exp;
  for (const std::string exp : {"1e400", "-1e400", "\"2000000000\"", "null", "true", "[2000000000]"})
    EXPECT_EQ(world.fault_of(expiring(exp)), TokenFault::kMalformed) << exp;
  EXPECT_TRUE(world.is_good(expiring("1e300")));
  for (const std::string name : {"nbf", "iat"}) {
    const auto beginning = [&](const std::string& begin) {
      return world.token(claims_with(",\"" + name + "\":" + begin));
    };
    EXPECT_TRUE(world.is_good(beginning(at(30)))) << name;
    EXPECT_EQ(world.fault_of(beginning(at(31))), TokenFault::kNotYetValid) << name;
    EXPECT_EQ(world.fault_of(beginning("\"1\"")), TokenFault::kMalformed) << name;
    EXPECT_EQ(world.fault_of(beginning("1e999")), TokenFault::kMalformed) << name;
  }
  world.skew = std::chrono::milliseconds(0);
  EXPECT_EQ(world.fault_of(expiring(at(0))), TokenFault::kExpired);
  EXPECT_TRUE(world.is_good(expiring(at(1))));
  EXPECT_EQ(world.fault_of(world.token(
                R"({"iss":"https://id.example.org/realms/main","aud":"api://data","sub":"8f2a"})")),
            TokenFault::kMalformed);
}

TEST(JwtAttack, TheAudienceIsOneOfOurs) {
  const World world;
  const auto for_audience = [&](std::string_view audience) {
    return world.token(claims_of(kIssuer, audience, R"("8f2a")", std::to_string(kTestSeconds + 300)));
  };
  for (const std::string_view good :
       {R"("api://data")", R"(["x","api://data"])", R"(["https://data.example.org/mcp"])"})
    EXPECT_TRUE(world.is_good(for_audience(good))) << good;
  for (const std::string_view bad :
       {R"("https://data.example.org/mcp/")", R"("https://data.example.org")",
        R"("https://data.example.org/mc")", R"("HTTPS://data.example.org/mcp")", R"("")", "[]", R"(["x"])",
        "7", "null", R"({"0":"api://data"})", R"([["api://data"]])", R"("account")"})
    EXPECT_EQ(world.fault_of(for_audience(bad)), TokenFault::kAudience) << bad;
  EXPECT_EQ(world.fault_of(
                world.token(R"({"iss":"https://id.example.org/realms/main","sub":"8f2a","exp":2000000000})")),
            TokenFault::kMalformed);
}

TEST(JwtAttack, TheIssuerIsComparedAsText) {
  const World world;
  for (const std::string_view issuer :
       {R"("https://id.example.org/realms/main/")", R"("https://ID.example.org/realms/main")",
        R"("https://id.example.org/realms")", R"("https://attacker.example")", "null", "7",
        R"(["https://id.example.org/realms/main"])"}) {
    EXPECT_EQ(world.fault_of(
                  world.token(claims_of(issuer, kAudience, R"("8f2a")", std::to_string(kTestSeconds + 300)))),
              TokenFault::kIssuer)
        << issuer;
  }
  EXPECT_EQ(world.fault_of(signed_token(kHeader, claims_with(), world.stranger)), TokenFault::kSignature);
}

TEST(JwtAttack, OtherKindsOfTokensAreRefused) {
  const World world;
  for (const std::string_view more :
       {R"(,"nonce":"n")", R"(,"at_hash":"h")", R"(,"cnf":{"jkt":"x"})", R"(,"cnf":null)",
        R"(,"typ":"Refresh")", R"(,"typ":"ID")", R"(,"typ":"offline")"})
    EXPECT_EQ(world.fault_of(world.token(claims_with(more))), TokenFault::kMalformed) << more;
  EXPECT_TRUE(world.is_good(world.token(claims_with(R"(,"typ":"Bearer")"))));
  for (const std::string_view type : {"dpop+jwt", "logout+jwt", "secevent+jwt", "JOSE", ""}) {
    const std::string header = R"({"alg":"ES256","kid":"one","typ":")" + std::string(type) + "\"}";
    EXPECT_EQ(world.fault_of(signed_token(header, claims_with(), world.key)), TokenFault::kMalformed) << type;
  }
  const std::string encrypted = base64url_encode(R"({"alg":"RSA-OAEP","enc":"A256GCM"})") + ".a.b.c.d";
  EXPECT_EQ(form_of(encrypted), TokenForm::kEncrypted);
  EXPECT_EQ(world.fault_of(encrypted), TokenFault::kMalformed);
}

TEST(JwtAttack, AKeyThatIsGoneIsNotUsedAnyMore) {
  World world;
  const std::string token = world.token(claims_with());
  const JwtVerdict before = world.judge(token);
  KeySet later = KeySet::parse("{\"keys\":[" + published(world.second, "two") + "]}").value();
  later.replace(world.keys);
  EXPECT_TRUE(*std::get<VerifiedJwt>(before).key_removed);
  world.keys = later;
  EXPECT_TRUE(world.is_unknown_key(token));
}

TEST(JwtAttack, AKeyThatStaysIsTheSame) {
  World world;
  const JwtVerdict before = world.judge(world.token(claims_with()));
  KeySet later = KeySet::parse("{\"keys\":[" + published(world.stranger, "new") + "," +
                               published(world.key, "one") + "]}")
                     .value();
  later.replace(world.keys);
  EXPECT_FALSE(*std::get<VerifiedJwt>(before).key_removed);
  later.retire();
  EXPECT_TRUE(*std::get<VerifiedJwt>(before).key_removed);
}

TEST(JwtAttack, RepeatedKeysDepthAndSizeAreRefused) {
  const World world;
  EXPECT_EQ(world.fault_of(world.token(claims_with(R"(,"sub":"admin")"))), TokenFault::kMalformed);
  EXPECT_EQ(world.fault_of(world.token(claims_with(R"(,"aud":"api://data")"))), TokenFault::kMalformed);
  EXPECT_EQ(
      world.fault_of(signed_token(R"({"alg":"none","alg":"ES256","kid":"one"})", claims_with(), world.key)),
      TokenFault::kMalformed);
  EXPECT_EQ(world.fault_of(world.token(claims_with(",\"x\":" + std::string(40, '[') + std::string(40, ']')))),
            TokenFault::kMalformed);
  const auto of_size = [&](std::size_t bytes) {
    std::string token;
    for (std::size_t pad = bytes * 3 / 4 - 400; token.size() < bytes; ++pad)
      token = world.token(claims_with(",\"x\":\"" + std::string(pad, 'x') + "\""));
    return token;
  };
  const std::string large = of_size(16'384);
  EXPECT_EQ(world.is_good(large), large.size() == 16'384) << large.size();
  EXPECT_EQ(world.fault_of(of_size(16'385)), TokenFault::kMalformed);
  EXPECT_TRUE(world.is_good(of_size(16'300)));
}

TEST(JwtAttack, Base64UrlIsStrict) {
  const World world;
  const std::string good = world.token(claims_with());
  for (const std::string& bad :
       std::vector<std::string>{good + "=", good + " ", " " + good, good + "\n", good + ".", "." + good,
                                good.substr(1), good + "AAAA", "..", "a.b.c", ""})
    EXPECT_TRUE(world.fault_of(bad).has_value()) << bad;
  // The last character of a signature of 64 bytes holds four bits that mean nothing.
  std::string twin = good;
  twin.back() = twin.back() == 'A' ? 'B' : static_cast<char>(twin.back() + 1);
  EXPECT_EQ(world.fault_of(twin), TokenFault::kMalformed);
}

TEST(JwtAttack, CriticalExtensionsAreRefused) {
  const World world;
  for (const std::string_view more : {R"("crit":["b64"],"b64":false)", R"("crit":[])", R"("crit":null)"}) {
    const std::string header = R"({"alg":"ES256","kid":"one",)" + std::string(more) + "}";
    EXPECT_EQ(world.fault_of(signed_token(header, claims_with(), world.key)), TokenFault::kMalformed) << more;
  }
}

TEST(JwtAttack, SubjectsAreShortAndPrintable) {
  const World world;
  const auto of_subject = [&](const std::string& subject) {
    return world.token(claims_of(kIssuer, kAudience, subject, std::to_string(kTestSeconds + 300)));
  };
  for (const std::string good : {R"("token:x")", R"("auth0|5f7c")", R"("josé")", R"("a/b")"})
    EXPECT_TRUE(world.is_good(of_subject(good))) << good;
  EXPECT_TRUE(world.is_good(of_subject('"' + std::string(256, 's') + '"')));
  for (const std::string bad : {R"("")", R"("a\u0000b")", R"("a\nb")", R"("a\u007f")", R"("a\u0085")",
                                R"("a\u202eb")", R"("a\u200bb")", "7", "null", R"(["8f2a"])"})
    EXPECT_EQ(world.fault_of(of_subject(bad)), TokenFault::kMalformed) << bad;
  EXPECT_EQ(world.fault_of(of_subject('"' + std::string(257, 's') + '"')), TokenFault::kMalformed);
}

}  // namespace
}  // namespace sluice::guard
