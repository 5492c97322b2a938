#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice::protocol {

// The value of Mcp-Name or Mcp-Param-*: plain visible ASCII, or =?base64?…?= around UTF-8. Nothing where the
// base64 or the characters are invalid.
std::optional<std::string> decode_header_value(std::string_view value);

// The other way round: base64 where the text would not survive as a header, or looks like the base64 form.
std::string encode_header_value(std::string_view text);

}  // namespace sluice::protocol
