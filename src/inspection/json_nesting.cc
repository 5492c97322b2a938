#include "sluice/inspection/json_nesting.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace sluice::inspection {

namespace {

using Marks = std::array<bool, 256>;

constexpr Marks marks_of(std::string_view characters) {
  Marks out{};
  for (const char c : characters) out[static_cast<unsigned char>(c)] = true;
  return out;
}

constexpr Marks kInString = marks_of("\"\\\n");
constexpr Marks kOutside = marks_of("\"{}[]");

// The first of those characters; most are none, and this loop is what large files spend their time in.
const char* find_mark(const char* at, const char* end, const Marks& marks) {
  while (at < end && !marks[static_cast<unsigned char>(*at)]) ++at;
  return at;
}

}  // namespace

bool JsonNesting::feed(std::string_view piece) {
  const char* at = piece.data();
  const char* const end = at + piece.size();
  while (at < end) {
    if (is_escaped_) {
      is_escaped_ = false;
      if (*at == '\n') is_in_string_ = false;
      ++at;
      continue;
    }
    at = find_mark(at, end, is_in_string_ ? kInString : kOutside);
    if (at == end) break;
    const char c = *at++;
    if (is_in_string_) {
      is_escaped_ = c == '\\';
      is_in_string_ = is_escaped_;
    } else if (c == '"') {
      is_in_string_ = true;
    } else if (c == '{' || c == '[') {
      levels_ = std::max(levels_, ++depth_);
      if (depth_ > kJsonLevelsMax) return false;
    } else if (depth_ > 0) {
      --depth_;
    }
  }
  return true;
}

Status check_json_nesting(const fs::File& file, Compression compression, const ReadLimits& limits) {
  SLUICE_TRY(const std::unique_ptr<ByteStream> stream, open_stream(file, compression, limits));
  JsonNesting nesting;
  while (true) {
    SLUICE_TRY(const std::string_view piece, stream->next());
    if (piece.empty()) return {};
    if (!nesting.feed(piece)) {
      return unsupported(fmt::format("read JSON: values are nested more than {} levels deep", kJsonLevelsMax))
          .with_code("nesting_too_deep")
          .with_hint("Flatten the nested values, or store them as text, and replace the file.");
    }
  }
}

}  // namespace sluice::inspection
