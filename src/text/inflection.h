#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "language.h"

namespace sluice::text {

// The languages whose rules a word may follow; chosen by its script.
enum class LanguageId : std::uint8_t { kArmenian, kCyrillic, kLatin, kTurkish, kGreek };
inline constexpr std::size_t kLanguages = 5;

const Language& language(LanguageId id);

// Turkish shares its script with languages that have other endings, so it takes a letter that only it has (ğ,
// ş, ı, İ; or Azerbaijani) in what was written. `raw` is not normalised.
enum class Turkish : std::uint8_t { kNo, kYes };
Turkish looks_turkish(std::string_view raw);

// The languages that may inflect `word`, which is normalised.
std::vector<LanguageId> languages_of(std::string_view word, Turkish turkish);

// How sure it is that a word is a form of the one that was asked for.
inline constexpr double kSameWord = 1.0;
inline constexpr double kClearForm = 0.95;
inline constexpr double kDoubtfulForm = 0.85;
inline constexpr double kAmbiguousForm = 0.7;
// Where the word that was asked for is itself taken for an inflected form.
inline constexpr double kClearCitation = 0.95;
inline constexpr double kDoubtfulCitation = 0.75;

struct Stem {
  std::string text;
  LanguageId language = LanguageId::kLatin;
  ParadigmSet paradigms = 0;
  double confidence = kSameWord;
};

struct WholeForm {
  std::string text;
  double confidence = kSameWord;
};

// All inflected forms of a word: those that are an ending of one of `paradigms` behind a stem, and `whole`
// ones.
struct Inflection {
  std::vector<Stem> stems;
  std::vector<WholeForm> whole;
};

Inflection inflect(std::string_view word, Turkish turkish);

}  // namespace sluice::text
