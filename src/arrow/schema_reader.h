#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/type.h"

#include "flat_table.h"

namespace sluice::arrow {

// How the values of a field are stored. `kLarge…` has offsets of 64 bits, `…View` has views into buffers.
enum class Layout : std::uint8_t {
  kNull,
  kFixed,  // Cells of `bytes` bytes each.
  kBits,
  kText,
  kLargeText,
  kTextView,
  kFixedBinary,
  kList,
  kLargeList,
  kFixedList,
  kStruct,
  kMap,
};

// What has to be done to a value of a field of kFixed layout to make it one of the engine's.
enum class Change : std::uint8_t {
  kNone,
  kHalfFloat,
  kDecimal,  // From 128 bits to what the digits need.
  kMillisToDays,
  kToMicros,  // Multiplied by `factor`.
  kNanosToMicros,
  kWiden32ToMicros,  // Of 32 bits, multiplied by `factor`.
  kMonths,           // Intervals, by their parts.
  kDaysAndMillis,
  kMonthsDaysNanos,
  kLength,  // A duration: multiplied by `factor`, or divided where that is negative.
};

struct ArrowField {
  std::string name;
  engine::Type type;
  Layout layout = Layout::kNull;
  Change change = Change::kNone;
  std::size_t bytes = 0;  // Of a stored cell.
  std::int64_t factor = 1;
  std::vector<ArrowField> children;
  // Where values are numbers into a dictionary: which one, and how the numbers are stored.
  struct Dictionary {
    std::int64_t id = 0;
    std::size_t bytes = 4;
    bool is_signed = true;
  };
  std::optional<Dictionary> dictionary;
};

Result<std::vector<ArrowField>> read_schema(const FlatTable& schema);

}  // namespace sluice::arrow
