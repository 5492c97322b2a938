#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"

#include "text_node.h"

namespace sluice::hosts {

// Of a text and of an inline table or array; looking for a key takes time proportional to them.
inline constexpr std::size_t kTomlNodesMax = 20'000;

// Of a key without quotes.
bool is_bare_key_character(char c);

// One part of a dotted key.
struct TomlKeyPart {
  std::string name;
  std::size_t begin = 0;
};

// Reads the parts of a TOML 1.0 text from front to back: keys, values, spaces, comments. Errors name the
// place.
class TomlScanner {
 public:
  explicit TomlScanner(std::string_view text);

  std::size_t offset() const { return at_; }
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool is_at_end() const { return at_ >= text_.size(); }
  bool take(std::string_view word);  // False, and nothing taken, if something else is next.
  Error fail(std::string_view what) const { return text_error(text_, at_, what); }
  Error fail_at(std::size_t offset, std::string_view what) const { return text_error(text_, offset, what); }

  void skip_blanks();                      // Spaces and tabs.
  bool take_newline();                     // "\n" or "\r\n".
  Status skip_comment();                   // Up to the end of the line, if one begins here.
  Status skip_blanks_comments_newlines();  // Between the values of an array and between statements.
  Result<std::vector<TomlKeyPart>> read_key();
  Result<TextNode> read_value();

 private:
  Result<std::string> read_key_part();
  Result<TextNode> read_array();
  Result<TextNode> read_inline_table();
  Status read_inline_member(TextNode& table);
  Status set_inline_member(TextNode& table, const std::vector<TomlKeyPart>& key, NodeMember member) const;
  Result<std::string> read_string();
  Result<std::string> read_basic_string(bool is_multiline);
  Result<std::string> read_literal_string(bool is_multiline);
  Status read_escape(std::string& value, bool is_multiline);
  Status read_unicode_escape(std::string& value, std::size_t digits);
  bool close_multiline(std::string_view quotes, std::string& value);
  Status take_character(std::string& value, bool is_multiline);

  std::string_view text_;  // The caller's, for as long as it reads.
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::size_t nodes_ = 0;
};

}  // namespace sluice::hosts
