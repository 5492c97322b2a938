#include "answer/table_form.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/text/encoding.h"

namespace sluice::ckan {

namespace {

using query::Compression;
using query::FileFormat;

constexpr double kSure = 0.4;
constexpr std::string_view kWestern = "windows-1252";  // What files without a word about it mostly are.

Error unsupported_file(std::string_view what) {
  return invalid_input(fmt::format("The file is no table that can be queried: it is {}", what))
      .with_code("unsupported_file")
      .with_hint(
          "CSV, TSV, JSON, NDJSON and Parquet are read, also within a zip. Choose another resource of the "
          "dataset.");
}

struct Mark {
  std::string_view bytes;
  std::string_view what;
};
constexpr std::array<Mark, 9> kForeign = {{{"%PDF", "a PDF document"},
                                           {"\xD0\xCF\x11\xE0", "an old workbook or document of Office"},
                                           {"\x89PNG", "a picture"},
                                           {"\xFF\xD8\xFF", "a picture"},
                                           {"GIF8", "a picture"},
                                           {"SQLite format 3", "a SQLite database"},
                                           {"BZh", "compressed with bzip2"},
                                           {"Rar!", "a RAR archive"},
                                           {"7z\xBC\xAF", "a 7z archive"}}};

bool starts_with_word(std::string_view text, std::string_view word) {
  return text.size() >= word.size() && equal_ignoring_case(text.substr(0, word.size()), word);
}

// A beginning may end within a character.
bool is_utf8_beginning(std::string_view bytes) {
  constexpr std::size_t kTail = 3;
  for (std::size_t cut = 0; cut <= kTail && cut <= bytes.size(); ++cut) {
    if (is_valid_utf8(bytes.substr(0, bytes.size() - cut))) return true;
  }
  return false;
}

bool has_mark(std::string_view bytes) {
  return bytes.starts_with("\xEF\xBB\xBF") || bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF");
}

std::string encoding_of(std::string_view bytes, const std::string& charset) {
  if (has_mark(bytes) || is_utf8_beginning(bytes)) return {};
  if (!charset.empty() && !equal_ignoring_case(charset, "utf-8") && text::to_utf8("", charset).ok())
    return charset;
  const text::Encoding found = text::detect_encoding(bytes);
  const bool is_western = found.charset == "ISO-8859-1" || found.confidence < kSure;
  return is_western ? std::string(kWestern) : found.charset;
}

// The beginning as text, for a look at it.
std::string as_text(std::string_view bytes, const std::string& encoding) {
  const std::string charset = encoding.empty() ? text::detect_encoding(bytes).charset : encoding;
  Result<std::string> text = text::to_utf8(bytes, charset);
  return text.ok() ? *std::move(text) : std::string(bytes);
}

// Of what begins with a brace: whether each line is an object of its own.
bool has_objects_in_lines(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return false;
  std::string_view first = text.substr(0, end);
  while (first.ends_with('\r') || first.ends_with(' ')) first.remove_suffix(1);
  const std::size_t next = text.find_first_not_of(" \t\r\n", end);
  return first.ends_with('}') && (next == std::string_view::npos || text[next] == '{');
}

FileFormat text_format(std::string_view text, const Stated& stated) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const char mark = first == std::string_view::npos ? '\0' : text[first];
  if (mark == '[') return FileFormat::kJson;
  if (mark == '{') return has_objects_in_lines(text.substr(first)) ? FileFormat::kNdjson : FileFormat::kJson;
  const std::string_view line = text.substr(0, text.find('\n'));
  const bool has_tabs =
      line.find('\t') != std::string_view::npos && line.find_first_of(",;|") == std::string_view::npos;
  return has_tabs || equal_ignoring_case(stated.format, "tsv") ? FileFormat::kTsv : FileFormat::kCsv;
}

// What is compressed cannot be looked at here: its name decides, then the portal.
TableForm compressed(Compression compression, const Stated& stated) {
  TableForm out;
  const std::optional<query::FileKind> named = query::kind_of_file(stated.name);
  if (named && query::is_read_by_engine(named->format)) out.kind.format = named->format;
  if (equal_ignoring_case(stated.format, "json")) out.kind.format = FileFormat::kJson;
  out.kind.compression = compression;
  return out;
}

}  // namespace

bool is_table_name(std::string_view name) {
  const std::string lower = to_lower_ascii(name);
  if (lower.ends_with('/') || lower.starts_with("__macosx/")) return false;
  const std::string_view last = std::string_view(lower).substr(lower.rfind('/') + 1);
  if (last.starts_with('.')) return false;
  const std::optional<query::FileKind> kind = query::kind_of_file(lower);
  if (kind) return query::is_read_by_engine(kind->format);
  return lower.ends_with(".txt") || lower.ends_with(".geojson") || lower.ends_with(".tab");
}

Result<TableForm> form_of(std::string_view beginning, const Stated& stated) {
  if (beginning.empty()) return unsupported_file("empty");
  TableForm out;
  if (beginning.starts_with("PAR1")) {
    out.kind.format = FileFormat::kParquet;
    return out;
  }
  if (beginning.starts_with("PK\x03\x04")) {
    if (beginning.substr(0, 4'096).find("[Content_Types].xml") != std::string_view::npos)
      return unsupported_file("a workbook or document of Office");
    out.container = Container::kZip;
    return out;
  }
  if (beginning.starts_with("\x1F\x8B")) return compressed(Compression::kGzip, stated);
  if (beginning.starts_with("\x28\xB5\x2F\xFD")) return compressed(Compression::kZstd, stated);
  for (const Mark& mark : kForeign) {
    if (beginning.starts_with(mark.bytes)) return unsupported_file(mark.what);
  }
  out.encoding = encoding_of(beginning, stated.charset);
  const std::string text = as_text(beginning, out.encoding);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const std::string_view seen =
      first == std::string::npos ? std::string_view() : std::string_view(text).substr(first);
  if (starts_with_word(seen, "<!doctype html") || starts_with_word(seen, "<html") ||
      starts_with_word(seen, "<head"))
    return unsupported_file("a page of HTML");
  if (starts_with_word(seen, "<?xml") || seen.starts_with('<')) return unsupported_file("XML");
  const bool is_binary = std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f';
  });
  if (is_binary) return unsupported_file("binary");
  out.kind.format = text_format(text, stated);
  return out;
}

}  // namespace sluice::ckan
