#include "sluice/text/letter_case.h"

#include <algorithm>

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/stringoptions.h>
#include <unicode/stringpiece.h>

#include "utf8.h"

namespace sluice::text {
namespace {

constexpr std::size_t kTextBytesMax = std::size_t{1}
                                      << 28U;  // ICU counts in 32 bits, and case may triple a text.

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

char lower_ascii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

icu::StringPiece piece_of(std::string_view text) { return icu::StringPiece(text.substr(0, kTextBytesMax)); }

std::string title_of(std::string_view character) {
  std::string out;
  icu::StringByteSink<std::string> sink(&out);
  UErrorCode status = U_ZERO_ERROR;
  icu::CaseMap::utf8ToTitle("", U_TITLECASE_WHOLE_STRING | U_TITLECASE_NO_BREAK_ADJUSTMENT, nullptr,
                            piece_of(character), sink, nullptr, status);
  return U_SUCCESS(status) ? out : std::string(character);
}

}  // namespace

std::string to_lower(std::string_view text) {
  std::string out;
  if (is_ascii(text)) {
    out.resize(text.size());
    std::transform(text.begin(), text.end(), out.begin(), lower_ascii);
    return out;
  }
  icu::StringByteSink<std::string> sink(&out,
                                        static_cast<std::int32_t>(std::min(text.size(), kTextBytesMax)));
  UErrorCode status = U_ZERO_ERROR;
  icu::CaseMap::utf8ToLower("", 0, piece_of(text), sink, nullptr, status);
  return U_SUCCESS(status) ? out : std::string(text);
}

std::string capitalize(std::string_view text) {
  if (text.empty()) return {};
  std::size_t first_bytes = 0;
  decode(text, first_bytes);
  const std::string_view first = text.substr(0, first_bytes);
  // Whether a sigma ends a word depends on what stands before it, so the rest is not lowered alone.
  return title_of(first) + to_lower(text).substr(to_lower(first).size());
}

}  // namespace sluice::text
