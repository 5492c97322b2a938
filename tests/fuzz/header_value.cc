// Any text survives as a header value.
#include "sluice/protocol/wire/header_value.h"

#include "sluice/base/text.h"

#include "property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace protocol = sluice::protocol;
  const std::string_view text = text_of(data, size);
  if (const std::optional<std::string> decoded = protocol::decode_header_value(text)) {
    require(sluice::is_valid_utf8(*decoded), "a header value is UTF-8");
  }
  if (!sluice::is_valid_utf8(text)) return 0;
  const std::string encoded = protocol::encode_header_value(text);
  for (const char c : encoded)
    require((c >= 0x20 && c <= 0x7e) || c == '\t', "an encoded value is visible ASCII");
  require(protocol::decode_header_value(encoded) == text, "encoding has an inverse");
  return 0;
}
