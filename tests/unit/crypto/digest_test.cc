#include "sluice/crypto/digest.h"

#include <gmock/gmock.h>

#include "sluice/base/base64.h"

namespace sluice::crypto {
namespace {

// RFC 4231, test case 2, and FIPS 180-4's "abc".
TEST(Digest, GivesThePublishedValues) {
  EXPECT_EQ(base64_encode(sha256("abc")), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
  EXPECT_EQ(base64_encode(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM=");
}

TEST(EqualInConstantTime, ComparesBytesAndLength) {
  EXPECT_TRUE(equal_in_constant_time("", ""));
  EXPECT_TRUE(equal_in_constant_time("secret", "secret"));
  EXPECT_FALSE(equal_in_constant_time("secret", "secreT"));
  EXPECT_FALSE(equal_in_constant_time("secret", "secret1"));
}

}  // namespace
}  // namespace sluice::crypto
