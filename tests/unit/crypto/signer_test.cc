#include "sluice/crypto/signer.h"

#include <string>

#include <gmock/gmock.h>

namespace sluice::crypto {
namespace {

using ::testing::Optional;

Signer signer() { return Signer(std::string(32, 'k')); }

TEST(Signer, AcceptsWhatItSigned) {
  EXPECT_THAT(signer().verify("cursor", signer().sign("cursor", "after=x")),
              Optional(std::string("after=x")));
  EXPECT_THAT(signer().verify("cursor", signer().sign("cursor", "")), Optional(std::string()));
}

TEST(Signer, RefusesAnotherPurpose) {
  EXPECT_FALSE(signer().verify("state", signer().sign("cursor", "x")).has_value());
}

TEST(Signer, RefusesAPurposeThatContinuesIntoThePayload) {
  EXPECT_FALSE(signer().verify("a", signer().sign("ab", "c")).has_value());
  EXPECT_FALSE(signer().verify("ab", signer().sign("a", "bc")).has_value());
}

TEST(Signer, RefusesAnotherKey) {
  EXPECT_FALSE(signer().verify("p", Signer(std::string(32, 'j')).sign("p", "x")).has_value());
}

TEST(Signer, RefusesEveryChangedCharacter) {
  const std::string token = signer().sign("p", "payload");
  for (std::size_t i = 0; i < token.size(); ++i) {
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(signer().verify("p", changed).has_value()) << i;
  }
}

TEST(Signer, RefusesTruncatedAndForeignText) {
  const std::string token = signer().sign("p", "payload");
  for (std::size_t length = 0; length < token.size(); ++length)
    EXPECT_FALSE(signer().verify("p", token.substr(0, length)).has_value()) << length;
  EXPECT_FALSE(signer().verify("p", "not base64!").has_value());
}

TEST(Signer, RandomKeysDiffer) {
  EXPECT_NE(Signer::with_random_key().sign("p", "x"), Signer::with_random_key().sign("p", "x"));
}

}  // namespace
}  // namespace sluice::crypto
