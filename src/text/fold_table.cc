#include "fold_table.h"

#include <algorithm>
#include <atomic>
#include <memory>

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/uscript.h>

#include "sluice/base/assert.h"

namespace sluice::text {
namespace {

constexpr char32_t kVoiced = 0x3099;
constexpr char32_t kSemiVoiced = 0x309A;
constexpr char32_t kBreve = 0x0306;
constexpr char32_t kCyrillicI = 0x0438;
constexpr std::size_t kPages = 0x110000 / 256;

struct Normalizers {
  const icu::Normalizer2* nfc;
  const icu::Normalizer2* nfkc;
  const icu::Normalizer2* nfkd;
};

// ICU owns the instances and never ends them. They fail only where ICU's own data is missing.
const Normalizers& normalizers() {
  static const Normalizers instances = [] {
    UErrorCode status = U_ZERO_ERROR;
    const Normalizers made{.nfc = icu::Normalizer2::getNFCInstance(status),
                           .nfkc = icu::Normalizer2::getNFKCInstance(status),
                           .nfkd = icu::Normalizer2::getNFKDInstance(status)};
    SLUICE_ASSERT(U_SUCCESS(status), "ICU has the data of its own normalizers");
    return made;
  }();
  return instances;
}

icu::UnicodeString apply(const icu::Normalizer2* normalizer, const icu::UnicodeString& text) {
  UErrorCode status = U_ZERO_ERROR;
  return normalizer->normalize(text, status);
}

std::u32string points_of(const icu::UnicodeString& text) {
  std::u32string points;
  for (std::int32_t i = 0; i < text.length(); i = text.moveIndex32(i, 1))
    points.push_back(static_cast<char32_t>(text.char32At(i)));
  return points;
}

UChar32 signed_point(char32_t point) { return static_cast<UChar32>(point); }

bool is_invisible(char32_t point) {
  return u_hasBinaryProperty(signed_point(point), UCHAR_DEFAULT_IGNORABLE_CODE_POINT) != 0;
}

// An accent. The vowel signs of Indic and South-East Asian scripts are marks too, but without them the word
// is another one; their script is their own, while an accent's is inherited from its letter.
bool is_accent(char32_t point) {
  const std::int8_t category = u_charType(signed_point(point));
  if (category == U_ENCLOSING_MARK) return true;
  if (category != U_NON_SPACING_MARK) return false;
  UErrorCode status = U_ZERO_ERROR;
  switch (uscript_getScript(signed_point(point), &status)) {
    case USCRIPT_INHERITED:
    case USCRIPT_COMMON:
    case USCRIPT_LATIN:
    case USCRIPT_GREEK:
    case USCRIPT_CYRILLIC:
    case USCRIPT_HEBREW:
    case USCRIPT_ARABIC:
    case USCRIPT_SYRIAC:
      return true;
    default:
      return false;
  }
}

// Accents that make another letter of what they stand on.
bool makes_a_letter(char32_t mark) { return mark == kVoiced || mark == kSemiVoiced || mark == kBreve; }

bool is_of_words(char32_t point) {
  constexpr std::uint32_t kWordMask = U_GC_L_MASK | U_GC_N_MASK | U_GC_MC_MASK | U_GC_MN_MASK;
  return (U_GET_GC_MASK(signed_point(point)) & kWordMask) != 0;
}

// Letters that Unicode does not decompose and people type without the stroke.
std::u32string_view plain_form(char32_t point) {
  switch (point) {
    case U'ı':
      return U"i";
    case U'ø':
      return U"o";
    case U'ł':
      return U"l";
    case U'đ':
      return U"d";
    case U'ħ':
      return U"h";
    case U'æ':
      return U"ae";
    case U'œ':
      return U"oe";
    default:
      return {};
  }
}

std::u32string without_accents(const std::u32string& points) {
  icu::UnicodeString kept;
  char32_t last = 0;
  for (const char32_t point : points) {
    if (is_invisible(point)) continue;
    const bool distinguishes = makes_a_letter(point) && (point != kBreve || last == kCyrillicI);
    if (is_accent(point) && !distinguishes) continue;
    kept.append(signed_point(point));
    last = point;
  }
  std::u32string result;
  for (const char32_t point : points_of(apply(normalizers().nfc, kept)))
    if (!is_accent(point)) result.push_back(point);
  return result;
}

// The code points that `point` folds to, 0 for a separator.
std::u32string fold_point(char32_t point) {
  icu::UnicodeString text = apply(normalizers().nfkd, icu::UnicodeString(signed_point(point)));
  // Folding can make what decomposes, which can fold again; no code point needs a third round.
  for (int round = 0; round < 3; ++round)
    text = apply(normalizers().nfkd, icu::UnicodeString(text).foldCase(U_FOLD_CASE_DEFAULT));
  std::u32string result;
  for (const char32_t folded : without_accents(points_of(text))) {
    if (const std::u32string_view plain = plain_form(folded); !plain.empty())
      result.append(plain);
    else
      result.push_back(is_of_words(folded) ? folded : U'\0');
  }
  return result;
}

Fold make_fold(char32_t point, FoldPage& page) {
  Fold fold{.kind = FoldKind::kSeparator, .joins = 0, .point = 0};
  if (point >= 0xD800 && point <= 0xDFFF) return fold;
  const std::u32string folded = fold_point(point);
  const std::u32string composed =
      points_of(apply(normalizers().nfkc, icu::UnicodeString(signed_point(point))));
  if (folded.empty()) {
    fold.kind = FoldKind::kDrop;
  } else if (folded.size() > 1) {
    fold.kind = FoldKind::kExpand;
    fold.point = static_cast<std::uint32_t>(page.expansions.size()) & 0xFFFFFFFU;
    page.expansions.push_back(folded);
  } else if (folded[0] != 0) {
    fold.kind = FoldKind::kKeep;
    fold.point = folded[0] & 0xFFFFFFFU;
  }
  const bool may_combine =
      composed.size() == 1 &&
      u_getIntPropertyValue(signed_point(composed[0]), UCHAR_NFC_QUICK_CHECK) == UNORM_MAYBE;
  if (may_combine &&
      (makes_a_letter(composed[0]) || (fold.kind == FoldKind::kKeep && fold.point == composed[0]))) {
    fold.joins = 1;
    fold.point = composed[0] & 0xFFFFFFFU;
  }
  return fold;
}

std::unique_ptr<FoldPage> make_page(char32_t first) {
  auto page = std::make_unique<FoldPage>();
  for (std::uint32_t i = 0; i < 256; ++i) page->folds[i] = make_fold(first + i, *page);
  return page;
}

}  // namespace

const FoldPage& fold_page(char32_t point) {
  static std::array<std::atomic<const FoldPage*>, kPages> pages{};
  SLUICE_COSTLY_ASSERT(point < 0x110000, "decoded text has no code point above U+10FFFF");
  std::atomic<const FoldPage*>& slot = pages[point / 256];
  if (const FoldPage* page = slot.load(std::memory_order_acquire)) return *page;
  std::unique_ptr<FoldPage> made = make_page(point & ~char32_t{0xFF});
  const FoldPage* expected = nullptr;
  // Of two threads that make the same page, one wins and the other's is dropped.
  if (slot.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel)) return *made.release();
  return *expected;
}

char32_t compose(char32_t first, char32_t second) {
  const UChar32 composed = normalizers().nfc->composePair(signed_point(first), signed_point(second));
  return composed < 0 ? U'\0' : static_cast<char32_t>(composed);
}

}  // namespace sluice::text
