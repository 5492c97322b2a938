#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/error.h"

namespace sluice::hosts {

// A part of a text, as offsets of its bytes.
struct TextSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
};

enum class NodeKind : std::uint8_t { kString, kArray, kTable, kOther };

struct NodeMember;

// A key with its value in a TOML inline table: `name` is the first part of a dotted key.
struct InlinePart {
  std::string name;
  TextSpan span;
};

// A value of a configuration file together with where it stands. Only the values that a reader was asked to
// keep have contents.
struct TextNode {
  NodeKind kind = NodeKind::kOther;
  TextSpan span;
  std::string string;               // Of a string, decoded.
  std::vector<TextNode> items;      // Of an array.
  std::vector<NodeMember> members;  // Of a table.
  // Of a JSON object or a TOML inline table: where its last token before the closing bracket ends, comments
  // included.
  std::size_t last_token_end = 0;
  bool has_trailing_comma = false;
  // TOML only. An inline value cannot be extended by later lines; an explicit table not be defined again.
  bool is_inline = false;
  bool is_explicit = false;
  bool is_table_array = false;  // [[name]]: the tables are in `items`.
  std::vector<InlinePart> parts;
};

// A key with its value. The comma and the token before are of JSON objects.
struct NodeMember {
  std::string key;
  std::size_t key_begin = 0;   // Of the whole key, such as a.b."c".
  std::size_t stem_begin = 0;  // Of its last part.
  std::size_t previous_token_end = 0;
  std::size_t comma_end = 0;  // After the comma that follows the value; 0 if none does.
  TextNode value;
};

const NodeMember* find_member(const TextNode& table, std::string_view key);
NodeMember* find_member(TextNode& table, std::string_view key);

// Replaces a part of a text. The edits of one text must not overlap.
struct TextEdit {
  TextSpan span;
  std::string replacement;
};
std::string apply_edits(std::string_view text, std::vector<TextEdit> edits);

// "line 3, column 14", counted from 1, columns in characters.
std::string place_in_text(std::string_view text, std::size_t offset);

// kInvalidInput, code `host_file_invalid`: what is wrong, and where.
Error text_error(std::string_view text, std::size_t offset, std::string_view what);

// The line ending that the first line of a text has; "\n" if it has none.
std::string_view line_ending(std::string_view text);

// Where the line of `offset` begins, and where its end (before its line ending) is.
std::size_t line_begin(std::string_view text, std::size_t offset);
std::size_t line_end(std::string_view text, std::size_t offset);

// The spaces and tabs at the beginning of the line of `offset`.
std::string_view indentation(std::string_view text, std::size_t offset);

// Where the first bytes are that are not UTF-8; the size of the text if it has none.
std::size_t first_invalid_utf8(std::string_view text);

// Appends a Unicode scalar value as UTF-8.
void append_scalar(std::string& text, unsigned scalar);

inline constexpr std::size_t kTextDepthMax = 100;
inline constexpr std::size_t kTextNodesMax = 200'000;  // Kept with their places, some 200 bytes each.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace sluice::hosts
