#include "sluice/crypto/random.h"

#include <set>
#include <string>

#include <gmock/gmock.h>

namespace sluice::crypto {
namespace {

TEST(RandomToken, IsUrlSafeAndLongEnough) {
  const std::string token = random_token();
  EXPECT_EQ(token.size(), 22U);  // 128 bits in base64url.
  EXPECT_EQ(token.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
            std::string::npos);
}

TEST(RandomToken, DoesNotRepeat) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(seen.insert(random_token()).second);
}

}  // namespace
}  // namespace sluice::crypto
