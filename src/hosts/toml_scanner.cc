#include "toml_scanner.h"

#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "toml_scalar.h"

namespace sluice::hosts {

namespace {

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20U && c != '\t') || byte == 0x7FU;
}

std::optional<unsigned> hexadecimal_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

}  // namespace

bool is_bare_key_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

TomlScanner::TomlScanner(std::string_view text) : text_(text) {
  if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
}

bool TomlScanner::take(std::string_view word) {
  if (text_.substr(at_, word.size()) != word) return false;
  at_ += word.size();
  return true;
}

void TomlScanner::skip_blanks() {
  while (next() == ' ' || next() == '\t') ++at_;
}

bool TomlScanner::take_newline() { return take("\n") || take("\r\n"); }

Status TomlScanner::skip_comment() {
  if (next() != '#') return {};
  const std::size_t end = line_end(text_, at_);
  for (; at_ < end; ++at_) {
    if (is_control(next())) return fail("a control character in a comment");
  }
  return {};
}

Status TomlScanner::skip_blanks_comments_newlines() {
  while (true) {
    skip_blanks();
    SLUICE_CHECK(skip_comment());
    if (!take_newline()) return {};
  }
}

Result<std::string> TomlScanner::read_key_part() {
  if (take("\"")) return read_basic_string(false);
  if (take("'")) return read_literal_string(false);
  const std::size_t begin = at_;
  while (is_bare_key_character(next())) ++at_;
  if (at_ == begin) return fail("a key was expected");
  return std::string(text_.substr(begin, at_ - begin));
}

Result<std::vector<TomlKeyPart>> TomlScanner::read_key() {
  std::vector<TomlKeyPart> key;
  while (true) {
    skip_blanks();
    if (key.size() >= kTextDepthMax) return fail(fmt::format("more than {} levels", kTextDepthMax));
    TomlKeyPart part{.name = {}, .begin = at_};
    SLUICE_TRY(part.name, read_key_part());
    key.push_back(std::move(part));
    const std::size_t end = at_;
    skip_blanks();
    if (take(".")) continue;
    at_ = end;
    return key;
  }
}

Result<TextNode> TomlScanner::read_value() {
  if (depth_ >= kTextDepthMax) return fail(fmt::format("more than {} levels", kTextDepthMax));
  if (++nodes_ > kTomlNodesMax) return fail(fmt::format("more than {} values", kTomlNodesMax));
  if (next() == '[') return read_array();
  if (next() == '{') return read_inline_table();
  TextNode node;
  node.span.begin = at_;
  if (next() == '"' || next() == '\'') {
    node.kind = NodeKind::kString;
    SLUICE_TRY(node.string, read_string());
  } else {
    const std::size_t size = toml_scalar_size(text_.substr(at_));
    if (size == 0) return fail("a value was expected");
    at_ += size;
  }
  node.span.end = at_;
  return node;
}

Result<TextNode> TomlScanner::read_array() {
  TextNode node{.kind = NodeKind::kArray};
  node.is_inline = true;
  node.span.begin = at_++;
  ++depth_;
  while (true) {
    SLUICE_CHECK(skip_blanks_comments_newlines());
    if (take("]")) break;
    SLUICE_TRY(TextNode item, read_value());
    node.items.push_back(std::move(item));
    SLUICE_CHECK(skip_blanks_comments_newlines());
    if (take("]")) break;
    if (!take(",")) return fail("a comma or ] was expected");
  }
  --depth_;
  node.span.end = at_;
  return node;
}

Result<TextNode> TomlScanner::read_inline_table() {
  TextNode node{.kind = NodeKind::kTable};
  node.is_inline = true;
  node.span.begin = at_++;
  node.last_token_end = at_;
  ++depth_;
  skip_blanks();
  if (!take("}")) {
    while (true) {
      SLUICE_CHECK(read_inline_member(node));
      node.last_token_end = at_;
      skip_blanks();
      if (take("}")) break;
      if (!take(",")) return fail("a comma or } was expected");
      skip_blanks();
    }
  }
  --depth_;
  node.span.end = at_;
  return node;
}

Status TomlScanner::read_inline_member(TextNode& table) {
  const std::size_t begin = at_;
  SLUICE_TRY(const std::vector<TomlKeyPart> key, read_key());
  skip_blanks();
  if (!take("=")) return fail("= was expected");
  skip_blanks();
  NodeMember member{.key = key.back().name, .key_begin = begin, .stem_begin = key.back().begin, .value = {}};
  SLUICE_TRY(member.value, read_value());
  table.parts.push_back({.name = key.front().name, .span = {begin, at_}});
  return set_inline_member(table, key, std::move(member));
}

Status TomlScanner::set_inline_member(TextNode& table, const std::vector<TomlKeyPart>& key,
                                      NodeMember member) const {
  TextNode* into = &table;
  for (std::size_t i = 0; i + 1 < key.size(); ++i) {
    NodeMember* found = find_member(*into, key[i].name);
    if (found == nullptr) {
      into->members.push_back(
          {.key = key[i].name, .key_begin = key[i].begin, .stem_begin = key[i].begin, .value = {}});
      found = &into->members.back();
      found->value.kind = NodeKind::kTable;
    } else if (found->value.kind != NodeKind::kTable || found->value.is_inline) {
      return fail_at(key[i].begin, "the key has a value already");
    }
    into = &found->value;
  }
  if (find_member(*into, member.key) != nullptr) return fail_at(key.back().begin, "the key is there twice");
  into->members.push_back(std::move(member));
  return {};
}

Result<std::string> TomlScanner::read_string() {
  if (take("\"\"\"")) return read_basic_string(true);
  if (take("'''")) return read_literal_string(true);
  if (take("\"")) return read_basic_string(false);
  take("'");
  return read_literal_string(false);
}

// Up to two quotes may stand directly before the closing three.
bool TomlScanner::close_multiline(std::string_view quotes, std::string& value) {
  if (!take(quotes)) return false;
  for (int i = 0; i < 2 && next() == quotes.front(); ++i, ++at_) value += quotes.front();
  return true;
}

Status TomlScanner::take_character(std::string& value, bool is_multiline) {
  if (is_at_end()) return fail("the string has no end");
  const std::size_t begin = at_;
  if (is_multiline && take_newline()) {
    value += text_.substr(begin, at_ - begin);
    return {};
  }
  if (next() == '\n' || (next() == '\r' && !is_multiline)) return fail("the string has no end");
  if (is_control(next())) return fail("a control character in a string");
  value += text_[at_++];
  return {};
}

Result<std::string> TomlScanner::read_basic_string(bool is_multiline) {
  std::string value;
  if (is_multiline) take_newline();
  while (true) {
    if (is_multiline ? close_multiline("\"\"\"", value) : take("\"")) return value;
    if (next() == '\\') {
      SLUICE_CHECK(read_escape(value, is_multiline));
    } else {
      SLUICE_CHECK(take_character(value, is_multiline));
    }
  }
}

Result<std::string> TomlScanner::read_literal_string(bool is_multiline) {
  std::string value;
  if (is_multiline) take_newline();
  while (true) {
    if (is_multiline ? close_multiline("'''", value) : take("'")) return value;
    SLUICE_CHECK(take_character(value, is_multiline));
  }
}

Status TomlScanner::read_escape(std::string& value, bool is_multiline) {
  constexpr std::array<std::pair<char, char>, 7> kEscapes = {
      {{'"', '"'}, {'\\', '\\'}, {'b', '\b'}, {'f', '\f'}, {'n', '\n'}, {'r', '\r'}, {'t', '\t'}}};
  const std::size_t begin = at_++;
  if (take("u")) return read_unicode_escape(value, 4);
  if (take("U")) return read_unicode_escape(value, 8);
  for (const auto& [name, meaning] : kEscapes) {
    if (next() != name) continue;
    value += meaning;
    ++at_;
    return {};
  }
  if (is_multiline) {
    // A backslash at the end of a line takes the spaces up to the next character with it.
    skip_blanks();
    if (take_newline()) {
      do skip_blanks();
      while (take_newline());
      return {};
    }
  }
  return fail_at(begin, "an unknown escape in a string");
}

Status TomlScanner::read_unicode_escape(std::string& value, std::size_t digits) {
  unsigned scalar = 0;
  for (std::size_t i = 0; i < digits; ++i, ++at_) {
    const std::optional<unsigned> digit = hexadecimal_value(next());
    if (!digit) return fail(fmt::format("the escape needs {} hexadecimal digits", digits));
    scalar = scalar * 16 + *digit;
  }
  if (scalar > 0x10FFFFU || (scalar >= 0xD800U && scalar < 0xE000U))
    return fail("the escape is not a character");
  append_scalar(value, scalar);
  return {};
}

}  // namespace sluice::hosts
