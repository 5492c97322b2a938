#pragma once

#include <string>
#include <string_view>

#include "sluice/base/result.h"

namespace sluice {

// A syntactically valid absolute URI (RFC 3986: a scheme, then allowed characters with whole
// percent-escapes), at most kUriBytesMax bytes. It is compared and echoed as the text that arrived; nothing
// is normalised.
class ResourceUri {
 public:
  static Result<ResourceUri> parse(std::string_view text);

  const std::string& text() const { return text_; }
  std::string_view scheme() const { return std::string_view(text_).substr(0, scheme_bytes_); }

  friend bool operator==(const ResourceUri& a, const ResourceUri& b) { return a.text_ == b.text_; }

 private:
  std::string text_;
  std::size_t scheme_bytes_ = 0;
};

// "%41b" → "Ab". Fails on a broken escape.
Result<std::string> percent_decode(std::string_view text);

// Everything but RFC 3986 unreserved characters becomes an escape.
std::string percent_encode(std::string_view text);

}  // namespace sluice
