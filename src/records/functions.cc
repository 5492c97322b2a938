#include "sluice/records/functions.h"

#include <algorithm>
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

bool may_be_a_slip(std::string_view wanted, std::string_view word) {
  const std::size_t shorter = std::min(wanted.size(), word.size());
  const std::size_t longer = std::max(wanted.size(), word.size());
  // No block is longer than the shorter word, so the ratio cannot be more than this.
  return shorter >= kSlipBytesMin && longer <= kSlipBytesMax &&
         2.0 * static_cast<double>(shorter) >= kSlipRatioMin * static_cast<double>(shorter + longer);
}

double worth_of(std::string_view wanted, const std::vector<std::string_view>& words) {
  double best = 0;
  for (const std::string_view word : words) {
    if (word == wanted) return 1;
    if (word.starts_with(wanted)) {
      best = std::max(best, kBeginningWorth);
    } else if (best < kSlipWorth && may_be_a_slip(wanted, word)) {
      const double ratio = text::sequence_ratio(wanted, word);
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
    score += weight * worth_of(word, words);
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
