#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sluice/base/result.h"

namespace sluice::query {

// What the encoding and the shape of a file are told by, and the rest of a character that ends there. A count
// and a reader that looked at beginnings of different lengths might not agree on the header.
inline constexpr std::size_t kBeginningBytes = (std::size_t{64} << 10U) + 4;

// The byte order mark of UTF-8.
inline constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";

// What a file of text is written in, and how that is known.
struct FileEncoding {
  std::string charset;        // As ICU names it; "UTF-8" where nothing is to be done.
  std::string_view known_by;  // "byte_order_mark", "configuration", "content".
};

// A byte order mark decides, then what the operator says, then the bytes themselves. A guess that is not good
// enough is refused: wrong characters would not look like an error.
Result<FileEncoding> encoding_of(std::string_view beginning, const std::string& configured);

}  // namespace sluice::query
