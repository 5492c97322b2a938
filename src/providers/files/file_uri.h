#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/uri.h"

namespace sluice::files {

inline constexpr std::string_view kBaseUri = "file:///";

// `?offset=&length=`: which bytes of a file are wanted.
struct Range {
  std::optional<std::uint64_t> offset;
  std::optional<std::uint64_t> length;  // At least 1.

  bool is_given() const { return offset.has_value() || length.has_value(); }
};

// What a URI of ours says. Two URIs may say the same.
struct FileUri {
  std::string path;        // Decoded names, joined by slashes; none is empty or has a slash or a NUL.
  bool is_folder = false;  // Ends with a slash: a file is not meant.
  Range range;
};

// Nothing where the URI is malformed. Whether the path may be read is not looked at.
std::optional<FileUri> parse_uri(const ResourceUri& uri);

// Names as a URI has them, joined by single slashes, decoded. Nothing where one is empty, or has a slash, a
// NUL or a broken escape in it.
std::optional<std::string> decode_path(std::string_view encoded);

// The URI as the caller wrote it, with what is not ASCII percent-encoded: such names are taken, and a URI in
// an answer is one by the book.
std::string plain_uri(const ResourceUri& uri);

// The URI that lists show. That of a folder ends with a slash.
std::string uri_of_file(std::string_view path);
std::string uri_of_folder(std::string_view path);

}  // namespace sluice::files
