#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice::exports {

// Bytes `begin` to `end`, without the latter.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

enum class RangeKind : std::uint8_t {
  kWhole,          // There is no range, or none that is understood: the whole file is the answer.
  kPart,           // One range, which lies within the file.
  kUnsatisfiable,  // It begins behind the end of the file.
};
struct RequestedRange {
  RangeKind kind = RangeKind::kWhole;
  ByteRange bytes;
};

// What the header Range asks of a file of that length (RFC 9110, section 14). Several ranges are answered
// with the whole file, as the standard allows.
RequestedRange read_range(std::string_view header, std::uint64_t length);

}  // namespace sluice::exports
