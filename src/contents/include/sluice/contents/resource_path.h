#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/uri.h"

// Paths as URIs have them, and their parts.
namespace sluice::contents {

// Names as a URI has them, joined by single slashes, decoded. Nothing where one is empty, or has a slash, a
// NUL or a broken escape in it.
std::optional<std::string> decode_path(std::string_view encoded);

// The URI as the caller wrote it, with what is not ASCII percent-encoded: such names are taken, and a URI in
// an answer is one by the book.
std::string plain_uri(const ResourceUri& uri);

std::string_view last_name(std::string_view path);      // "a/b" → "b"
std::string_view parent_folder(std::string_view path);  // "a/b" → "a"; "a" → ""
std::string beneath(std::string_view folder, std::string_view name);

}  // namespace sluice::contents
