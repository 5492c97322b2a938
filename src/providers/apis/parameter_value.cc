#include "parameter_value.h"

#include <algorithm>
#include <string>

#include "sluice/base/text.h"
#include "sluice/base/uri.h"

namespace sluice::apis {

namespace {

constexpr std::size_t kValueBytesMax = 1'024;
constexpr int kDecodingsMax = 3;

bool has_dot_segment(std::string_view text) {
  while (true) {
    const std::size_t end = text.find_first_of("/\\");
    const std::string_view segment = text.substr(0, end);
    // "..;x" is a step up to servers that know parameters of segments.
    const std::string_view name = segment.substr(0, segment.find(';'));
    if (name == "." || name == "..") return true;
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

bool is_query_value(std::string_view value) {
  return value.size() <= kValueBytesMax && is_valid_utf8(value) &&
         std::none_of(value.begin(), value.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\x7f'; });
}

bool is_path_value(std::string_view value) {
  if (value.empty()) return false;
  std::string text(value);
  for (int i = 0; i < kDecodingsMax; ++i) {
    if (!is_query_value(text) || has_dot_segment(text)) return false;
    const Result<std::string> decoded = percent_decode(text);
    if (!decoded.ok() || *decoded == text) return true;
    text = *decoded;
  }
  return false;  // Escaped over and over, for no good reason.
}

}  // namespace sluice::apis
