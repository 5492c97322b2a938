#include "sluice/records/functions.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "sluice/text/letter_case.h"
#include "sluice/text/normalize.h"
#include "sluice/text/sequence_ratio.h"

namespace sluice::records {

namespace {

constexpr std::size_t kQueryWordsMax = 32;
constexpr std::size_t kTextWordsMax = 2'000;
constexpr std::size_t kTextBytesMax = std::size_t{64} << 10U;
constexpr std::size_t kSlipBytesMin = 4;   // In shorter words a slip makes another word,
constexpr std::size_t kSlipBytesMax = 64;  // and longer ones are no words.
constexpr double kSlipRatioMin = 0.75;
constexpr double kBeginningWorth = 0.9;
constexpr double kSlipWorth = 0.9;

// Normalised text has one space between words.
std::vector<std::string_view> words_of(std::string_view normalized, std::size_t words_max) {
  std::vector<std::string_view> out;
  while (!normalized.empty() && out.size() < words_max) {
    const std::size_t end = normalized.find(' ');
    out.push_back(normalized.substr(0, end));
    if (end == std::string_view::npos) break;
    normalized.remove_prefix(end + 1);
  }
  return out;
}

// A word that is looked for, with how often it has each byte.
struct SearchedWord {
  explicit SearchedWord(std::string_view text) : word(text) {
    for (const char c : text) ++counts[static_cast<unsigned char>(c)];
  }
  std::string_view word;  // Of the normalised query, which outlives this.
  std::array<std::uint16_t, 256> counts{};
};

bool reaches_slip_ratio(std::size_t matches, std::size_t both) {
  return 2.0 * static_cast<double>(matches) >= kSlipRatioMin * static_cast<double>(both);
}

// Whether the ratio of two words can be large enough. Cheap, as nearly all pairs of words are not alike:
// blocks have no more letters than the shorter word, and no letter more often than both words.
bool may_be_a_slip(const SearchedWord& wanted, std::string_view word) {
  const std::size_t shorter = std::min(wanted.word.size(), word.size());
  const std::size_t both = wanted.word.size() + word.size();
  if (shorter < kSlipBytesMin || both - shorter > kSlipBytesMax || !reaches_slip_ratio(shorter, both))
    return false;
  std::array<std::uint16_t, 256> left = wanted.counts;
  std::size_t common = 0;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) return true;  // Letters are not bytes.
    if (left[byte] == 0) continue;
    --left[byte];
    ++common;
  }
  return reaches_slip_ratio(common, both);
}

double worth_of(const SearchedWord& wanted, const std::vector<std::string_view>& words) {
  double best = 0;
  for (const std::string_view word : words) {
    if (word == wanted.word) return 1;
    if (word.starts_with(wanted.word)) {
      best = std::max(best, kBeginningWorth);
    } else if (best < kSlipWorth && may_be_a_slip(wanted, word)) {
      const double ratio = text::sequence_ratio(wanted.word, word);
      if (ratio >= kSlipRatioMin) best = std::max(best, kSlipWorth * ratio);
    }
  }
  return best;
}

double search_score(std::string_view query, std::string_view text) {
  const std::string wanted = text::normalize(query.substr(0, kTextBytesMax));
  const std::string found = text::normalize(text.substr(0, kTextBytesMax));
  if (wanted.empty() || found.empty()) return 0;
  if ((" " + found + " ").find(" " + wanted + " ") != std::string::npos) return 1;
  const std::vector<std::string_view> words = words_of(found, kTextWordsMax);
  double score = 0;
  double whole = 0;
  for (const std::string_view word : words_of(wanted, kQueryWordsMax)) {
    const auto weight = static_cast<double>(word.size());
    whole += weight;
    score += weight * worth_of(SearchedWord(word), words);
  }
  return score / whole;
}

double fuzzy_ratio(std::string_view query, std::string_view value) {
  return text::sequence_ratio(text::to_lower(query), text::to_lower(value));
}

}  // namespace

std::vector<engine::TextPairFunction> engine_functions() {
  return {{.name = "fuzzy_ratio", .apply = fuzzy_ratio}, {.name = "search_score", .apply = search_score}};
}

}  // namespace sluice::records
