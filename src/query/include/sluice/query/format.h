#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::query {

// What a result is given as.
enum class Format : std::uint8_t { kJson, kCsv, kParquet, kArrow };
inline constexpr std::size_t kFormats = 4;

}  // namespace sluice::query
