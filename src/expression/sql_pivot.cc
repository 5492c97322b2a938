#include "sql_pivot.h"

#include <algorithm>
#include <string>
#include <vector>

#include "sluice/base/text.h"

namespace sluice::expression {

namespace {

constexpr std::size_t kShownBytesMax = 80;

struct Token {
  std::string word;  // In lower case; "" for anything but a plain word.
  char mark = '\0';  // The first character.
  std::size_t begin = 0;
  std::size_t end = 0;
  int depth = 0;  // Brackets around it.
};

bool is_word_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80U) != 0;
}

// Where the token ends that begins at `at`. Comments are skipped by the caller.
std::size_t end_of(std::string_view sql, std::size_t at) {
  std::size_t end = at + 1;
  if (is_word_part(sql[at])) {
    while (end < sql.size() && is_word_part(sql[end])) ++end;
  } else if (sql[at] == '\'' || sql[at] == '"') {
    end = std::min(sql.size(), sql.find(sql[at], at + 1));
    end = std::min(sql.size(), end + 1);
  }
  return end;
}

std::size_t skip_blanks(std::string_view sql, std::size_t at) {
  while (at < sql.size()) {
    if (sql.substr(at).starts_with("--")) {
      at = std::min(sql.size(), sql.find('\n', at));
    } else if (sql.substr(at).starts_with("/*")) {
      const std::size_t end = sql.find("*/", at + 2);
      at = end == std::string_view::npos ? sql.size() : end + 2;
    } else if (static_cast<unsigned char>(sql[at]) <= ' ') {
      ++at;
    } else {
      break;
    }
  }
  return at;
}

std::vector<Token> tokens_of(std::string_view sql) {
  std::vector<Token> out;
  int depth = 0;
  for (std::size_t at = skip_blanks(sql, 0); at < sql.size(); at = skip_blanks(sql, out.back().end)) {
    const char c = sql[at];
    if (c == ')' || c == ']' || c == '}') --depth;
    Token token{.word = {}, .mark = c, .begin = at, .end = end_of(sql, at), .depth = depth};
    if (is_word_part(c)) token.word = to_lower_ascii(sql.substr(at, token.end - at));
    if (c == '(' || c == '[' || c == '{') ++depth;
    out.push_back(std::move(token));
  }
  return out;
}

bool ends_pivot(const Token& token, int depth) {
  return token.depth < depth || token.mark == ';' || token.word == "using" || token.word == "group" ||
         token.word == "order" || token.word == "limit";
}

}  // namespace

std::optional<Error> pivot_without_values(std::string_view sql) {
  const std::vector<Token> tokens = tokens_of(sql);
  const auto pivot = std::find_if(tokens.begin(), tokens.end(), [](const Token& token) {
    return token.word == "pivot" || token.word == "pivot_wider";
  });
  if (pivot == tokens.end()) return std::nullopt;
  const int depth = pivot->depth;
  const auto on = std::find_if(pivot, tokens.end(), [depth](const Token& token) {
    return token.depth == depth && token.word == "on";
  });
  const auto needs_values = [](const std::string& hint) {
    return invalid_input("PIVOT needs the values that become columns")
        .with_code("pivot_needs_values")
        .with_hint(hint);
  };
  const std::string hint_begin = "Write ON column IN ('a', 'b') with the values that ";
  if (on == tokens.end() || on == pivot + 1 || on + 1 == tokens.end())
    return needs_values(hint_begin + "SELECT DISTINCT column FROM table lists.");
  // The first of several columns without an IN list.
  auto begin = on + 1;
  auto end = begin;
  bool has_values = false;
  for (; end != tokens.end() && !ends_pivot(*end, depth); ++end) {
    if (end->depth != depth) continue;
    if (end->word == "in") has_values = true;
    if (end->mark != ',') continue;
    if (!has_values) break;
    begin = end + 1;
    has_values = false;
  }
  if (begin == end) return needs_values(hint_begin + "SELECT DISTINCT column FROM table lists.");
  const std::string_view column = sql.substr(begin->begin, (end - 1)->end - begin->begin);
  const std::string_view table = sql.substr((pivot + 1)->begin, (on - 1)->end - (pivot + 1)->begin);
  return needs_values(hint_begin + "this lists: SELECT DISTINCT " + excerpt(column, kShownBytesMax) +
                      " FROM " + excerpt(table, kShownBytesMax) + " ORDER BY 1");
}

}  // namespace sluice::expression
