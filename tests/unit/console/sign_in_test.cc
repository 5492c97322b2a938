#include "sign_in.h"

#include <gmock/gmock.h>

namespace sluice::console {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class SteppingClock final : public Clock {
 public:
  Monotonic now() const override { return now_; }
  WallTime wall() const override { return {}; }
  void pass(seconds time) { now_ += time; }

 private:
  Monotonic now_{std::chrono::hours(1)};
};

class SignIn : public ::testing::Test {
 protected:
  SteppingClock clock;
  SignInBook book{clock, minutes(60)};
};

TEST_F(SignIn, GivesATokenForAKeyOnce) {
  const std::string key = book.new_key();
  const std::optional<std::string> token = book.redeem(key);
  ASSERT_TRUE(token.has_value());
  EXPECT_TRUE(book.knows(*token));
  EXPECT_TRUE(SignInBook::is_token(*token));
  EXPECT_FALSE(book.redeem("another").has_value());
  EXPECT_TRUE(book.knows(*token));
}

TEST_F(SignIn, EndsTheTokenOfAKeyThatIsUsedTwice) {
  const std::string key = book.new_key();
  const std::string token = book.redeem(key).value();
  EXPECT_FALSE(book.redeem(key).has_value());
  EXPECT_FALSE(book.knows(token));
}

TEST_F(SignIn, ForgetsKeysAfterTwoMinutes) {
  const std::string key = book.new_key();
  const std::string late = book.new_key();
  clock.pass(seconds(119));
  EXPECT_TRUE(book.redeem(key).has_value());
  clock.pass(seconds(1));
  EXPECT_FALSE(book.redeem(late).has_value());
}

TEST_F(SignIn, ForgetsTokensThatNobodyUses) {
  const std::string token = book.redeem(book.new_key()).value();
  clock.pass(minutes(59));
  EXPECT_TRUE(book.knows(token));
  clock.pass(minutes(59));
  EXPECT_TRUE(book.knows(token));
  clock.pass(minutes(60));
  EXPECT_FALSE(book.knows(token));
}

TEST_F(SignIn, KnowsNoTokenThatWasSignedOut) {
  const std::string token = book.redeem(book.new_key()).value();
  const std::string other = book.redeem(book.new_key()).value();
  book.sign_out(token);
  EXPECT_FALSE(book.knows(token));
  EXPECT_TRUE(book.knows(other));
}

TEST_F(SignIn, KeepsAtMost64Tokens) {
  const std::string first = book.redeem(book.new_key()).value();
  const std::string second = book.redeem(book.new_key()).value();
  for (int i = 0; i < 62; ++i) ASSERT_TRUE(book.redeem(book.new_key()).has_value());
  EXPECT_TRUE(book.knows(first));  // Which makes it the most recently used one.
  ASSERT_TRUE(book.redeem(book.new_key()).has_value());
  EXPECT_TRUE(book.knows(first));
  EXPECT_FALSE(book.knows(second));
}

}  // namespace
}  // namespace sluice::console
