// Normalisation by table and in one pass gives what ICU gives step by step.
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/uscript.h>

#include "sluice/base/text.h"
#include "sluice/text/normalize.h"

namespace sluice::text {
namespace {

constexpr UChar32 kBreve = 0x0306;

bool is_surrogate(UChar32 point) { return point >= 0xD800 && point <= 0xDFFF; }

const icu::Normalizer2& nfkd() {
  UErrorCode status = U_ZERO_ERROR;
  return *icu::Normalizer2::getNFKDInstance(status);
}
const icu::Normalizer2& nfc() {
  UErrorCode status = U_ZERO_ERROR;
  return *icu::Normalizer2::getNFCInstance(status);
}
icu::UnicodeString apply(const icu::Normalizer2& form, const icu::UnicodeString& text) {
  UErrorCode status = U_ZERO_ERROR;
  return form.normalize(text, status);
}

template <typename Each>
void for_each_point(const icu::UnicodeString& text, const Each& each) {
  for (std::int32_t i = 0; i < text.length(); i = text.moveIndex32(i, 1)) each(text.char32At(i));
}

// A mark on a letter, as against the vowel signs of scripts that have them for letters.
bool is_accent(UChar32 point) {
  UErrorCode status = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(point, &status);
  const std::set<UScriptCode> with_accents = {USCRIPT_INHERITED, USCRIPT_COMMON,   USCRIPT_LATIN,
                                              USCRIPT_GREEK,     USCRIPT_CYRILLIC, USCRIPT_HEBREW,
                                              USCRIPT_ARABIC,    USCRIPT_SYRIAC};
  const std::uint32_t category = U_GET_GC_MASK(point);
  return category == U_GC_ME_MASK || (category == U_GC_MN_MASK && with_accents.contains(script));
}

icu::UnicodeString without_accents(const icu::UnicodeString& text) {
  icu::UnicodeString kept;
  UChar32 last = 0;
  for_each_point(text, [&](UChar32 point) {
    if (u_hasBinaryProperty(point, UCHAR_DEFAULT_IGNORABLE_CODE_POINT) != 0) return;
    const bool is_voice_mark = (point == 0x3099 || point == 0x309A) && last >= 0x3041 && last <= 0x30FF;
    const bool is_letter_mark = is_voice_mark || (point == kBreve && last == 0x0438);
    if (is_accent(point) && !is_letter_mark) return;
    kept.append(point);
    last = point;
  });
  icu::UnicodeString result;
  for_each_point(apply(nfc(), kept), [&](UChar32 point) {
    if (!is_accent(point)) result.append(point);
  });
  return result;
}

std::string step_by_step(const std::string& text) {
  icu::UnicodeString folded = apply(nfkd(), icu::UnicodeString::fromUTF8(text));
  for (int round = 0; round < 3; ++round) folded = apply(nfkd(), folded.foldCase());
  folded = without_accents(folded);
  const std::vector<std::pair<const char16_t*, const char16_t*>> spellings = {
      {u"ı", u"i"}, {u"ø", u"o"},  {u"ł", u"l"},  {u"đ", u"d"},
      {u"ħ", u"h"}, {u"æ", u"ae"}, {u"œ", u"oe"}, {u"եվ", u"եւ"}};
  for (const auto& [from, to] : spellings) folded.findAndReplace(from, to);
  icu::UnicodeString words;
  bool separated = false;
  for_each_point(folded, [&](UChar32 point) {
    const bool is_word =
        (U_GET_GC_MASK(point) & (U_GC_L_MASK | U_GC_N_MASK | U_GC_MC_MASK | U_GC_MN_MASK)) != 0;
    if (is_word && separated && !words.isEmpty()) words.append(u' ');
    if (is_word) words.append(point);
    separated = !is_word;
  });
  std::string result;
  words.toUTF8String(result);
  return result;
}

// Letters, marks, compatibility forms and separators that interact, and whole alphabets.
std::vector<UChar32> interesting_points() {
  std::vector<UChar32> points = {0x0130,  0x0131,  0x0300, 0x0301, 0x0306, 0x0307, 0x0323,  0x0345,  0x0439,
                                 0x0419,  0x0438,  0x0418, 0x0451, 0x0587, 0x0565, 0x057E,  0x0582,  0xFB13,
                                 0xFB17,  0x00BD,  0x2116, 0x2122, 0x00DF, 0x1E9E, 0x200B,  0x200D,  0x00AD,
                                 0xFEFF,  0x3099,  0x304B, 0x304C, 0xFF76, 0xFF9E, 0x1100,  0x1161,  0x11A8,
                                 0xAC00,  0xAC01,  0x3131, 0x314F, 0xFDFA, 0xFFFD, 0x1F600, 0x1D504, 0x10400,
                                 0x20000, 0x2F800, 0x0000, 0x005F, 0x0020};
  for (UChar32 point = 0x20; point < 0x250; ++point) points.push_back(point);
  for (UChar32 point = 0x386; point < 0x590; ++point) points.push_back(point);
  for (UChar32 point = 0x1E00; point < 0x2000; ++point) points.push_back(point);
  for (UChar32 point = 0xFB00; point < 0xFB18; ++point) points.push_back(point);
  return points;
}

TEST(FoldProperty, EqualsIcuStepByStep) {
  const std::vector<UChar32> points = interesting_points();
  std::mt19937 random(20240501);
  for (int i = 0; i < 40'000; ++i) {
    icu::UnicodeString text;
    const std::size_t length = random() % 12;
    for (std::size_t j = 0; j < length; ++j) text.append(points[random() % points.size()]);
    std::string utf8;
    text.toUTF8String(utf8);
    ASSERT_EQ(normalize(utf8), step_by_step(utf8)) << excerpt(utf8);
  }
}

TEST(FoldProperty, EqualsIcuForEveryCodePoint) {
  for (UChar32 point = 0; point <= 0x10FFFF; ++point) {
    if (is_surrogate(point)) continue;
    std::string utf8 = "x";
    icu::UnicodeString(point).toUTF8String(utf8);
    utf8 += "y";
    ASSERT_EQ(normalize(utf8), step_by_step(utf8)) << std::hex << point;
  }
}

TEST(FoldProperty, ChangesNothingTheSecondTime) {
  std::mt19937 random(7);
  for (int i = 0; i < 40'000; ++i) {
    std::string bytes(random() % 24, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    const std::string once = normalize(bytes);
    ASSERT_TRUE(is_valid_utf8(once));
    ASSERT_EQ(normalize(once), once) << excerpt(bytes);
  }
  for (UChar32 point = 0; point <= 0x10FFFF; ++point) {
    if (is_surrogate(point)) continue;
    std::string utf8;
    icu::UnicodeString(point).toUTF8String(utf8);
    const std::string once = normalize(utf8);
    ASSERT_EQ(normalize(once), once) << std::hex << point;
  }
}

}  // namespace
}  // namespace sluice::text
