#include "sluice/text/words.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "sluice/text/normalize.h"

#include "repeated.h"

namespace sluice::text {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> texts(std::string_view text) {
  std::vector<std::string> result;
  for (const Word& word : words(text)) result.push_back(word.text);
  return result;
}

std::vector<std::string> sources(std::string_view text) {
  std::vector<std::string> result;
  for (const Word& word : words(text)) result.emplace_back(text.substr(word.offset, word.size));
  return result;
}

TEST(Words, AreNormalisedAndKnowWhereTheyCameFrom) {
  const std::string text = "«ՀՀ  Կրթության», Éco-le_2!";
  EXPECT_THAT(texts(text), ElementsAre("հհ", "կրթության", "eco", "le", "2"));
  EXPECT_THAT(sources(text), ElementsAre("ՀՀ", "Կրթության", "Éco", "le", "2"));
}

TEST(Words, IncludeTheirAccentsAndInvisibleCharacters) {
  EXPECT_THAT(sources("e\u0301a\u0301! x\u00ADy"), ElementsAre("e\u0301a\u0301", "x\u00ADy"));
  EXPECT_THAT(texts("и\u0306од"), ElementsAre("йод"));
  EXPECT_THAT(sources("и\u0306од"), ElementsAre("и\u0306од"));
}

TEST(Words, ShareTheirSourceWhereOneCharacterMakesTwo) {
  EXPECT_THAT(texts("a½"), ElementsAre("a1", "2"));
  EXPECT_THAT(sources("a½ b"), ElementsAre("a½", "½", "b"));
}

TEST(Words, AreCutByDictionaryWhereTheScriptHasNoSpaces) {
  EXPECT_THAT(texts("การศึกษาไทย"), ElementsAre("การ", "ศึกษา", "ไทย"));
  EXPECT_THAT(sources("Ａ東京都 education"), ::testing::Contains("education"));
  const std::vector<std::string> chinese = texts("教育部门");
  EXPECT_GT(chinese.size(), 1U);
  EXPECT_THAT(sources("教育部门"), ::testing::ElementsAreArray(chinese));
}

TEST(Words, OfNothingAreNone) {
  EXPECT_THAT(words(""), IsEmpty());
  EXPECT_THAT(words("... \xFF \xED\xA0\x80"), IsEmpty());
}

TEST(Words, OfHostileTextStayBounded) {
  EXPECT_EQ(words(repeated("x", 10'000'000)).size(), 1U);
  const std::string ideographs = repeated("中", 100'000);
  std::string joined;
  for (const Word& word : words(ideographs)) joined += word.text;
  EXPECT_EQ(joined, ideographs);
}

TEST(Words, JoinedBySpacesAreTheNormalisedText) {
  for (const std::string text : {"Ministry of Health, 2024", "ԵՎ և եւ", "½ № ™ ﷺ", "Straße\u200B\u0301"}) {
    std::string joined;
    for (const Word& word : words(text)) joined += (joined.empty() ? "" : " ") + word.text;
    EXPECT_EQ(joined, normalize(text));
  }
}

}  // namespace
}  // namespace sluice::text
