#include "polars_lexer.h"

#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "sluice/base/text.h"

#include "polars_error.h"

namespace sluice::expression {

namespace {

// Longer ones first: "**" is not two "*".
constexpr std::array<std::string_view, 25> kSymbols = {"**", "//", "==", "!=", "<=", ">=", "+", "-", "*",
                                                       "/",  "%",  "<",  ">",  "&",  "|",  "~", "(", ")",
                                                       "[",  "]",  ",",  ".",  "=",  "^",  ":"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_name(char c) { return begins_name(c) || is_digit(c); }

// Whether 127 bits hold a number of these digits, which begin with none of zero.
bool is_wide_integer(std::string_view digits) {
  constexpr std::string_view kLargest = "170141183460469231731687303715884105727";
  return digits.size() < kLargest.size() || (digits.size() == kLargest.size() && digits <= kLargest);
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6));
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3F));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Result<std::vector<PolarsToken>> run() {
    std::vector<PolarsToken> tokens;
    while (true) {
      while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
        ++at_;
      if (at_ == text_.size()) break;
      SLUICE_TRY(PolarsToken token, next());
      tokens.push_back(std::move(token));
    }
    tokens.push_back(PolarsToken{.position = at_});
    return tokens;
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  Result<PolarsToken> next() {
    const char c = peek();
    if (c == '"' || c == '\'') return quoted(false);
    if ((c == 'r' || c == 'R') && (peek(1) == '"' || peek(1) == '\'')) {
      ++at_;
      return quoted(true);
    }
    if (begins_name(c)) return name();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    for (const std::string_view symbol : kSymbols) {
      if (!text_.substr(at_).starts_with(symbol)) continue;
      PolarsToken token{.kind = PolarsToken::Kind::kSymbol, .position = at_, .text = std::string(symbol)};
      at_ += symbol.size();
      return token;
    }
    return invalid_expression(at_, "unexpected character: " + excerpt(text_.substr(at_, 4)));
  }

  PolarsToken name() {
    PolarsToken token{.kind = PolarsToken::Kind::kName, .position = at_};
    while (continues_name(peek())) token.text += text_[at_++];
    return token;
  }

  // Digits with single underscores between them.
  std::string digits() {
    std::string out;
    while (is_digit(peek()) || (peek() == '_' && !out.empty() && is_digit(peek(1)))) {
      if (peek() != '_') out += peek();
      ++at_;
    }
    return out;
  }

  Result<PolarsToken> number() {
    PolarsToken token{.kind = PolarsToken::Kind::kInteger, .position = at_};
    std::string written = digits();
    if (peek() == '.' && !begins_name(peek(1))) {
      token.kind = PolarsToken::Kind::kFloat;
      ++at_;
      written += '.' + digits();
    }
    if (peek() == 'e' || peek() == 'E') {
      token.kind = PolarsToken::Kind::kFloat;
      ++at_;
      written += 'e';
      if (peek() == '+' || peek() == '-') written += text_[at_++];
      written += digits();
    }
    if (token.kind == PolarsToken::Kind::kInteger) written.erase(0, written.find_first_not_of('0'));
    if (written.empty()) written = "0";
    const char* end = written.data() + written.size();
    const std::from_chars_result result = token.kind == PolarsToken::Kind::kInteger
                                              ? std::from_chars(written.data(), end, token.integer)
                                              : std::from_chars(written.data(), end, token.number);
    if (result.ec == std::errc::result_out_of_range && token.kind == PolarsToken::Kind::kInteger &&
        is_wide_integer(written)) {
      token.kind = PolarsToken::Kind::kWideInteger;
      token.text = written;
    } else if (result.ec == std::errc::result_out_of_range) {
      return invalid_expression(token.position, "number out of range: " + written,
                                "Integers have at most 128 bits; write larger ones as 1e39.");
    }
    const bool is_read = result.ec == std::errc() || token.kind == PolarsToken::Kind::kWideInteger;
    if (!is_read || result.ptr != end || continues_name(peek())) {
      return invalid_expression(token.position, "not a number: " + written + peek());
    }
    return token;
  }

  Result<PolarsToken> quoted(bool is_raw) {
    PolarsToken token{.kind = PolarsToken::Kind::kText, .position = at_};
    const char mark = text_[at_++];
    if (peek() == mark && peek(1) == mark) {
      return invalid_expression(token.position, "text in three quotes", "Write text in one pair of quotes.");
    }
    while (true) {
      if (at_ == text_.size() || peek() == '\n') {
        return invalid_expression(token.position, "text that does not end", "Close the quotes.");
      }
      const char c = text_[at_++];
      if (c == mark) return token;
      if (c != '\\') {
        token.text += c;
      } else if (is_raw) {
        token.text += c;
        if (at_ < text_.size()) token.text += text_[at_++];
      } else {
        SLUICE_CHECK(escape(token.text));
      }
    }
  }

  Status escape(std::string& out) {
    constexpr std::string_view kPlain = "\\'\"abfnrtv";
    constexpr std::string_view kMeaning = "\\'\"\a\b\f\n\r\t\v";
    const std::size_t begin = at_ - 1;
    const char c = peek();
    ++at_;
    if (const std::size_t index = kPlain.find(c); c != '\0' && index != std::string_view::npos) {
      out += kMeaning[index];
      return {};
    }
    const std::size_t size = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    std::uint32_t code = 0;
    const std::string_view hex = at_ <= text_.size() ? text_.substr(at_, size) : std::string_view();
    const std::from_chars_result result = std::from_chars(hex.data(), hex.data() + hex.size(), code, 16);
    if (size == 0 || hex.size() != size || result.ec != std::errc() || result.ptr != hex.data() + size ||
        code == 0 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
      return invalid_expression(begin, "unknown escape in text",
                                "Write \\\\ for a backslash, or r\"…\" for a regular expression.");
    }
    at_ += size;
    append_utf8(out, code);
    return {};
  }

  const std::string_view text_;  // Alive while lex_polars runs.
  std::size_t at_ = 0;
};

}  // namespace

Result<std::vector<PolarsToken>> lex_polars(std::string_view text) { return Lexer(text).run(); }

}  // namespace sluice::expression
