#include "sluice/base/text.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace sluice {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] =
          std::min({row[j] + 1, row[j - 1] + 1, diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

// How many bytes from the start are ASCII, in steps of a word: fewer than there are, by at most 7.
std::size_t ascii_words(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080'8080'8080'8080;
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof word);
    if ((word & kHighBits) != 0) break;
  }
  return at;
}

// The length of the well-formed UTF-8 sequence at the start of `text`, or 0 (RFC 3629: no surrogates, no
// overlong forms).
std::size_t sequence_length(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const auto continues = [&](std::size_t i, std::uint8_t low = 0x80, std::uint8_t high = 0xbf) {
    return i < text.size() && at(i) >= low && at(i) <= high;
  };
  const std::uint8_t lead = at(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return continues(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    const std::uint8_t low = lead == 0xe0 ? 0xa0 : 0x80;
    const std::uint8_t high = lead == 0xed ? 0x9f : 0xbf;
    return continues(1, low, high) && continues(2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const std::uint8_t low = lead == 0xf0 ? 0x90 : 0x80;
    const std::uint8_t high = lead == 0xf4 ? 0x8f : 0xbf;
    return continues(1, low, high) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

// Whether a well-formed sequence is one that a terminal or a reader acts upon instead of showing it: C0 and
// C1 controls, the soft hyphen, line and paragraph separators, zero-width and direction marks, the byte order
// mark, and the invisible tag characters (U+E0000 to U+E0FFF), which can spell out whole sentences.
bool is_control(std::string_view sequence) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(sequence[i]); };
  if (sequence.size() == 1) return at(0) < 0x20 || at(0) == 0x7f;
  if (sequence.size() == 2)
    return (at(0) == 0xc2 && (at(1) < 0xa0 || at(1) == 0xad)) || (at(0) == 0xd8 && at(1) == 0x9c);
  if (sequence.size() == 4) return at(0) == 0xf3 && at(1) == 0xa0;
  if (at(0) == 0xe2 && at(1) == 0x80)
    return (at(2) >= 0x8b && at(2) <= 0x8f) || (at(2) >= 0xa8 && at(2) <= 0xae);
  if (at(0) == 0xe2 && at(1) == 0x81) return at(2) >= 0xa0 && at(2) <= 0xaf;
  return sequence == "\xef\xbb\xbf";
}

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

std::string to_lower_ascii(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

std::string_view trim_spaces(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    text.remove_prefix(ascii_words(text));
    // Then sequences until ASCII may go on for a while: text in other scripts has one space in a word.
    for (int ascii = 0; ascii < 8 && !text.empty();) {
      const std::size_t length = sequence_length(text);
      if (length == 0) return false;
      ascii = length == 1 ? ascii + 1 : 0;
      text.remove_prefix(length);
    }
  }
  return true;
}

std::string excerpt(std::string_view text, std::size_t bytes_max) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const std::size_t taken = length == 0 ? 1 : length;
    if (out.size() + taken > bytes_max) {
      out += "…";
      return out;
    }
    if (length == 0) {
      out += '?';
    } else if (is_control(text.substr(0, length))) {
      out += ' ';
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(taken);
  }
  return out;
}

std::string encode_controls(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  while (!text.empty()) {
    const std::string_view sequence = text.substr(0, std::max<std::size_t>(1, sequence_length(text)));
    text.remove_prefix(sequence.size());
    if (!is_control(sequence)) {
      out += sequence;
      continue;
    }
    for (const char byte : sequence) {
      const auto value = static_cast<std::uint8_t>(byte);
      ((out += '%') += kDigits[value >> 4U]) += kDigits[value & 15U];
    }
  }
  return out;
}

std::string strip_controls(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const std::string_view sequence = text.substr(0, std::max<std::size_t>(1, length));
    text.remove_prefix(sequence.size());
    if (length == 0) {
      out += '?';
    } else if (sequence == "\n" || sequence == "\t" || !is_control(sequence)) {
      out += sequence;
    }
  }
  return out;
}

std::string nearest_name(std::string_view wrong, std::span<const std::string> candidates) {
  constexpr std::size_t kComparedBytesMax = 128;
  if (wrong.size() > kComparedBytesMax) return {};
  std::size_t best_distance = std::max<std::size_t>(2, wrong.size() / 3) + 1;
  std::string best;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kComparedBytesMax) continue;
    const std::size_t distance = edit_distance(wrong, candidate);
    if (distance >= std::max(wrong.size(), candidate.size())) continue;  // Nothing in common.
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace sluice
