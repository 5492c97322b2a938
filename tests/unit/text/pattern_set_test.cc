#include "sluice/text/pattern_set.h"

#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "repeated.h"

namespace sluice::text {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

PatternSet compile(const std::vector<std::string>& patterns, Mode mode) {
  return PatternSet::compile(patterns, mode).value();
}

bool finds(const std::string& pattern, Mode mode, std::string_view value) {
  return compile({pattern}, mode).match(value).has_value();
}

Error error_of(const std::vector<std::string>& patterns) {
  return PatternSet::compile(patterns, Mode::kBalanced).error();
}

TEST(ParseMode, KnowsTheModesAndTheirOtherNames) {
  EXPECT_EQ(parse_mode("strict").value(), Mode::kStrict);
  EXPECT_EQ(parse_mode("whole_word").value(), Mode::kStrict);
  EXPECT_EQ(parse_mode("balanced").value(), Mode::kBalanced);
  EXPECT_EQ(parse_mode("normalized").value(), Mode::kBalanced);
  EXPECT_EQ(parse_mode("permissive").value(), Mode::kPermissive);
  EXPECT_EQ(parse_mode("contains").value(), Mode::kPermissive);
  EXPECT_EQ(to_string(Mode::kBalanced), "balanced");
  EXPECT_THAT(parse_mode("fuzzy").error().message, HasSubstr("fuzzy"));
  EXPECT_EQ(parse_mode("Strict").error().kind, ErrorKind::kInvalidInput);
}

TEST(PatternSet, StrictFindsTheSameWord) {
  EXPECT_TRUE(finds("գիտական", Mode::kStrict, "Գիտական և գիտատեխնիկական հետազոտությունների ծրագիր"));
  EXPECT_FALSE(finds("գիտական", Mode::kStrict, "Մասնագիտական կրթության ծրագիր"));
  EXPECT_FALSE(finds("կրթություն", Mode::kStrict, "ՀՀ կրթության նախարարություն"));
}

TEST(PatternSet, BalancedFindsInflectedForms) {
  EXPECT_TRUE(
      finds("կրթություն", Mode::kBalanced, "ՀՀ կրթության, գիտության, մշակույթի և սպորտի նախարարություն"));
  EXPECT_FALSE(finds("գիտական", Mode::kBalanced, "Մասնագիտական կրթության ծրագիր"));
}

TEST(PatternSet, PermissiveFindsAnyPart) {
  EXPECT_TRUE(finds("գիտական", Mode::kPermissive, "Մասնագիտական կրթության ծրագիր"));
  EXPECT_TRUE(finds("ԿԱՆ կրթ", Mode::kPermissive, "Մասնագիտական կրթության ծրագիր"));
  EXPECT_FALSE(finds("սպորտ", Mode::kPermissive, "Մասնագիտական կրթության ծրագիր"));
}

// Whoever asks for more must not lose anything.
TEST(PatternSet, PermissiveFindsAllThatBalancedFinds) {
  const std::vector<std::string> values = {
      "cities of Europe", "case studies", "running costs",    "children",
      "ջրի մատակարարում", "Schulen",      "okullar",          "eğitimin",
      "σχολείων",         "законов",      "bureaux",          "public roads",
      "people",           "school",       "կրթության ծրագիր", "հանրակրթություն"};
  for (const char* pattern : {"city", "study", "run", "child", "ջուր", "Schule", "okul", "eğitim", "σχολείο",
                              "закон", "bureau", "public road", "person", "school", "կրթություն"}) {
    for (const std::string& value : values) {
      const std::optional<Match> balanced = compile({pattern}, Mode::kBalanced).match(value);
      const std::optional<Match> permissive = compile({pattern}, Mode::kPermissive).match(value);
      if (!balanced) continue;
      ASSERT_TRUE(permissive.has_value()) << pattern << " misses " << value;
      EXPECT_GE(permissive->confidence, balanced->confidence) << pattern << " in " << value;
    }
  }
  EXPECT_TRUE(finds("city", Mode::kPermissive, "cities"));
  EXPECT_TRUE(finds("study", Mode::kPermissive, "studies"));
}

TEST(PatternSet, SaysWhatMatchedAndHowSureItIs) {
  const PatternSet balanced = compile({"սպորտ", "կրթություն"}, Mode::kBalanced);
  EXPECT_EQ(balanced.match("Կրթություն"), (Match{1, "կրթություն", 1.0}));
  const Match inflected = balanced.match("ՀՀ Կրթության ծրագիր").value();
  EXPECT_EQ(inflected.pattern, 1U);
  EXPECT_EQ(inflected.text, "կրթության");
  EXPECT_LT(inflected.confidence, 1);
  EXPECT_GE(inflected.confidence, 0.8);
  const PatternSet permissive = compile({"կրթ"}, Mode::kPermissive);
  EXPECT_EQ(permissive.match("նոր հանրակրթության ծրագիր"), (Match{0, "հանրակրթության", 0.5}));
  EXPECT_EQ(permissive.match("նոր կրթության ծրագիր"), (Match{0, "կրթության", 0.7}));
  EXPECT_EQ(permissive.match("նոր կրթ. ծրագիր"), (Match{0, "կրթ", 1.0}));
}

TEST(PatternSet, PrefersTheSurestThenTheFirstMatch) {
  const PatternSet set = compile({"water", "road", "roads"}, Mode::kBalanced);
  EXPECT_EQ(set.match("road and water")->pattern, 1U);
  EXPECT_EQ(set.match("waters and roads"), (Match{2, "roads", 1.0}));
  EXPECT_EQ(compile({"a b", "b"}, Mode::kStrict).match("a b")->pattern, 0U);
}

TEST(PatternSet, TellsAllPatternsThatMatch) {
  const PatternSet set = compile({"water", "school", "ջուր", "water"}, Mode::kBalanced);
  std::vector<std::size_t> patterns;
  for (const Match& match : set.match_all("Խմելու ջրի (drinking water)")) patterns.push_back(match.pattern);
  EXPECT_THAT(patterns, ElementsAre(0, 2, 3));
  EXPECT_THAT(set.match_all("sports"), IsEmpty());
}

TEST(PatternSet, MatchesPhrasesWordByWord) {
  EXPECT_TRUE(finds("շրջակա միջավայր", Mode::kBalanced, "ՀՀ շրջակա միջավայրի նախարարություն"));
  EXPECT_FALSE(finds("շրջակա միջավայր", Mode::kBalanced, "Կրթական միջավայրի բարելավում"));
  EXPECT_FALSE(finds("միջավայր շրջակա", Mode::kBalanced, "ՀՀ շրջակա միջավայրի նախարարություն"));
  EXPECT_TRUE(finds("a b c", Mode::kStrict, "a b a b c"));
  EXPECT_TRUE(finds("a a b", Mode::kStrict, "a a a b"));
  EXPECT_FALSE(finds("a b", Mode::kStrict, "a x b"));
  EXPECT_EQ(compile({"primary school"}, Mode::kBalanced).match("all primary schools")->text,
            "primary schools");
}

TEST(PatternSet, FindsWordsOfScriptsWithoutSpaces) {
  EXPECT_TRUE(finds("教育", Mode::kStrict, "发展教育事业"));
  EXPECT_TRUE(finds("ศึกษา", Mode::kBalanced, "การศึกษาไทย"));
  EXPECT_FALSE(finds("ไทย", Mode::kStrict, "การศึกษา"));
}

TEST(PatternSet, RefusesPatternsItCannotUse) {
  for (const auto& patterns : std::vector<std::vector<std::string>>{{},
                                                                    {""},
                                                                    {"ok", " ... "},
                                                                    {std::string(257, 'a')},
                                                                    std::vector<std::string>(1001, "a"),
                                                                    {"\xFF\xFE"}}) {
    const Error error = error_of(patterns);
    EXPECT_EQ(error.kind, ErrorKind::kInvalidInput);
    EXPECT_EQ(error.code, "invalid_pattern");
    EXPECT_THAT(error.hint, HasSubstr("give"));
  }
  EXPECT_EQ(error_of({repeated("\uFDFA", 80)}).code, "invalid_pattern");
  EXPECT_TRUE(PatternSet::compile(std::vector<std::string>{std::string(256, 'a')}, Mode::kPermissive).ok());
}

TEST(PatternSet, TakesAnyBytesAsAValue) {
  for (const Mode mode : {Mode::kStrict, Mode::kBalanced, Mode::kPermissive}) {
    const PatternSet set = compile({"school", "ջուր"}, mode);
    EXPECT_TRUE(set.match("\xFF\xC3school\0\xED\xA0\x80"s).has_value());
    EXPECT_TRUE(set.match("sch\u200Bo\u00ADol").has_value());
    EXPECT_FALSE(set.match("").has_value());
    EXPECT_FALSE(set.match(repeated("x", 10'000'000)).has_value());
    EXPECT_FALSE(set.match(std::string(1'000'000, '\xFF')).has_value());
  }
}

// Each pattern keeps many phrases open at once, and each position ends many substrings.
TEST(PatternSet, StaysFastWithAThousandHostilePatterns) {
  std::vector<std::string> phrases;
  std::vector<std::string> substrings;
  for (std::size_t i = 0; i < 1000; ++i) {
    phrases.push_back(repeated("a ", i % 100 + 1) + "z" + std::to_string(i));
    substrings.push_back(std::string(i % 250 + 1, 'a') + (i < 250 ? "" : "z" + std::to_string(i)));
  }
  const std::string value = repeated("a ", 100'000);
  EXPECT_FALSE(compile(phrases, Mode::kStrict).match(value).has_value());
  EXPECT_FALSE(compile(phrases, Mode::kBalanced).match(value).has_value());
  EXPECT_EQ(compile(substrings, Mode::kPermissive).match_all(std::string(100'000, 'a')).size(), 250U);
}

TEST(PatternSet, IsUsedFromManyThreads) {
  const PatternSet set = compile({"կրթություն", "school"}, Mode::kBalanced);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&set] {
      for (int round = 0; round < 500; ++round) {
        EXPECT_TRUE(set.match("ՀՀ կրթության նախարարություն").has_value());
        EXPECT_FALSE(set.match("ՀՀ առողջապահության նախարարություն").has_value());
      }
    });
  }
}

}  // namespace
}  // namespace sluice::text
