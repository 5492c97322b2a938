#include "sluice/base/base64.h"

#include <optional>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Base64, EncodesAndDecodesTheVectorsOfRfc4648) {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, encoded] : vectors) {
    EXPECT_EQ(base64_encode(plain), encoded);
    EXPECT_EQ(base64_decode(encoded), plain);
  }
}

TEST(Base64, HasTwoAlphabets) {
  EXPECT_EQ(base64_encode("\xfb\xff\xfe"), "+//+");
  EXPECT_EQ(base64url_encode("\xfb\xff\xfe"), "-__-");
  EXPECT_EQ(base64url_encode("f"), "Zg");
  EXPECT_FALSE(base64_decode("-__-").has_value());
  EXPECT_FALSE(base64url_decode("+//+").has_value());
}

TEST(Base64, RefusesWrongPadding) {
  for (const char* text : {"Zg", "Zg=", "Zg===", "Zm9v=", "Zm9v====", "=",
                           "==", "===", "====", "A===", "Zg==Zg==", "Z=g=", "Zm8=Zm8=", "A", "AAAAA"}) {
    EXPECT_FALSE(base64_decode(text).has_value()) << text;
  }
  for (const char* text : {"Zg==", "Zg=", "Zm8=", "A", "AAAAA"}) {
    EXPECT_FALSE(base64url_decode(text).has_value()) << text;
  }
}

TEST(Base64, RefusesWhatIsNotInTheAlphabet) {
  for (const char* text : {"Zm 9v", "Zm9\n", "Zm9v\r\n", " Zm9", "Zm9!", "Zm9\x80", "Zm.v"}) {
    EXPECT_FALSE(base64_decode(text).has_value()) << text;
    EXPECT_FALSE(base64url_decode(text).has_value()) << text;
  }
  EXPECT_FALSE(base64_decode(std::string_view("Zm\0v", 4)).has_value());
}

TEST(Base64, RefusesStrayBits) {
  EXPECT_FALSE(base64_decode("Zh==").has_value());
  EXPECT_FALSE(base64_decode("Zm9=").has_value());
  EXPECT_FALSE(base64url_decode("Zh").has_value());
}

TEST(Base64, GivesEveryBytesBack) {
  std::mt19937 random(1);
  for (std::size_t length = 0; length < 300; ++length) {
    std::string bytes(length, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    EXPECT_EQ(base64_decode(base64_encode(bytes)), bytes);
    EXPECT_EQ(base64url_decode(base64url_encode(bytes)), bytes);
  }
}

}  // namespace
}  // namespace sluice
