// A URI is kept as it came; percent-encoding has an inverse.
#include "sluice/base/uri.h"

#include "property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  if (const sluice::Result<sluice::ResourceUri> uri = sluice::ResourceUri::parse(text)) {
    require(uri->text() == text, "a URI is kept as it came");
    require(!uri->scheme().empty() && text.starts_with(uri->scheme()), "a URI has a scheme");
    require(text.find_first_of(" \t\r\n\"<>") == std::string_view::npos, "a URI has no spaces or quotes");
  }
  const sluice::Result<std::string> decoded = sluice::percent_decode(sluice::percent_encode(text));
  require(decoded.ok() && *decoded == text, "encoding has an inverse");
  return 0;
}
