#include "sluice/contents/media_type.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sluice/base/text.h"
#include "sluice/text/encoding.h"

#include "character_boundary.h"

namespace sluice::contents {

namespace {

using Pair = std::pair<std::string_view, std::string_view>;

constexpr std::array kByEnding = {
    // In order.
    Pair{"7z", "application/x-7z-compressed"},
    Pair{"aac", "audio/aac"},
    Pair{"arrow", "application/vnd.apache.arrow.file"},
    Pair{"avif", "image/avif"},
    Pair{"bash", "text/x-shellscript"},
    Pair{"bin", kBinaryType},
    Pair{"bmp", "image/bmp"},
    Pair{"bz2", "application/x-bzip2"},
    Pair{"c", "text/x-c"},
    Pair{"cc", "text/x-c++"},
    Pair{"cfg", kPlainTextType},
    Pair{"conf", kPlainTextType},
    Pair{"cpp", "text/x-c++"},
    Pair{"cs", "text/x-csharp"},
    Pair{"css", "text/css"},
    Pair{"csv", "text/csv"},
    Pair{"diff", "text/x-diff"},
    Pair{"doc", "application/msword"},
    Pair{"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
    Pair{"duckdb", kBinaryType},
    Pair{"env", kPlainTextType},
    Pair{"epub", "application/epub+zip"},
    Pair{"flac", "audio/flac"},
    Pair{"gif", "image/gif"},
    Pair{"go", "text/x-go"},
    Pair{"gz", "application/gzip"},
    Pair{"h", "text/x-c"},
    Pair{"hpp", "text/x-c++"},
    Pair{"htm", "text/html"},
    Pair{"html", "text/html"},
    Pair{"ico", "image/vnd.microsoft.icon"},
    Pair{"ics", "text/calendar"},
    Pair{"ini", kPlainTextType},
    Pair{"ipynb", "application/x-ipynb+json"},
    Pair{"jar", "application/java-archive"},
    Pair{"java", "text/x-java"},
    Pair{"jpeg", "image/jpeg"},
    Pair{"jpg", "image/jpeg"},
    Pair{"js", "text/javascript"},
    Pair{"json", "application/json"},
    Pair{"jsonl", "application/x-ndjson"},
    Pair{"jsx", "text/javascript"},
    Pair{"kt", "text/x-kotlin"},
    Pair{"log", kPlainTextType},
    Pair{"lua", "text/x-lua"},
    Pair{"m4a", "audio/mp4"},
    Pair{"markdown", "text/markdown"},
    Pair{"md", "text/markdown"},
    Pair{"mjs", "text/javascript"},
    Pair{"mov", "video/quicktime"},
    Pair{"mp3", "audio/mpeg"},
    Pair{"mp4", "video/mp4"},
    Pair{"ndjson", "application/x-ndjson"},
    Pair{"odp", "application/vnd.oasis.opendocument.presentation"},
    Pair{"ods", "application/vnd.oasis.opendocument.spreadsheet"},
    Pair{"odt", "application/vnd.oasis.opendocument.text"},
    Pair{"ogg", "audio/ogg"},
    Pair{"parquet", "application/vnd.apache.parquet"},
    Pair{"patch", "text/x-diff"},
    Pair{"pdf", "application/pdf"},
    Pair{"php", "text/x-php"},
    Pair{"png", "image/png"},
    Pair{"ppt", "application/vnd.ms-powerpoint"},
    Pair{"pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
    Pair{"py", "text/x-python"},
    Pair{"rb", "text/x-ruby"},
    Pair{"rs", "text/x-rust"},
    Pair{"rst", "text/x-rst"},
    Pair{"rtf", "application/rtf"},
    Pair{"sh", "text/x-shellscript"},
    Pair{"sql", "application/sql"},
    Pair{"sqlite", "application/vnd.sqlite3"},
    Pair{"srt", "application/x-subrip"},
    Pair{"svg", "image/svg+xml"},
    Pair{"swift", "text/x-swift"},
    Pair{"tar", "application/x-tar"},
    Pair{"tex", "text/x-tex"},
    Pair{"tif", "image/tiff"},
    Pair{"tiff", "image/tiff"},
    Pair{"toml", "application/toml"},
    Pair{"ts", "text/x-typescript"},
    Pair{"tsv", "text/tab-separated-values"},
    Pair{"tsx", "text/x-typescript"},
    Pair{"ttf", "font/ttf"},
    Pair{"txt", kPlainTextType},
    Pair{"wasm", "application/wasm"},
    Pair{"wav", "audio/wav"},
    Pair{"webm", "video/webm"},
    Pair{"webp", "image/webp"},
    Pair{"woff", "font/woff"},
    Pair{"woff2", "font/woff2"},
    Pair{"xhtml", "application/xhtml+xml"},
    Pair{"xls", "application/vnd.ms-excel"},
    Pair{"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    Pair{"xml", "application/xml"},
    Pair{"xz", "application/x-xz"},
    Pair{"yaml", "application/yaml"},
    Pair{"yml", "application/yaml"},
    Pair{"zip", "application/zip"},
    Pair{"zst", "application/zstd"},
};

constexpr bool is_in_order() {
  for (std::size_t i = 1; i < kByEnding.size(); ++i) {
    if (!(kByEnding[i - 1].first < kByEnding[i].first)) return false;
  }
  return true;
}
static_assert(is_in_order(), "the table is searched by halves");

constexpr std::array kByMark = {
    Pair{"\x89PNG\r\n\x1a\n", "image/png"},
    Pair{"\xFF\xD8\xFF", "image/jpeg"},
    Pair{"GIF87a", "image/gif"},
    Pair{"GIF89a", "image/gif"},
    Pair{"%PDF-", "application/pdf"},
    Pair{"PK\x03\x04", "application/zip"},
    Pair{"\x1f\x8b", "application/gzip"},
    Pair{"\x28\xb5\x2f\xfd", "application/zstd"},
    Pair{"PAR1", "application/vnd.apache.parquet"},
    Pair{"SQLite format 3", "application/vnd.sqlite3"},
};

constexpr std::array<std::string_view, 8> kTextTypes = {
    "application/json", "application/sql",      "application/toml", "application/x-ndjson",
    "application/xml",  "application/x-subrip", "application/rtf",  "application/yaml"};

bool has_binary_byte(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\x1b';
  });
}

bool has_utf16_mark(std::string_view head) {
  return head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF");
}

}  // namespace

std::optional<std::string_view> type_of_name(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string ending = to_lower_ascii(name.substr(dot + 1));
  const auto* found =
      std::lower_bound(kByEnding.begin(), kByEnding.end(), ending,
                       [](const Pair& pair, std::string_view key) { return pair.first < key; });
  if (found == kByEnding.end() || found->first != ending) return std::nullopt;
  return found->second;
}

std::string_view type_of_content(std::string_view head) {
  for (const auto& [mark, type] : kByMark) {
    if (head.starts_with(mark)) return type;
  }
  if (has_utf16_mark(head)) return kPlainTextType;
  std::string_view sample = head.substr(0, kSniffBytes);
  // The sample may end within a character.
  if (sample.size() == kSniffBytes)
    sample = sample.substr(0, character_start(sample, kSniffBytes - 1, "UTF-8", 0));
  return is_valid_utf8(sample) && !has_binary_byte(sample) ? kPlainTextType : kBinaryType;
}

bool is_text_type(std::string_view type) {
  return type.starts_with("text/") || type.ends_with("+json") || type.ends_with("+xml") ||
         std::find(kTextTypes.begin(), kTextTypes.end(), type) != kTextTypes.end();
}

Media media_of(std::string_view name, std::string_view head) {
  const std::optional<std::string_view> named = type_of_name(name);
  return media_of_type(named ? *named : type_of_content(head), head);
}

Media media_of_type(std::string_view type, std::string_view head) {
  if (!is_text_type(type)) return {.type = std::string(type), .charset = {}};
  std::string charset = text::detect_encoding(head).charset;
  // Other text has no zero bytes: this is none, whatever it is called.
  const bool may_have_zeros = charset.starts_with("UTF-16") || charset.starts_with("UTF-32");
  if (!may_have_zeros && head.find('\0') != std::string_view::npos)
    return {.type = std::string(kBinaryType), .charset = {}};
  return {.type = std::string(type), .charset = std::move(charset)};
}

}  // namespace sluice::contents
