#include "sluice/text/normalize.h"

#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "sluice/base/text.h"
#include "sluice/json/reader.h"

#include "repeated.h"
#include "test_files.h"

namespace sluice::text {
namespace {

using namespace std::string_literals;

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// An independent normaliser made these pairs. It keeps accents and "_" and tells "եվ" from "եւ"; nothing else
// differs.
TEST(Normalize, AgreesWithTheGoldenPairsExceptInThreeThings) {
  const json::Value golden = json::read(test_data("budget/normalize_golden.json")).value();
  std::size_t different = 0;
  for (const json::Value& pair : *golden.if_array()) {
    const std::string& input = *pair.find("input")->if_string();
    const std::string& theirs = *pair.find("normalized")->if_string();
    const std::string expected =
        replace_all(replace_all(replace_all(theirs, "եվ", "եւ"), "_", " "), "é", "e");
    EXPECT_EQ(normalize(input), expected) << input;
    different += expected == theirs ? 0U : 1U;
  }
  EXPECT_EQ(golden.if_array()->size(), 410U);
  EXPECT_EQ(different, 26U);
}

TEST(Normalize, FoldsCaseFully) {
  EXPECT_EQ(normalize("Hello WORLD 42"), "hello world 42");
  EXPECT_EQ(normalize("Straße STRASSE"), "strasse strasse");
  EXPECT_EQ(normalize("ΣΊΣΥΦΟΣ σίσυφος"), "σισυφοσ σισυφοσ");
  EXPECT_EQ(normalize("ՀՀ Նախագահի"), "հհ նախագահի");
}

TEST(Normalize, MakesOneOfTheThreeSpellingsOfTheArmenianAnd) {
  EXPECT_EQ(normalize("և"), "եւ");
  EXPECT_EQ(normalize("եւ"), "եւ");
  EXPECT_EQ(normalize("եվ"), "եւ");
  EXPECT_EQ(normalize("ԵՎ"), "եւ");
  EXPECT_EQ(normalize("ԵՐԵՎԱՆ"), normalize("Երևան"));
  EXPECT_EQ(normalize("կարեւոր"), normalize("կարևոր"));
  EXPECT_EQ(normalize("ե վ"), "ե վ");  // Two words.
}

TEST(Normalize, DropsAccentsAndKeepsLetters) {
  EXPECT_EQ(normalize("Éducation élève Łódź Øre Đà Nẵng æther"), "education eleve lodz ore da nang aether");
  EXPECT_EQ(normalize("e\u0301\u0302\u0303"), "e");
  EXPECT_EQ(normalize("ёлка Ёлка"), "елка елка");
  EXPECT_EQ(normalize("Край и\u0306од"), "край йод");
  EXPECT_EQ(normalize("がぎ か\u3099"), "がぎ が");
  EXPECT_EQ(normalize("\u1112\u1161\u11AB 한"),
            "한 한");  // Decomposed Korean, as some file systems write it.
  EXPECT_EQ(normalize("การศึกษา"), "การศึกษา");
}

TEST(Normalize, MakesOneLetterOfTheTurkishIs) {
  EXPECT_EQ(normalize("İSTANBUL Istanbul istanbul ıstanbul i\u0307stanbul"),
            "istanbul istanbul istanbul istanbul istanbul");
  EXPECT_EQ(normalize("EĞİTİM eğitim"), "egitim egitim");
}

TEST(Normalize, ResolvesCompatibilityForms) {
  EXPECT_EQ(normalize("ﬁle ﬓ ｆｕｌｌ ① x²"), "file մն full 1 x2");
  EXPECT_EQ(normalize("½ kg"), "1 2 kg");
  EXPECT_EQ(normalize("№5"), "no5");
}

TEST(Normalize, SeparatesWordsByEverythingElse) {
  EXPECT_EQ(normalize("  a_b--c,,d\t\n e  "), "a b c d e");
  EXPECT_EQ(normalize("«Կրթություն»՝ գիտություն։"), "կրթություն գիտություն");
  EXPECT_EQ(normalize("ծախսեր£ նոր©բան¬ երեք° չորս"), "ծախսեր նոր բան երեք չորս");
  EXPECT_EQ(normalize("x\u00A0y\u3000z"), "x y z");
  EXPECT_EQ(normalize("... !!!"), "");
  EXPECT_EQ(normalize(""), "");
}

TEST(Normalize, ForgetsInvisibleCharacters) {
  EXPECT_EQ(normalize("ed\u200Bu\u200Dca\u00ADti\u2060on\uFEFF"), "education");
  EXPECT_EQ(normalize("\uFEFFname"), "name");
}

TEST(Normalize, TakesBytesThatAreNotUtf8AsSeparators) {
  EXPECT_EQ(normalize("a\xFF\xFE z\xC3"), "a z");
  EXPECT_EQ(normalize("a\xED\xA0\x80z"), "a z");      // A surrogate.
  EXPECT_EQ(normalize("a\xC0\xAFz"), "a z");          // An overlong slash.
  EXPECT_EQ(normalize("a\xF4\x90\x80\x80z"), "a z");  // Above U+10FFFF.
  EXPECT_EQ(normalize("a\0b"s), "a b");
}

TEST(Normalize, StaysLinearOnHostileText) {
  EXPECT_EQ(normalize("a" + repeated("\u0301\u0323", 500'000)), "a");  // Each pair in the wrong order.
  EXPECT_EQ(normalize("и" + repeated("\u0306", 1'000'000)), "й");
  EXPECT_EQ(normalize(repeated("A", 10'000'000)), repeated("a", 10'000'000));
  const std::string expanding = repeated("\uFDFA", 100'000);  // Eighteen letters each.
  EXPECT_EQ(normalize(expanding).substr(0, 6), normalize("\uFDFA").substr(0, 6));
}

TEST(Normalize, GivesTheSameFromManyThreads) {
  std::vector<std::string> results(8);
  {
    std::vector<std::jthread> threads;
    for (std::string& result : results)
      threads.emplace_back([&result] {
        result = normalize("Ꭰ Ⴀ ᲀ ℵ Ἀ 𝔸 ꙮ");
      });  // Pages that nothing else needs.
  }
  for (const std::string& result : results) EXPECT_EQ(result, results.front());
}

}  // namespace
}  // namespace sluice::text
