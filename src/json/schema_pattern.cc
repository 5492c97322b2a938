#include "schema_pattern.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

#include "schema_program.h"

namespace sluice::json {
namespace {

Error backtracking(std::string_view construct, std::string_view source) {
  return invalid_input(fmt::format("{} is not supported in patterns, which run in linear time: {}", construct,
                                   excerpt(source)));
}

// The name of a set of characters as RE2 has it. ECMA-262 also knows long names and "Script=Greek".
std::string_view short_property(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kNames{{
      {"Letter", "L"},
      {"Uppercase_Letter", "Lu"},
      {"Lowercase_Letter", "Ll"},
      {"Titlecase_Letter", "Lt"},
      {"Modifier_Letter", "Lm"},
      {"Other_Letter", "Lo"},
      {"Mark", "M"},
      {"Number", "N"},
      {"Decimal_Number", "Nd"},
      {"digit", "Nd"},
      {"Punctuation", "P"},
      {"punct", "P"},
      {"Symbol", "S"},
      {"Separator", "Z"},
  }};
  if (const std::size_t equals = name.find('='); equals != std::string_view::npos)
    name.remove_prefix(equals + 1);
  for (const auto& [known, short_name] : kNames) {
    if (known == name) return short_name;
  }
  return name;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Rewrites ECMA-262 syntax to RE2's where the two differ.
class PatternTranslator {
 public:
  explicit PatternTranslator(std::string_view source) : source_(source), rest_(source) {}

  Result<std::string> run() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '\\') {
        SLUICE_CHECK(escape());
      } else if (c == '(' && !in_class_) {
        SLUICE_CHECK(group());
      } else if (c == '[') {
        open_bracket();
      } else {
        if (c == ']') in_class_ = false;
        copy(1);
      }
    }
    return std::move(out_);
  }

 private:
  void copy(std::size_t count) { replace(count, rest_.substr(0, count)); }

  void replace(std::size_t count, std::string_view text) {
    out_ += text;
    rest_.remove_prefix(std::min(count, rest_.size()));
  }

  void open_bracket() {
    if (in_class_) return replace(1, "\\[");  // RE2 would read "[[:alpha:]]" as a POSIX class.
    // A class of nothing and its opposite: RE2 takes the bracket for a member.
    if (rest_.starts_with("[]")) return replace(2, "[^\\x00-\\x{10FFFF}]");
    if (rest_.starts_with("[^]")) return replace(3, "[\\x00-\\x{10FFFF}]");
    in_class_ = true;
    copy(rest_.starts_with("[^") ? 2 : 1);
  }

  Status group() {
    if (rest_.starts_with("(?=") || rest_.starts_with("(?!")) return backtracking("lookahead", source_);
    if (rest_.starts_with("(?<=") || rest_.starts_with("(?<!")) return backtracking("lookbehind", source_);
    if (rest_.starts_with("(?<")) {
      replace(3, "(?P<");
    } else {
      copy(1);
    }
    return {};
  }

  Status escape() {
    const char c = rest_.size() > 1 ? rest_[1] : '\0';
    if (c == 'u') return unicode_escape();
    if ((c == 'p' || c == 'P') && rest_.substr(2).starts_with('{')) return property_escape();
    if (!in_class_ && ((c >= '1' && c <= '9') || c == 'k')) return backtracking("a backreference", source_);
    if (c == 'c' && rest_.size() > 2 && is_letter(rest_[2])) {
      replace(3, fmt::format("\\x{:02x}", static_cast<unsigned>(rest_[2]) & 0x1fU));
      return {};
    }
    if (c == '0') {
      replace(2, "\\x00");
      return {};
    }
    if (c == 'b' && in_class_) {  // A backspace there, a word boundary elsewhere.
      replace(2, "\\x08");
      return {};
    }
    // RE2 gives some letters a meaning that ECMA-262 does not: \A, \z, \C, \Q.
    constexpr std::string_view kLetters = "dDwWsSbBtnrfvxpP";
    if (is_letter(c) && kLetters.find(c) == std::string_view::npos) {
      return invalid_input(fmt::format("\\{} is no escape of ECMA-262: {}", c, excerpt(source_)));
    }
    copy(2);
    return {};
  }

  Status property_escape() {
    const std::size_t end = rest_.find('}');
    if (end == std::string_view::npos) return invalid_input(fmt::format("missing }}: {}", excerpt(source_)));
    const std::string_view name = rest_.substr(3, end - 3);
    replace(end + 1, fmt::format("\\{}{{{}}}", rest_[1], short_property(name)));
    return {};
  }

  // The code unit of "\uXXXX" at the front of `text`.
  static std::optional<std::uint32_t> code_unit(std::string_view text) {
    if (!text.starts_with("\\u") || text.size() < 6) return std::nullopt;
    std::uint32_t unit = 0;
    const auto parsed = std::from_chars(text.data() + 2, text.data() + 6, unit, 16);
    if (parsed.ec != std::errc{} || parsed.ptr != text.data() + 6) return std::nullopt;
    return unit;
  }

  Status unicode_escape() {
    if (rest_.starts_with("\\u{")) {
      replace(2, "\\x");
      return {};
    }
    const std::optional<std::uint32_t> unit = code_unit(rest_);
    if (!unit) return invalid_input(fmt::format("\\u needs four hexadecimal digits: {}", excerpt(source_)));
    const std::optional<std::uint32_t> second = code_unit(rest_.substr(6));
    if (*unit >= 0xd800 && *unit <= 0xdbff && second && *second >= 0xdc00 && *second <= 0xdfff) {
      replace(12, fmt::format("\\x{{{:x}}}", 0x10000 + ((*unit - 0xd800) << 10) + (*second - 0xdc00)));
      return {};
    }
    replace(6, fmt::format("\\x{{{:x}}}", *unit));
    return {};
  }

  std::string_view source_;  // Both are kept alive by the caller of compile_pattern.
  std::string_view rest_;
  std::string out_;
  bool in_class_ = false;
};

}  // namespace

bool SchemaPattern::matches(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *regex);
}

Result<SchemaPattern> compile_pattern(std::string_view source) {
  if (source.size() > kSchemaPatternBytesMax)
    return limit_reached("bytes in a pattern", kSchemaPatternBytesMax);
  SLUICE_TRY(const std::string translated, PatternTranslator(source).run());
  re2::RE2::Options options;
  options.set_max_mem(kSchemaPatternMemoryBytesMax);
  options.set_log_errors(false);
  options.set_never_capture(true);
  auto regex = std::make_unique<const re2::RE2>(translated, options);
  if (!regex->ok()) return invalid_input(fmt::format("{}: {}", excerpt(regex->error()), excerpt(source)));
  return SchemaPattern{.source = std::string(source), .regex = std::move(regex)};
}

}  // namespace sluice::json
