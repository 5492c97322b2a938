#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"

namespace sluice::text {

struct Encoding {
  std::string charset;    // A name that `to_utf8` takes, e.g. "UTF-8", "UTF-16LE", "windows-1251".
  double confidence = 0;  // 1 for a byte order mark and for valid UTF-8; else how sure statistics are.

  friend bool operator==(const Encoding&, const Encoding&) = default;
};

// What `bytes` are most likely written in. Where nothing is known about them: "ISO-8859-1" with confidence 0,
// in which every byte is a character. Looks at the first 64 KiB. Any thread.
Encoding detect_encoding(std::string_view bytes);

// What statistics say of bytes that are neither marked nor UTF-8, the likeliest first. They err on short
// texts, and their confidences say little beyond an order.
std::vector<Encoding> encoding_candidates(std::string_view bytes);

// `bytes` as UTF-8, without a byte order mark. What has no meaning in `charset` becomes U+FFFD. Fails with
// the code "unknown_charset" where nobody knows the name. Any thread.
Result<std::string> to_utf8(std::string_view bytes, std::string_view charset);

}  // namespace sluice::text
