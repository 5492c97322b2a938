#pragma once

#include <cstddef>
#include <string_view>

#include "sluice/base/limits.h"
#include "sluice/base/result.h"
#include "sluice/fs/file.h"
#include "sluice/inspection/byte_stream.h"

namespace sluice::inspection {

// The engine's recursion takes stack for each level and ends the process at some 10,000. Real documents have
// fewer than 20. An answer nests the values in its envelope, and has to stay readable for whoever bounds the
// levels of a message as this program does.
inline constexpr std::size_t kJsonLevelsMax = 50;
static_assert(kJsonLevelsMax + 8 <= kJsonDepthMax);

// Measures how deep objects and arrays are nested in JSON, or in lines of JSON, that arrives in pieces.
// A reader may begin at any line of the text, so a line end always ends a string: JSON has none within
// strings.
class JsonNesting {
 public:
  // Returns false as soon as there are more than `kJsonLevelsMax` levels.
  bool feed(std::string_view piece);
  std::size_t levels() const { return levels_; }  // The deepest so far.
  std::size_t depth() const { return depth_; }    // Here.
  bool is_in_string() const { return is_in_string_; }

 private:
  std::size_t depth_ = 0;
  std::size_t levels_ = 0;
  bool is_in_string_ = false;
  bool is_escaped_ = false;
};

// Reads the whole file. Fails with `nesting_too_deep`, or if it cannot be decompressed.
Status check_json_nesting(const fs::File& file, Compression compression, const ReadLimits& limits);

}  // namespace sluice::inspection
