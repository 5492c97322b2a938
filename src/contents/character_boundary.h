#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sluice::contents {

// So many bytes before a place tell where the character around it begins.
inline constexpr std::size_t kLookBackBytes = 3;

// The beginning of the character that the byte at `at` is a part of; `at` itself where the bytes are not
// what `charset` says, or the charset is one whose characters cannot be told apart from the middle. `bytes`
// stand at `offset` of their file. Looks back at most kLookBackBytes.
std::size_t character_start(std::string_view bytes, std::size_t at, std::string_view charset,
                            std::uint64_t offset);

}  // namespace sluice::contents
