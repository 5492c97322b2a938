#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::text {

inline std::string repeated(std::string_view piece, std::size_t times) {
  std::string text;
  text.reserve(piece.size() * times);
  for (std::size_t i = 0; i < times; ++i) text += piece;
  return text;
}

}  // namespace sluice::text
