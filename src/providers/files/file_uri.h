#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/uri.h"
#include "sluice/contents/uri_query.h"

namespace sluice::files {

inline constexpr std::string_view kBaseUri = "file:///";

// What a URI of ours says. Two URIs may say the same.
struct FileUri {
  std::string path;        // Decoded names, joined by slashes; none is empty or has a slash or a NUL.
  bool is_folder = false;  // Ends with a slash: a file is not meant.
  contents::Range range;
  bool is_list = false;  // Of a folder: its listing alone.
  std::string after;     // Of a folder: the name behind which the listing begins, as URIs have it.
};

// Nothing where the URI is malformed. Whether the path may be read is not looked at.
std::optional<FileUri> parse_uri(const ResourceUri& uri);

// The URI that lists show. That of a folder ends with a slash.
std::string uri_of_file(std::string_view path);
std::string uri_of_folder(std::string_view path);

}  // namespace sluice::files
