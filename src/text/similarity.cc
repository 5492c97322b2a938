#include "sluice/text/similarity.h"

#include <algorithm>
#include <string>
#include <vector>

#include "sluice/base/limits.h"
#include "sluice/text/normalize.h"

#include "segment.h"
#include "utf8.h"

namespace sluice::text {
namespace {

std::size_t edit_distance(const std::u32string& a, const std::u32string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

double ratio(std::string_view a, std::string_view b) {
  const std::u32string left = decode_letters(a, kSimilarityLettersMax);
  const std::u32string right = decode_letters(b, kSimilarityLettersMax);
  const std::size_t longer = std::max(left.size(), right.size());
  if (longer == 0) return 1;
  return 1 - static_cast<double>(edit_distance(left, right)) / static_cast<double>(longer);
}

std::string in_alphabetical_order(std::string_view normalized) {
  std::vector<std::string_view> parts;
  for_each_word(normalized, [&](std::string_view word) { parts.push_back(word); });
  std::sort(parts.begin(), parts.end());
  std::string text;
  for (const std::string_view part : parts) text.append(text.empty() ? "" : " ").append(part);
  return text;
}

}  // namespace

double similarity(std::string_view a, std::string_view b) {
  // A letter takes four bytes at most and normalising drops no more than accents; the rest is not compared.
  constexpr std::size_t kBytesMax = 16 * kSimilarityLettersMax;
  const std::string left = normalize(a.substr(0, kBytesMax));
  const std::string right = normalize(b.substr(0, kBytesMax));
  if (left == right) return 1;
  return std::max(ratio(left, right), ratio(in_alphabetical_order(left), in_alphabetical_order(right)));
}

}  // namespace sluice::text
