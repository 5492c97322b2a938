#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::arrow {

inline constexpr std::size_t kArrowColumnsMax = 50'000;
inline constexpr std::size_t kArrowLevelsMax = 50;  // Of nested types.
inline constexpr std::uint64_t kArrowMessagesMax = 1'000'000;
// The description of one message, or of the whole file.
inline constexpr std::uint64_t kArrowMetadataBytesMax = std::uint64_t{64} << 20U;
// Of one batch of rows, when what is read of it is unpacked; and of all dictionaries together.
inline constexpr std::uint64_t kArrowBatchBytesMax = std::uint64_t{1} << 30U;
inline constexpr std::uint64_t kArrowBatchRowsMax = std::uint64_t{64} << 20U;

}  // namespace sluice::arrow
