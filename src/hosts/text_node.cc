#include "text_node.h"

#include <algorithm>

#include <fmt/format.h>

#include "sluice/base/text.h"

namespace sluice::hosts {

namespace {

bool is_continuation_byte(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

char byte_of(unsigned value) { return static_cast<char>(static_cast<unsigned char>(value)); }

}  // namespace

std::size_t first_invalid_utf8(std::string_view text) {
  if (is_valid_utf8(text)) return text.size();
  std::size_t at = 0;
  while (true) {  // Ends: some character is invalid, and each step leaves one behind.
    std::size_t end = at + 1;
    while (end < text.size() && is_continuation_byte(text[end])) ++end;
    if (!is_valid_utf8(text.substr(at, end - at))) return at;
    at = end;
  }
}

void append_scalar(std::string& text, unsigned scalar) {
  if (scalar < 0x80U) {
    text += byte_of(scalar);
    return;
  }
  if (scalar < 0x800U) {
    text += byte_of(0xC0U | (scalar >> 6U));
  } else {
    if (scalar < 0x10000U) {
      text += byte_of(0xE0U | (scalar >> 12U));
    } else {
      text += byte_of(0xF0U | (scalar >> 18U));
      text += byte_of(0x80U | ((scalar >> 12U) & 0x3FU));
    }
    text += byte_of(0x80U | ((scalar >> 6U) & 0x3FU));
  }
  text += byte_of(0x80U | (scalar & 0x3FU));
}

const NodeMember* find_member(const TextNode& table, std::string_view key) {
  const auto found = std::find_if(table.members.begin(), table.members.end(),
                                  [key](const NodeMember& member) { return member.key == key; });
  return found == table.members.end() ? nullptr : &*found;
}

NodeMember* find_member(TextNode& table, std::string_view key) {
  return const_cast<NodeMember*>(find_member(static_cast<const TextNode&>(table), key));
}

std::string apply_edits(std::string_view text, std::vector<TextEdit> edits) {
  std::stable_sort(edits.begin(), edits.end(),
                   [](const TextEdit& a, const TextEdit& b) { return a.span.begin < b.span.begin; });
  std::string result;
  std::size_t copied = 0;
  for (const TextEdit& edit : edits) {
    result.append(text.substr(copied, edit.span.begin - copied)).append(edit.replacement);
    copied = edit.span.end;
  }
  return result.append(text.substr(copied));
}

std::string place_in_text(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  std::string_view last_line = before.substr(line_begin(text, offset));
  if (line == 1 && last_line.starts_with(kByteOrderMark)) last_line.remove_prefix(kByteOrderMark.size());
  const auto characters =
      std::count_if(last_line.begin(), last_line.end(), [](char c) { return !is_continuation_byte(c); });
  return fmt::format("line {}, column {}", line, characters + 1);
}

Error text_error(std::string_view text, std::size_t offset, std::string_view what) {
  return invalid_input(fmt::format("{}: {}", place_in_text(text, offset), what))
      .with_code("host_file_invalid");
}

std::string_view line_ending(std::string_view text) {
  const std::size_t newline = text.find('\n');
  const bool has_return = newline != std::string_view::npos && newline > 0 && text[newline - 1] == '\r';
  return has_return ? "\r\n" : "\n";
}

std::size_t line_begin(std::string_view text, std::size_t offset) {
  if (offset == 0) return 0;
  const std::size_t newline = text.rfind('\n', offset - 1);
  return newline == std::string_view::npos ? 0 : newline + 1;
}

std::size_t line_end(std::string_view text, std::size_t offset) {
  const std::size_t newline = text.find('\n', offset);
  if (newline == std::string_view::npos) return text.size();
  return newline > offset && text[newline - 1] == '\r' ? newline - 1 : newline;
}

std::string_view indentation(std::string_view text, std::size_t offset) {
  const std::string_view line = text.substr(line_begin(text, offset));
  const std::size_t end = line.find_first_not_of(" \t");
  return line.substr(0, end == std::string_view::npos ? line.size() : end);
}

}  // namespace sluice::hosts
