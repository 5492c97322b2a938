#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

// What a fuzz target claims. It aborts in every build: a property that only holds with assertions on is no
// property.
inline void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", property);
  std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// The input cut at its first newline: two texts from one.
inline std::pair<std::string_view, std::string_view> two_texts(std::string_view input) {
  const std::size_t newline = input.find('\n');
  if (newline == std::string_view::npos) return {input, {}};
  return {input.substr(0, newline), input.substr(newline + 1)};
}
