#include "lean/token_estimate.h"

#include <algorithm>

namespace sluice::datasets::lean {

namespace {

constexpr std::uint64_t kLetters = 6;     // Of a word that is one token; longer ones are several.
constexpr std::uint64_t kDigits = 3;      // Tokenizers split numbers into groups of three digits.
constexpr std::uint64_t kOtherBytes = 2;  // Of text in other scripts.

enum class Run : std::uint8_t { kSpace, kLetter, kDigit, kOther, kSign };

Run run_of(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (c == ' ') return Run::kSpace;
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return Run::kLetter;
  if (c >= '0' && c <= '9') return Run::kDigit;
  return byte >= 0x80 ? Run::kOther : Run::kSign;
}

std::uint64_t parts(std::uint64_t length, std::uint64_t size) { return (length + size - 1) / size; }

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

// Words are split where capitals begin or end, as in xqZkWv.
std::uint64_t letter_tokens(std::string_view letters) {
  std::uint64_t changes = 1;
  for (std::size_t i = 2; i < letters.size(); ++i) {
    if (is_upper(letters[i]) != is_upper(letters[i - 1])) ++changes;
  }
  return std::max(parts(letters.size(), kLetters), changes);
}

// Scripts that are rare in what tokenizers have learned, and signs beyond the basic plane, have several
// tokens for a character.
std::uint64_t other_tokens(std::string_view text) {
  const auto is_rare = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == 0xE1 || byte >= 0xF0;
  };
  const auto rare = static_cast<std::uint64_t>(std::count_if(text.begin(), text.end(), is_rare));
  return parts(text.size(), kOtherBytes) + rare;
}

}  // namespace

std::uint64_t estimate_tokens(std::string_view text) {
  std::uint64_t tokens = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const Run run = run_of(text[begin]);
    std::size_t end = begin + 1;
    while (end < text.size() && run_of(text[end]) == run) ++end;
    const std::uint64_t length = end - begin;
    switch (run) {
      case Run::kSpace:
        // One space belongs to the word behind it; a number has a token of its own for it.
        if (length > 1 || end == text.size() || run_of(text[end]) == Run::kDigit) ++tokens;
        break;
      case Run::kLetter:
        tokens += letter_tokens(text.substr(begin, length));
        break;
      case Run::kDigit:
        tokens += parts(length, kDigits);
        break;
      case Run::kOther:
        tokens += other_tokens(text.substr(begin, length));
        break;
      case Run::kSign:
        tokens += parts(length, 2);
        break;
    }
    begin = end;
  }
  return tokens;
}

}  // namespace sluice::datasets::lean
