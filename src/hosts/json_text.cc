#include "json_text.h"

#include <array>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/json/value.h"

namespace sluice::hosts {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<unsigned> hexadecimal_digit(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

enum class Keep : bool { kNothing, kContents };

constexpr std::array<std::string_view, 3> kWords = {"true", "false", "null"};

class JsonTextReader {
 public:
  JsonTextReader(std::string_view text, JsonDialect dialect, std::string_view kept)
      : text_(text), dialect_(dialect), kept_(kept) {
    if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
    token_end_ = at_;
  }

  Result<TextNode> read() {
    SLUICE_CHECK(skip_space());
    if (next() != '{') return fail("an object ({ … }) was expected");
    SLUICE_TRY(TextNode root, read_object(Keep::kNothing, true));
    SLUICE_CHECK(skip_space());
    if (at_ != text_.size()) return fail("nothing was expected after the object");
    return root;
  }

 private:
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool is_at_end() const { return at_ >= text_.size(); }
  Error fail(std::string_view what) const { return text_error(text_, at_, what); }

  // Moves to the next token, and remembers where the last one ended: a comment is one.
  Status skip_space() {
    while (!is_at_end()) {
      const char c = next();
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        ++at_;
        continue;
      }
      const std::string_view two = text_.substr(at_, 2);
      if (two != "//" && two != "/*") return {};
      if (dialect_ == JsonDialect::kStrict) return fail("this host accepts no comments");
      std::size_t end = 0;
      if (two == "//") {
        end = line_end(text_, at_);
      } else {
        end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) return fail("the comment has no end");
        end += 2;
      }
      at_ = end;
      token_end_ = end;
    }
    return {};
  }

  void take() {
    ++at_;
    token_end_ = at_;
  }

  Result<TextNode> read_value(Keep keep) {
    if (depth_ >= kTextDepthMax) return fail(fmt::format("more than {} levels", kTextDepthMax));
    if (keep == Keep::kContents && ++nodes_ > kTextNodesMax)
      return fail(fmt::format("more than {} values", kTextNodesMax));
    switch (next()) {
      case '{':
        return read_object(keep, false);
      case '[':
        return read_array(keep);
      case '"':
        return read_string_node(keep);
      default:
        return read_scalar();
    }
  }

  Result<TextNode> read_string_node(Keep keep) {
    TextNode node{.kind = NodeKind::kString};
    node.span.begin = at_;
    SLUICE_TRY(std::string value, read_string());
    node.span.end = at_;
    if (keep == Keep::kContents) node.string = std::move(value);
    return node;
  }

  Result<TextNode> read_array(Keep keep) {
    TextNode node{.kind = NodeKind::kArray};
    node.span.begin = at_;
    take();
    ++depth_;
    for (bool is_first = true;; is_first = false) {
      SLUICE_CHECK(skip_space());
      if (next() == ']' && (is_first || dialect_ == JsonDialect::kWithComments)) break;
      SLUICE_TRY(TextNode item, read_value(keep));
      if (keep == Keep::kContents) node.items.push_back(std::move(item));
      SLUICE_CHECK(skip_space());
      if (next() == ']') break;
      if (next() != ',') return fail("a comma or ] was expected");
      take();
    }
    --depth_;
    take();
    node.span.end = at_;
    return node;
  }

  // The members of the root are always kept, those of others only if asked for.
  Result<TextNode> read_object(Keep keep, bool is_root) {
    TextNode node{.kind = NodeKind::kTable};
    node.span.begin = at_;
    take();
    ++depth_;
    for (bool is_first = true;; is_first = false) {
      SLUICE_CHECK(skip_space());
      if (next() == '}' && (is_first || dialect_ == JsonDialect::kWithComments)) {
        node.has_trailing_comma = !is_first;
        break;
      }
      SLUICE_TRY(NodeMember member, read_member(keep, is_root));
      SLUICE_CHECK(skip_space());
      const bool has_comma = next() == ',';
      if (has_comma) {
        take();
        member.comma_end = at_;
      }
      if (is_root || keep == Keep::kContents) node.members.push_back(std::move(member));
      if (has_comma) continue;
      if (next() == '}') break;
      return fail("a comma or } was expected");
    }
    --depth_;
    node.last_token_end = token_end_;
    take();
    node.span.end = at_;
    return node;
  }

  Result<NodeMember> read_member(Keep keep, bool of_root) {
    NodeMember member{
        .key_begin = at_, .stem_begin = at_, .previous_token_end = token_end_, .comma_end = 0, .value = {}};
    if (next() != '"') return fail("a key in double quotes was expected");
    if (of_root && ++nodes_ > kTextNodesMax) return fail(fmt::format("more than {} values", kTextNodesMax));
    SLUICE_TRY(member.key, read_string());
    SLUICE_CHECK(skip_space());
    if (next() != ':') return fail("a colon was expected");
    take();
    SLUICE_CHECK(skip_space());
    if (of_root && member.key == kept_) keep = Keep::kContents;
    SLUICE_TRY(member.value, read_value(keep));
    return member;
  }

  Result<std::string> read_string() {
    std::string value;
    take();
    while (true) {
      if (is_at_end()) return fail("the string has no end");
      const char c = next();
      if (static_cast<unsigned char>(c) < 0x20U) return fail("a control character in a string");
      if (c == '"') break;
      if (c == '\\') {
        SLUICE_CHECK(read_escape(value));
      } else {
        value += c;
        ++at_;
      }
    }
    take();
    return value;
  }

  Status read_escape(std::string& value) {
    constexpr std::array<std::pair<char, char>, 8> kEscapes = {{{'"', '"'},
                                                                {'\\', '\\'},
                                                                {'/', '/'},
                                                                {'b', '\b'},
                                                                {'f', '\f'},
                                                                {'n', '\n'},
                                                                {'r', '\r'},
                                                                {'t', '\t'}}};
    const char letter = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (letter == 'u') return read_unicode_escape(value);
    for (const auto& [name, meaning] : kEscapes) {
      if (letter != name) continue;
      value += meaning;
      at_ += 2;
      return {};
    }
    return fail("an unknown escape in a string");
  }

  std::optional<unsigned> escaped_unit(std::size_t at) const {
    if (text_.substr(at, 2) != "\\u" || at + 6 > text_.size()) return std::nullopt;
    unsigned unit = 0;
    for (std::size_t i = at + 2; i < at + 6; ++i) {
      const std::optional<unsigned> digit = hexadecimal_digit(text_[i]);
      if (!digit) return std::nullopt;
      unit = unit * 16 + *digit;
    }
    return unit;
  }

  Status read_unicode_escape(std::string& value) {
    const std::optional<unsigned> unit = escaped_unit(at_);
    if (!unit) return fail("\\u needs four hexadecimal digits");
    at_ += 6;
    unsigned scalar = *unit;
    if (scalar >= 0xD800U && scalar < 0xDC00U) {
      const std::optional<unsigned> low = escaped_unit(at_);
      if (low && *low >= 0xDC00U && *low < 0xE000U) {
        scalar = 0x10000U + ((scalar - 0xD800U) << 10U) + (*low - 0xDC00U);
        at_ += 6;
      }
    }
    append_scalar(value, scalar >= 0xD800U && scalar < 0xE000U ? 0xFFFDU : scalar);
    return {};
  }

  Result<TextNode> read_scalar() {
    TextNode node;
    node.span.begin = at_;
    for (const std::string_view word : kWords) {
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      break;
    }
    if (at_ == node.span.begin) SLUICE_CHECK(read_number());
    token_end_ = at_;
    node.span.end = at_;
    return node;
  }

  void read_digits() {
    while (is_digit(next())) ++at_;
  }

  Status read_number() {
    if (next() == '-') ++at_;
    if (!is_digit(next())) return fail("a value was expected");
    if (next() == '0') {
      ++at_;
    } else {
      read_digits();
    }
    if (next() == '.') {
      ++at_;
      if (!is_digit(next())) return fail("a digit was expected");
      read_digits();
    }
    if (next() != 'e' && next() != 'E') return {};
    ++at_;
    if (next() == '+' || next() == '-') ++at_;
    if (!is_digit(next())) return fail("a digit was expected");
    read_digits();
    return {};
  }

  std::string_view text_;  // The caller's, for as long as it reads.
  JsonDialect dialect_;
  std::string_view kept_;
  std::size_t at_ = 0;
  std::size_t token_end_ = 0;
  std::size_t depth_ = 0;
  std::size_t nodes_ = 0;
};

}  // namespace

Result<TextNode> read_json_text(std::string_view text, JsonDialect dialect, std::string_view kept) {
  if (const std::size_t bad = first_invalid_utf8(text); bad < text.size())
    return text_error(text, bad, "bytes that are not UTF-8");
  return JsonTextReader(text, dialect, kept).read();
}

std::string json_string(std::string_view text) { return json::to_text(json::Value(text)); }

}  // namespace sluice::hosts
