#include "sluice/base/utf8.h"

#include <algorithm>

namespace sluice {

std::size_t count_characters(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues_character));
}

std::string_view first_bytes(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  while (end > 0 && continues_character(text[end])) --end;
  return text.substr(0, end);
}

std::string_view first_characters(std::string_view text, std::size_t characters_max) {
  if (text.size() <= characters_max) return text;
  std::size_t seen = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!continues_character(text[at]) && ++seen > characters_max) return text.substr(0, at);
  }
  return text;
}

}  // namespace sluice
