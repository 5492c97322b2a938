#include "inflection.h"

#include <algorithm>

#include "utf8.h"

namespace sluice::text {
namespace {

constexpr std::size_t kStemLettersMin = 2;
constexpr std::size_t kRestoredLettersMin = 3;

struct Citation {
  std::string word;
  double confidence = kSameWord;
};

bool has_digit(std::string_view word) {
  return std::any_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool fits(const Paradigm& paradigm, std::string_view stem) {
  return paradigm.fits == nullptr || paradigm.fits(stem);
}

// The words that `word` may be a form of, itself first.
std::vector<Citation> citations(const Language& language, std::string_view word) {
  std::vector<Citation> result{{.word = std::string(word)}};
  const auto add = [&](std::string candidate, double confidence) {
    const auto same = [&](const Citation& known) { return known.word == candidate; };
    const auto known = std::find_if(result.begin(), result.end(), same);
    if (known == result.end())
      result.push_back({.word = std::move(candidate), .confidence = confidence});
    else
      known->confidence = std::max(known->confidence, confidence);
  };
  for (const auto& lemma : language.irregular)
    if (std::find(lemma.begin() + 1, lemma.end(), word) != lemma.end())
      add(std::string(lemma.front()), kClearCitation);
  const auto paradigms = language.endings.paradigms();
  language.endings.for_each(word, [&](std::string_view stem, const Ending& ending) {
    for (std::size_t i = 0; i < paradigms.size(); ++i) {
      const ParadigmSet bit = ParadigmSet{1} << i;
      if ((ending.restores & bit) == 0 || (ending.citation & bit) != 0 || !fits(paradigms[i], stem)) continue;
      std::string candidate(stem);
      candidate.append(language.endings.citation_ending(i));
      if (language.restorations != nullptr)
        for (std::string& restored : language.restorations(candidate))
          add(std::move(restored), kDoubtfulCitation);
      if (letters(candidate) < kRestoredLettersMin) continue;
      add(std::move(candidate), (ending.restores_clearly & bit) != 0 ? kClearCitation : kDoubtfulCitation);
    }
  });
  return result;
}

void add_forms(LanguageId id, const Citation& citation, Inflection& inflection) {
  const Language& rules = language(id);
  inflection.whole.push_back({.text = citation.word, .confidence = citation.confidence});
  for (const auto& lemma : rules.irregular) {
    if (lemma.front() != citation.word) continue;
    for (std::size_t i = 1; i < lemma.size(); ++i)
      inflection.whole.push_back(
          {.text = std::string(lemma[i]), .confidence = citation.confidence * kClearForm});
  }
  const auto add_stem = [&](std::string_view stem, ParadigmSet paradigms) {
    if (paradigms == 0 || letters(stem) < kStemLettersMin) return;
    inflection.stems.push_back({.text = std::string(stem),
                                .language = id,
                                .paradigms = paradigms,
                                .confidence = citation.confidence});
  };
  const auto paradigms = rules.endings.paradigms();
  rules.endings.for_each(citation.word, [&](std::string_view stem, const Ending& ending) {
    ParadigmSet fitting = 0;
    for (std::size_t i = 0; i < paradigms.size(); ++i) {
      const ParadigmSet bit = ParadigmSet{1} << i;
      if ((ending.citation & bit) != 0 && fits(paradigms[i], stem)) fitting |= bit;
    }
    add_stem(stem, fitting);
  });
  if (rules.alternations == nullptr) return;
  for (const Alternation& other : rules.alternations(citation.word)) add_stem(other.stem, other.paradigms);
}

}  // namespace

const Language& language(LanguageId id) {
  switch (id) {
    case LanguageId::kArmenian:
      return armenian();
    case LanguageId::kCyrillic:
      return cyrillic();
    case LanguageId::kTurkish:
      return turkish();
    case LanguageId::kGreek:
      return greek();
    case LanguageId::kLatin:
      break;
  }
  return latin();
}

Turkish looks_turkish(std::string_view raw) {
  for (std::size_t i = 0; i + 1 < raw.size(); ++i) {
    const auto lead = static_cast<unsigned char>(raw[i]);
    if (lead != 0xC4 && lead != 0xC5) continue;
    const auto next = static_cast<unsigned char>(raw[i + 1]);
    const bool breve_g_or_s = next == 0x9E || next == 0x9F;  // Ğ ğ behind C4, Ş ş behind C5.
    const bool dotless_i = lead == 0xC4 && (next == 0xB0 || next == 0xB1);
    if (breve_g_or_s || dotless_i) return Turkish::kYes;
  }
  return Turkish::kNo;
}

std::vector<LanguageId> languages_of(std::string_view word, Turkish turkish) {
  if (word.size() < 2 || has_digit(word)) return {};
  const auto first = static_cast<unsigned char>(word[0]);
  if (first == 0xD5 || first == 0xD6) return {LanguageId::kArmenian};
  if (first == 0xD0 || first == 0xD1) return {LanguageId::kCyrillic};
  if (first == 0xCE || first == 0xCF) return {LanguageId::kGreek};
  if (first < 'a' || first > 'z') return {};
  if (turkish == Turkish::kYes) return {LanguageId::kLatin, LanguageId::kTurkish};
  return {LanguageId::kLatin};
}

Inflection inflect(std::string_view word, Turkish turkish) {
  Inflection inflection;
  inflection.whole.push_back({.text = std::string(word)});
  for (const LanguageId id : languages_of(word, Turkish::kYes)) {
    // A value may show that it is Turkish where the pattern does not; but then the pattern is taken as it is.
    if (id == LanguageId::kTurkish && turkish == Turkish::kNo) {
      add_forms(id, {.word = std::string(word)}, inflection);
      continue;
    }
    for (const Citation& citation : citations(language(id), word)) add_forms(id, citation, inflection);
  }
  return inflection;
}

}  // namespace sluice::text
