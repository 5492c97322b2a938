#include "sql_text.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"

#include "sql_growth.h"
#include "sql_node.h"

namespace sluice::expression {

namespace {

bool begins_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80U) != 0;
}
bool continues_word(char c) { return begins_word(c) || (c >= '0' && c <= '9'); }

// Counts words; a bracket or a CASE that is open has a count of its own.
class WordCount {
 public:
  WordCount() : open_(1) {}

  void open_bracket() { open_.push_back({}); }
  void open_case() { open_.push_back({.is_case = true}); }
  void when() {
    Frame& top = open_.back();
    if (!top.is_case) return;
    if (top.whens++ == 0) std::swap(top.operand, top.words);
  }
  void end() {
    if (open_.back().is_case) close();
  }
  void close_bracket() {
    while (open_.back().is_case) close();
    if (open_.size() > 1) close();
  }
  void word() { open_.back().words = add_capped(open_.back().words, 1); }
  std::uint64_t total() {
    while (open_.size() > 1) close();
    return open_.front().words;
  }

 private:
  struct Frame {
    bool is_case = false;
    std::uint64_t words = 0;
    std::uint64_t operand = 0;  // Of a CASE: the words before its first WHEN.
    std::uint64_t whens = 0;
  };

  void close() {
    const Frame frame = open_.back();
    open_.pop_back();
    const std::uint64_t copied = multiply_capped(frame.operand, std::max<std::uint64_t>(1, frame.whens));
    open_.back().words = add_capped(open_.back().words, add_capped(frame.words, copied));
  }

  std::vector<Frame> open_;  // The first is the text itself; it is never a CASE and never closed.
};

class Scan {
 public:
  Scan(std::string_view text, const SqlParameters& parameters) : text_(text), parameters_(parameters) {}

  Status run() {
    while (at_ < text_.size()) SLUICE_CHECK(next());
    const std::uint64_t words = count_.total();
    if (words > kSqlNodesMax) return too_large("with the operand of CASE written out for each WHEN");
    // The parser writes the definition of a window out for each OVER that names it.
    if (windows_ > 0 && multiply_capped(words, overs_ + 1) > kSqlNodesMax)
      return too_large("with its named windows written out for each OVER");
    return {};
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  Status next() {
    const char c = peek();
    if (c == '-' && peek(1) == '-') {
      at_ = std::min(text_.size(), text_.find_first_of("\r\n", at_));
      return {};
    }
    if (c == '/' && peek(1) == '*') return comment();
    if (c == '$') return placeholder();
    if (begins_word(c)) return word();
    count_.word();
    if (c == '\'' || c == '"') {
      quoted(c, false);
    } else {
      ++at_;
      if (c == '(' || c == '[' || c == '{') count_.open_bracket();
      if (c == ')' || c == ']' || c == '}') count_.close_bracket();
    }
    if (c > ' ') keeps_name_ = c == '.';
    return {};
  }

  Status comment() {
    const std::size_t end = text_.find("*/", at_ + 2);
    const std::size_t inner = text_.find("/*", at_ + 2);
    if (inner < end) return refused("a comment inside a comment");
    at_ = end == std::string_view::npos ? text_.size() : end + 2;
    return {};
  }

  void quoted(char mark, bool has_escapes) {
    for (++at_; at_ < text_.size(); ++at_) {
      if (has_escapes && peek() == '\\') {
        ++at_;
      } else if (peek() == mark) {
        if (peek(1) != mark) break;
        ++at_;
      }
    }
    at_ = std::min(text_.size(), at_ + 1);
  }

  Status placeholder() {
    if (parameters_.empty()) return refused("the character $; write the value itself, in quotes");
    const std::size_t begin = ++at_;
    while (continues_word(peek())) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (peek() == '$') return refused("text between dollar signs; write it in quotes");
    if (!parameters_.contains(name)) return refused(fmt::format("${}, which is no parameter", name));
    count_.word();
    keeps_name_ = false;
    return {};
  }

  Status word() {
    const std::size_t begin = at_;
    while (continues_word(peek())) ++at_;
    const std::string word = to_lower_ascii(text_.substr(begin, at_ - begin));
    count_.word();
    if (word == "e" && peek() == '\'') quoted('\'', true);
    const bool is_name = keeps_name_;  // Behind "." and AS every word is a name.
    keeps_name_ = !is_name && word == "as";
    if (is_name) return {};
    if (word == "case") count_.open_case();
    if (word == "when") count_.when();
    if (word == "end") count_.end();
    if (word == "over") ++overs_;
    if (word == "window" && ++windows_ > 1)
      return refused("a second WINDOW clause; write the windows out behind OVER");
    return {};
  }

  const std::string_view text_;      // Alive while check_sql_text runs.
  const SqlParameters& parameters_;  // Alive while check_sql_text runs.
  std::size_t at_ = 0;
  bool keeps_name_ = false;
  WordCount count_;
  std::uint64_t overs_ = 0;
  std::uint64_t windows_ = 0;
};

}  // namespace

Status check_sql_text(std::string_view sql, const SqlParameters& parameters) {
  if (sql.size() > kExpressionBytesMax) return too_large("more than 16 KiB");
  if (sql.find('\0') != std::string_view::npos) return refused("the character U+0000");
  if (!is_valid_utf8(sql)) return refused("text that is not UTF-8");
  return Scan(sql, parameters).run();
}

}  // namespace sluice::expression
