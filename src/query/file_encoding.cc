#include "file_encoding.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/text/encoding.h"

namespace sluice::query {

namespace {

// Measured on short texts in a dozen languages: what is right has 0.4 and more, and leads by twice as much.
constexpr double kSureEnough = 0.4;
constexpr double kLead = 0.2;
constexpr std::size_t kWholeCharactersMargin = 4;  // The beginning may end within a character.
// Letters with accents stand alone among others; those of other scripts stand in rows.
constexpr double kLatinInRowsMax = 0.34;
constexpr double kOthersInRowsMin = 0.5;
constexpr std::array<std::string_view, 7> kLatin = {
    "ISO-8859-1", "ISO-8859-2", "ISO-8859-9", "ISO-8859-15", "windows-1250", "windows-1252", "windows-1254"};

bool has_mark(std::string_view beginning) {
  return beginning.starts_with(kUtf8Mark) || beginning.starts_with("\xFF\xFE") ||
         beginning.starts_with("\xFE\xFF");
}

// No character without a meaning, and no control characters, which a wrong encoding makes of letters.
bool has_only_characters(std::string_view text) {
  for (std::size_t i = 0; i + 2 < text.size(); ++i) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    if (byte(i) == 0xEF && byte(i + 1) == 0xBF && byte(i + 2) == 0xBD) return false;  // U+FFFD
    if (byte(i) == 0xC2 && byte(i + 1) >= 0x80 && byte(i + 1) < 0xA0) return false;   // U+0080 to U+009F
    if (byte(i) < 0x20 && byte(i) != '\n' && byte(i) != '\r' && byte(i) != '\t') return false;
  }
  return true;
}

// Of the characters beyond ASCII, how many stand beside another one.
double part_in_rows(std::string_view text) {
  std::size_t characters = 0;
  std::size_t in_rows = 0;
  std::size_t row = 0;
  const auto end_row = [&] {
    characters += row;
    if (row > 1) in_rows += row;
    row = 0;
  };
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) end_row();
    if (byte >= 0xC0) ++row;
  }
  end_row();
  return characters == 0 ? 0 : static_cast<double>(in_rows) / static_cast<double>(characters);
}

bool is_plausible(std::string_view text, const std::string& charset) {
  if (!has_only_characters(text)) return false;
  const bool is_latin = std::find(kLatin.begin(), kLatin.end(), charset) != kLatin.end();
  return is_latin ? part_in_rows(text) <= kLatinInRowsMax : part_in_rows(text) >= kOthersInRowsMin;
}

// The encoding in which the bytes make sense, where there is one, and no other that reads differently.
std::string by_content(std::string_view beginning) {
  std::string best_text;
  text::Encoding best;
  for (const text::Encoding& one : text::encoding_candidates(beginning)) {
    Result<std::string> decoded = text::to_utf8(beginning, one.charset);
    if (!decoded.ok()) continue;
    if (decoded->size() > kWholeCharactersMargin) decoded->resize(decoded->size() - kWholeCharactersMargin);
    if (!is_plausible(*decoded, one.charset)) continue;
    if (best.charset.empty()) {
      if (one.confidence < kSureEnough) return "";
      best = one;
      best_text = *std::move(decoded);
    } else if (one.confidence > best.confidence - kLead && *decoded != best_text) {
      return "";
    }
  }
  return best.charset;
}

}  // namespace

Result<FileEncoding> encoding_of(std::string_view beginning, const std::string& configured) {
  text::Encoding found = text::detect_encoding(beginning);
  if (has_mark(beginning)) return FileEncoding{.charset = found.charset, .known_by = "byte_order_mark"};
  if (!configured.empty()) return FileEncoding{.charset = configured, .known_by = "configuration"};
  const bool is_unicode = found.charset == "UTF-8" || found.charset.starts_with("UTF-16");
  if (!is_unicode) found.charset = by_content(beginning);
  if (!found.charset.empty()) return FileEncoding{.charset = found.charset, .known_by = "content"};
  return unsupported("read text: its encoding cannot be told from the bytes")
      .with_code("unsupported_encoding")
      .with_hint("Convert the file to UTF-8, or say `encoding` for its collection in the configuration.");
}

}  // namespace sluice::query
