#include "lean/token_estimate.h"

#include <algorithm>
#include <array>

#include "lean/whole_words.h"

namespace sluice::datasets::lean {

namespace {

constexpr std::size_t kDigits = 3;            // Numbers are split into groups of so many digits.
constexpr std::size_t kSigns = 2;             // Signs that are one token together.
constexpr std::size_t kWordLetters = 16;      // Longer words are looked up in no list.
constexpr std::size_t kUppercaseLetters = 3;  // Of an abbreviation, in a token.

std::uint64_t pieces_of(std::size_t length, std::size_t size) { return (length + size - 1) / size; }

// Splits text as tokenizers do before they look for tokens: digits; letters with one sign or blank before
// them; signs with a blank before and line breaks behind them; blanks. Counts the tokens of each piece.
class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  std::uint64_t tokens() {
    while (at_ < text_.size()) take_piece();
    return pieces_of(half_tokens_, 2);
  }

 private:
  static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
  static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
  static bool is_letter(char c) { return is_lower(c) || is_upper(c); }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_line_break(char c) { return c == '\n' || c == '\r'; }
  static bool is_space(char c) { return c == ' ' || c == '\t' || is_line_break(c); }
  static bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }
  static bool is_sign(char c) { return is_ascii(c) && !is_letter(c) && !is_digit(c) && !is_space(c); }

  void take_piece() {
    const char c = text_[at_];
    if (is_digit(c)) {
      half_tokens_ += 2 * pieces_of(take_while(is_digit), kDigits);
    } else if (is_letter(c)) {
      take_word('\0');
    } else if (!is_ascii(c)) {
      take_other_scripts();
    } else if (is_before_letter() && !is_line_break(c)) {
      ++at_;
      take_word(c);
    } else if (is_space(c)) {
      take_blanks();
    } else {
      take_signs();
    }
  }

  bool is_before_letter() const { return at_ + 1 < text_.size() && is_letter(text_[at_ + 1]); }

  template <typename Is>
  std::size_t take_while(Is is) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is(text_[at_])) ++at_;
    return at_ - begin;
  }

  // Capitals and the small letters behind them; `before` is the sign or blank that belongs to the word.
  void take_word(char before) {
    const std::size_t begin = at_;
    const std::size_t capitals = take_while(is_upper);
    take_while(is_lower);
    const std::string_view word = text_.substr(begin, at_ - begin);
    const WholeWord known = capitals <= 1 ? find_word(word) : WholeWord::kNo;
    half_tokens_ += 2 * (known == WholeWord::kNo ? word_tokens(word.size(), capitals) : 1);
    const bool joins_signs = known == WholeWord::kWhole && capitals == 0;
    const bool is_joined =
        before == '\0' || before == ' ' || (joins_signs && (before == '_' || before == '.' || before == '-'));
    if (!is_joined) half_tokens_ += 2;
  }

  static WholeWord find_word(std::string_view word) {
    if (word.size() == 1) return WholeWord::kWhole;
    std::array<char, kWordLetters> lower{};
    if (word.size() > lower.size()) return WholeWord::kNo;
    std::transform(word.begin(), word.end(), lower.begin(),
                   [](char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; });
    return whole_word({lower.data(), word.size()});
  }

  // Of a word that is not known. Five letters are mostly one token; abbreviations are cut oftener.
  static std::uint64_t word_tokens(std::size_t letters, std::size_t capitals) {
    constexpr std::size_t kLetters = 6;
    if (capitals <= 1) return letters <= 4 ? 1 : pieces_of(letters + 1, kLetters);
    if (letters <= 2) return 1;
    return std::max<std::uint64_t>(2, pieces_of(letters, kUppercaseLetters));
  }

  // By the first byte of each character, in halves of a token.
  void take_other_scripts() {
    for (; at_ < text_.size() && !is_ascii(text_[at_]); ++at_) {
      const auto byte = static_cast<unsigned char>(text_[at_]);
      if (byte < 0xC0) continue;  // A further byte of the character.
      const auto next = at_ + 1 < text_.size() ? static_cast<unsigned char>(text_[at_ + 1]) : 0;
      const bool is_georgian = byte == 0xE1 && (next == 0x82 || next == 0x83);
      if (byte >= 0xF0 || (byte == 0xE1 && !is_georgian)) {
        half_tokens_ += 4;  // Emoji, and scripts that tokenizers have hardly seen.
      } else if ((byte >= 0xCE && byte <= 0xDF) || byte == 0xE0 || is_georgian) {
        half_tokens_ += 1;  // Greek, Cyrillic, Armenian, Hebrew, Arabic; those of India; Thai.
      } else {
        half_tokens_ += 2;  // Latin with accents, punctuation, Chinese, Japanese, Korean.
      }
    }
  }

  // The last blank belongs to what follows, unless that is a number.
  void take_blanks() {
    const std::size_t count = take_while(is_space);
    const bool joins_next = at_ < text_.size() && text_[at_ - 1] == ' ' && !is_digit(text_[at_]);
    if (count > 1 || !joins_next) half_tokens_ += 2;
    if (joins_next && is_letter(text_[at_])) --at_;  // The blank before a word.
  }

  void take_signs() {
    half_tokens_ += 2 * pieces_of(take_while(is_sign), kSigns);
    take_while(is_line_break);
  }

  const std::string_view text_;  // The caller's.
  std::size_t at_ = 0;
  std::uint64_t half_tokens_ = 0;
};

}  // namespace

std::uint64_t estimate_tokens(std::string_view text) { return Splitter(text).tokens(); }

}  // namespace sluice::datasets::lean
