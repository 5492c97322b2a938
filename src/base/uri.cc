#include "sluice/base/uri.h"

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"

#include "uri_characters.h"

namespace sluice {
namespace {

// The length of "scheme" in "scheme:…", or 0.
std::size_t scheme_length(std::string_view text) {
  if (text.empty() || !is_alpha(text[0])) return 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == ':') return i;
    if (!is_alpha(text[i]) && !is_digit(text[i]) && text[i] != '+' && text[i] != '-' && text[i] != '.')
      return 0;
  }
  return 0;
}

}  // namespace

Result<ResourceUri> ResourceUri::parse(std::string_view text) {
  if (text.size() > kUriBytesMax) {
    return invalid_input(fmt::format("URI is longer than {} bytes: {}", kUriBytesMax, excerpt(text)))
        .with_code("invalid_uri");
  }
  if (!is_valid_utf8(text)) {
    return invalid_input(fmt::format("URI is not UTF-8: {}", excerpt(text))).with_code("invalid_uri");
  }
  const std::size_t scheme_bytes = scheme_length(text);
  if (scheme_bytes == 0) {
    return invalid_input(fmt::format("URI has no scheme: {}", excerpt(text)))
        .with_code("invalid_uri")
        .with_hint("A resource URI is absolute, such as file:///notes.txt.");
  }
  for (std::size_t i = scheme_bytes; i < text.size(); ++i) {
    const char c = text[i];
    // Non-ASCII UTF-8 is tolerated as an IRI would be: hosts send it, and it is compared byte by byte.
    const bool fine = is_unreserved(c) || is_reserved(c) || !is_ascii(c) || escape_at(text, i);
    if (!fine) {
      return invalid_input(fmt::format("URI has a character that must be percent-encoded at byte {}: {}", i,
                                       excerpt(text)))
          .with_code("invalid_uri");
    }
  }
  ResourceUri uri;
  uri.text_ = text;
  uri.scheme_bytes_ = scheme_bytes;
  return uri;
}

Result<std::string> percent_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    if (!escape_at(text, i))
      return invalid_input(fmt::format("broken percent-escape at byte {}: {}", i, excerpt(text)));
    out.push_back(escaped_byte(text, i));
    i += 2;
  }
  return out;
}

std::string percent_encode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (is_unreserved(c)) {
      out.push_back(c);
    } else {
      append_escape(out, c);
    }
  }
  return out;
}

}  // namespace sluice
