#include "text_part.h"

#include <algorithm>

#include "sluice/base/utf8.h"

namespace sluice::gateway {
namespace {

constexpr std::uint64_t kBytesPerToken = 4;

std::size_t escaped_bytes(char c) {
  if (c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t' || c == '\b' || c == '\f') return 2;
  return static_cast<unsigned char>(c) < ' ' ? 6 : 1;
}

}  // namespace

std::size_t answer_bytes(const Budget& budget) {
  return static_cast<std::size_t>(std::min(budget.bytes, budget.tokens * kBytesPerToken));
}

std::size_t end_of_chars(std::string_view text, std::size_t chars) {
  return first_characters(text, chars).size();
}

bool has_more_chars(std::string_view text, std::size_t chars) {
  return end_of_chars(text, chars) < text.size();
}

std::size_t start_of_char(std::string_view text, std::size_t at) {
  at = std::min(at, text.size());
  while (at > 0 && at < text.size() && continues_character(text[at])) --at;
  return at;
}

std::size_t fitting_bytes(std::string_view text, std::size_t bytes) {
  return bytes >= text.size() ? text.size() : start_of_char(text, bytes);
}

std::size_t fitting_as_json(std::string_view text, std::size_t bytes) {
  std::size_t written = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    written += escaped_bytes(text[at]);
    if (written > bytes) return start_of_char(text, at);
  }
  return text.size();
}

}  // namespace sluice::gateway
