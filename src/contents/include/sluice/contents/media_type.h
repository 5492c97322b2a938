#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::contents {

inline constexpr std::string_view kFolderType = "inode/directory";
inline constexpr std::string_view kPlainTextType = "text/plain";
inline constexpr std::string_view kBinaryType = "application/octet-stream";

// How much of a file's beginning `type_of_content` looks at.
inline constexpr std::size_t kSniffBytes = 4 * 1024;

// By the ending of the name, whatever its case. Nothing where it says nothing.
std::optional<std::string_view> type_of_name(std::string_view name);

// By the beginning of the content: known marks, else text/plain or application/octet-stream.
std::string_view type_of_content(std::string_view head);

bool is_text_type(std::string_view type);

// What a file holds, and how it is to be given.
struct Media {
  std::string type;
  std::string charset;  // Of text, as the text module names it. Empty: bytes.

  bool is_text() const { return !charset.empty(); }
};
// `head` is the beginning of the file, 64 KiB or more of it where it is longer.
Media media_of(std::string_view name, std::string_view head);
// The same where the type is known beforehand.
Media media_of_type(std::string_view type, std::string_view head);

}  // namespace sluice::contents
