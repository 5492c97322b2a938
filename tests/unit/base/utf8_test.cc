#include "sluice/base/utf8.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Utf8, CutsBeforeACharacterThatDoesNotFit) {
  EXPECT_EQ(first_bytes("aé€😀", 0), "");
  EXPECT_EQ(first_bytes("aé€😀", 2), "a");
  EXPECT_EQ(first_bytes("aé€😀", 3), "aé");
  EXPECT_EQ(first_bytes("aé€😀", 9), "aé€");
  EXPECT_EQ(first_bytes("aé€😀", 10), "aé€😀");
}

TEST(Utf8, CountsCharacters) {
  EXPECT_EQ(count_characters(""), 0U);
  EXPECT_EQ(count_characters("aé€😀"), 4U);
  EXPECT_EQ(first_characters("aé€😀", 0), "");
  EXPECT_EQ(first_characters("aé€😀", 3), "aé€");
  EXPECT_EQ(first_characters("aé€😀", 4), "aé€😀");
}

// The model adds whole characters while they fit.
TEST(Utf8, AgreesWithAModelOnRandomText) {
  const std::vector<std::string> characters{"a", "é", "€", "😀", "ա", "\n"};
  std::mt19937 random(1);
  for (int i = 0; i < 2'000; ++i) {
    std::vector<std::string> parts;
    std::string text;
    for (auto length = random() % 12; length > 0; --length)
      text += parts.emplace_back(characters[random() % characters.size()]);
    const std::size_t most = random() % 30;
    std::string by_bytes;
    std::string by_characters;
    bool fits = true;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      fits = fits && by_bytes.size() + parts[part].size() <= most;
      if (fits) by_bytes += parts[part];
      if (part < most) by_characters += parts[part];
    }
    EXPECT_EQ(count_characters(text), parts.size());
    EXPECT_EQ(first_characters(text, most), by_characters);
    EXPECT_EQ(first_bytes(text, most), by_bytes) << text << " " << most;
  }
}

TEST(Utf8, DoesNotReadBeyondTextThatIsNoUtf8) {
  const std::string bytes(8, '\x80');
  EXPECT_EQ(first_bytes(bytes, 4), "");
  EXPECT_EQ(first_characters(bytes, 4), bytes);
  EXPECT_EQ(count_characters(bytes), 0U);
}

}  // namespace
}  // namespace sluice
