#include "lean/value_text.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/base/utf8.h"
#include "sluice/engine/sql.h"
#include "sluice/render/cell.h"

namespace sluice::datasets::lean {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Control characters of ASCII, and those of Latin-1, which are two bytes in UTF-8.
bool is_control(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x20 || byte == 0x7F) return true;
  return byte == 0xC2 && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xA0;
}

bool has_control(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_control(text, i)) return true;
  }
  return false;
}

// Whether a text is clear without quotes, with a comma or a count behind it.
bool is_clear(std::string_view text) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ' || text.front() == '#') return false;
  if (text.find_first_of(",;'\"\\") != std::string_view::npos) return false;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i - 1] == ' ' && is_digit(text[i])) return false;
  }
  return true;
}

// With escapes, as in E'two\nlines'.
std::string escaped(std::string_view text) {
  std::string out = "E'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\'' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace

std::string value_text(const engine::Column& column, std::size_t row, std::size_t bytes_max) {
  std::string whole;
  render::append_text(whole, column, row, render::Digits::kBrief);
  const engine::TypeId type = column.type->id;
  if (type != engine::TypeId::kText && type != engine::TypeId::kEnum) return excerpt(whole, bytes_max);
  const std::string_view text = first_bytes(whole, bytes_max);
  const bool is_cut = text.size() < whole.size();
  if (has_control(text)) return escaped(text) + (is_cut ? "…" : "");
  if (is_clear(text) && !is_cut) return std::string(text);
  return engine::quote_text(text) + (is_cut ? "…" : "");
}

}  // namespace sluice::datasets::lean
