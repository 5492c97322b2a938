#include "sluice/crypto/signing_key.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/base/base64.h"

namespace sluice::crypto {
namespace {

using ::testing::StartsWith;

// Made by: openssl genpkey -algorithm RSA. They guard nothing.
constexpr const char* kRsaKey =
    "-----BEGIN PRIVATE KEY-----\n"
    "MIIEuwIBADANBgkqhkiG9w0BAQEFAASCBKUwggShAgEAAoIBAQCj/aqZOWv3E0ZO\n"
    "RS0nKQ3a234luIoV5emgCBFEBGstxLtd9c/Z6dkSbDDrJjx3rz42wRn+rOC91fKe\n"
    "pp9LavMfy6pmmR9C8m2Joa0JwTqWhElslcEdvI60JvJaQkTZDPncoTQ6EldLNASf\n"
    "FjtOMHyk6Xzpz0YL7LWCV+k+UbmUtQ+Ujx56otjyLE5zoAiiGj6StOpqW+X0J0ha\n"
    "rwvyg/LRYuaYiuamHn+m2i66PiV3rd5iz6Z/dbowXlalX2+ZVxJkjAOKu4wtIlGE\n"
    "nr/NzcKghJrO4UrrnzG9UjHLRpc9ijt3C05SUtmW7Xt3IjPE45ZuAwnvLUVzyXGN\n"
    "CnCWo6uVAgMBAAECggEADiwVMv49KCJkjE2aqBx6a8xVw81Fs7xFmzSvR01JdPBg\n"
    "T++3KYo13gt3E89fYOmGayV3iWSn3IgRmmfkcthYkAoiHRFFHBxG3qLYCTSHi2v9\n"
    "y3JKuPbrb0LBZY7+E7L1If3VfWJJ5IAnmRcLA4gZsYfTKYKl91Ba5FuUFvRpoSH8\n"
    "LNYAJiBJPzygAfQXHktL6Ao/1TFwLVzHOOqYySDTHFcTqynu0FUc1Kf8t490+Qbd\n"
    "jqgDqbBh4sm6mV9UaNZ5EvmMO6iDWZjRwt+DLKOp4S1QoZUcbodqgzQGdCDI4+ne\n"
    "IiiBKCHHFlst9mKc3rZFebXYzTyvHpFrOhnBxRW8YQKBgQDaZFgVt0Y2hGkJHcQ7\n"
    "kHxTO4948C4dHQyH7sRb9JpEbq8/YGUpv7GzjOcGB5HkJBgQ+ExRp4uVD7RNHcL1\n"
    "n9H7Lj4qtQH1nXRRVjMIszeO3CaBmSID25qKsK4ty8BOIkOvBODzBsxcp2EV/IqT\n"
    "zwNL3v7ly5zPSBXY460WRnf8IQKBgQDAOxbAQcy8Tfh1ur1vVG0Ju7syHB4EBAYU\n"
    "im9LWxNmqzGUStgeoe2ZDCNkkBZTf15Q4OYxAIwR15rd1AwVn6sKMmw2OxXlnFEQ\n"
    "roy1eynNFJl/5adSMq6UPatdYo7FX88vb14+M+w5BF+ZsWTAl15PmWiqMpI9/6cV\n"
    "1H9K1uNg9QJ/VilAl1C3Ysrapb4YrWdTpYLaF9yqVNIhH4AT+DOIqXcBrP9a6h22\n"
    "/h+ZBcf2xwt2czuC4LQ5XZXUjJgxUra7IV4dKLxBCaYVPgHEIKqUQMiaaIcB5IO/\n"
    "dPg/v9GjDTB3g5VpKniEKAnhQ8te4PHLWyOfbQnn09+cvvUUVLV4oQKBgFq3h/UT\n"
    "GFuFMEve5Kc1YH/HaIAtZLzgaT4oVn1pba51+9/Psk5CfK5NXCaJGQAui4P/nqJh\n"
    "b7i71wn4l/tcbotRYF/3Yk4JhvgoZ579kKyHnCkPZ/cSk/DBaa2YZWgf3taz5/XS\n"
    "6xe9SKBvZuy8gnVuIEaxtvIrQ965eZkH8CZBAoGBAJ1h/fL4PK745VUmXdC2ertV\n"
    "mBY7aDPDi+LwpjgNNhVaeN8FXotVavLHVah6b3yr7j5EB4My+9dLOeGzl8sgbQY6\n"
    "u1ZtnNw52Aq+EFFm3dBUu1oDhKGijD2E7Z2YI2KMd2Wz3TJwlol2TXFotLhdiTfV\n"
    "MDhGetxYXdaNuIwYxm7l\n"
    "-----END PRIVATE KEY-----\n";

constexpr const char* kShortRsaKey =
    "-----BEGIN PRIVATE KEY-----\n"
    "MIICdgIBADANBgkqhkiG9w0BAQEFAASCAmAwggJcAgEAAoGBAJ76Rp0ETNnz3Y4Q\n"
    "jFdLfmfeiwt7AmdyDf8x/Zx/Mupjdc3UeZWtgamYqegQn6KhZJ4/Xwhkm1HMTCxG\n"
    "x+QhejAfapNc1gv7zEZl5wvmdF7PnYHeFJZJ4RWjeri2MYOCnn3LmH7F9x91JLQl\n"
    "3F7LwzvsFJdY0N2XyLsPCItCVtm9AgMBAAECgYBHYDaz6GpYsJSYY/Wee9aU6+Wh\n"
    "kejSaPK/0MH8sV86vMz3TJ4KBYxhiJlAB7akXbG/GtSgAAt7/i1085Jralxg6ZM5\n"
    "siZUtffj+1xFnfPFnltK+dM55DUxwp4gQ4PHnoIenDD6b3NDkA5aa13B/0YWpETr\n"
    "m89c3vMb7s2Py2wWQQJBAMpcY/yJqUNJZfJhYvC14c/hOBP8y9aEDvx3Q/iUSJqm\n"
    "4TggMNC+H3gz7kCD0cV1BAmY+JhUl2G2d5fmGPkFRLcCQQDJHgauZIw8ghga/B2q\n"
    "NnPumu/RWOgtEn+xmBphs/aJOOyiXlrC2Z4Y536JrVmu8/YW3O0eWqZq1KPHg1iY\n"
    "JSkrAkEAsh9HJ6io5AB8izBr3cPLg6cULIvNhQJzComUu/8SNYcFIdk7/tILc0wK\n"
    "wKEHic5pgmUzFSsIoUry1DMG8lNP2wJAakiN61eDrO5rYsddvfgs6CnFFvNPL5KZ\n"
    "HPdu6bc7UGVe2KfYeySaIjskagnMXWLb6FU0klgBnm9lZiiJh04MJQJAB5mpf5J+\n"
    "PjLyPS/xu8pR7RgPdpxoPUY1SiSNqf6t0uFmAUwG1VGsKFDbbqjcJ9yteVoJjtA7\n"
    "dp2s1D/sgT6pYQ==\n"
    "-----END PRIVATE KEY-----\n";

// "x" and "y" of a key as public_jwk writes it.
std::string member_of(const std::string& jwk, const std::string& name) {
  const std::string mark = "\"" + name + "\":\"";
  const std::size_t start = jwk.find(mark) + mark.size();
  return jwk.substr(start, jwk.find('"', start) - start);
}

bool verifies(const SigningKey& key, std::string_view bytes, std::string_view signature) {
  const std::string jwk = key.public_jwk();
  return verify_es256(member_of(jwk, "x"), member_of(jwk, "y"), bytes, signature);
}

TEST(SigningKey, SignsWhatItsPublicHalfVerifies) {
  const SigningKey key = SigningKey::generate_es256();
  const std::string signature = key.sign("header.payload");
  EXPECT_EQ(signature.size(), 64U);
  EXPECT_TRUE(verifies(key, "header.payload", signature));
  EXPECT_FALSE(verifies(key, "header.Payload", signature));
  EXPECT_FALSE(verifies(SigningKey::generate_es256(), "header.payload", signature));
}

TEST(SigningKey, RefusesSignaturesOfAnotherShape) {
  const SigningKey key = SigningKey::generate_es256();
  EXPECT_FALSE(verifies(key, "a", ""));
  EXPECT_FALSE(verifies(key, "a", std::string(64, '\0')));
  EXPECT_FALSE(verifies(key, "a", std::string(64, '\xff')));
  EXPECT_FALSE(verifies(key, "a", std::string(65, 'a')));
  EXPECT_FALSE(verify_es256("AAAA", "AAAA", "a", key.sign("a")));
}

TEST(SigningKey, IsTheSameAfterAWayThroughPem) {
  const SigningKey key = SigningKey::generate_es256();
  const SigningKey again = SigningKey::from_pem(key.to_pem()).value();
  EXPECT_EQ(again.algorithm(), SignatureAlgorithm::kEs256);
  EXPECT_EQ(again.public_jwk(), key.public_jwk());
  EXPECT_TRUE(verifies(key, "text", again.sign("text")));
}

TEST(SigningKey, ShowsNoPrivateMemberInItsJwk) {
  const std::string jwk = SigningKey::generate_es256().public_jwk();
  EXPECT_THAT(jwk, StartsWith(R"({"crv":"P-256","kty":"EC","x":")"));
  EXPECT_EQ(jwk.find("\"d\""), std::string::npos);
  EXPECT_EQ(member_of(jwk, "x").size(), 43U);
}

TEST(SigningKey, TakesRsaOfEnoughBits) {
  const Result<SigningKey> key = SigningKey::from_pem(kRsaKey);
  ASSERT_TRUE(key.ok());
  EXPECT_EQ(key->algorithm(), SignatureAlgorithm::kRs256);
  EXPECT_EQ(to_string(key->algorithm()), "RS256");
  EXPECT_EQ(key->sign("text").size(), 256U);
  // Made by: openssl dgst -sha256 -sign. This signature has no random part.
  EXPECT_EQ(base64url_encode(key->sign("text")),
            "Pz5Y7cK77_Naz78sb4Ke556IyNd0Wxfi6XUxjNS8ETFWXQzzuB6k63g_09bR47460pfMiTc0nygN5rkTCuXQZBYHdH0XOwB2"
            "fAwh4-U5za3k9BHctzB0obuV-VYsIR8wh0XS6c3KrlRZtjhXivutcdTKZ2hpmZQBKdznj20EdHuG0It4lIyrbdqSbeAjeOcZ"
            "TFlumiay-SCD9c0WjewxAMgoSEIpXPohgXOQkdck9v-NZXXs4jvny26ryiDUCv6ycFFQh9B2BEftWxjDNh5_jwuPREvNsKfg"
            "_fCU41wZ2uLfVdFxAAn30sStjDmCQ4oNL0voDrMaxM-Nw5OyvkS3yA");
  EXPECT_THAT(key->public_jwk(), StartsWith(R"({"e":"AQAB","kty":"RSA","n":")"));
}

TEST(SigningKey, RefusesWhatIsNoKeyOfOurs) {
  for (const char* pem :
       {"", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", kShortRsaKey}) {
    const Result<SigningKey> key = SigningKey::from_pem(pem);
    ASSERT_FALSE(key.ok());
    EXPECT_EQ(key.error().code, "invalid_key");
  }
  EXPECT_FALSE(SigningKey::from_pem(std::string(1'000'000, 'a')).ok());
}

}  // namespace
}  // namespace sluice::crypto
