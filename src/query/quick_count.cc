#include "quick_count.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "sluice/base/text.h"
#include "sluice/inspection/byte_stream.h"
#include "sluice/inspection/json_nesting.h"
#include "sluice/inspection/parquet_footer.h"

#include "csv_shape.h"
#include "file_encoding.h"

namespace sluice::query {

namespace {

constexpr std::uint64_t kCountedBytesMax = 20'000'000;
constexpr std::uint64_t kParts = 16;  // Of a large file, which tell how long its rows are.
constexpr std::size_t kPartBytes = std::size_t{16} << 10U;

bool is_csv(const FileForm& form) {
  return form.format == FileFormat::kCsv || form.format == FileFormat::kTsv;
}

// Lines that are not blank.
std::uint64_t lines_of(std::string_view text) {
  std::uint64_t out = 0;
  bool is_blank = true;
  for (const char c : text) {
    if (c == '\n') {
      out += is_blank ? 0 : 1;
      is_blank = true;
    } else if (c != ' ' && c != '\t' && c != '\r' && c != '\0') {
      is_blank = false;
    }
  }
  return out + (is_blank ? 0 : 1);
}

// Elements of an array, or values that follow each other.
std::uint64_t values_of(std::string_view text) {
  const std::size_t first = text.find_first_of("[{");
  if (first == std::string_view::npos) return lines_of(text);
  const std::size_t level = text[first] == '[' ? 1 : 0;
  inspection::JsonNesting nesting;
  std::uint64_t out = 0;
  std::size_t before = 0;
  std::uint64_t commas = 0;
  bool has_content = false;
  for (const char c : text.substr(first)) {
    if (!nesting.feed(std::string_view(&c, 1))) break;
    const std::size_t depth = nesting.depth();
    if (depth == level && before > level) ++out;  // A nested value ends.
    if (level == 1 && depth == 1 && before == 1 && !nesting.is_in_string()) {
      if (c == ',') ++commas;
      has_content = has_content || (c != ' ' && c != '\n' && c != '\r' && c != '\t' && c != ',');
    }
    before = depth;
  }
  return out > 0 ? out : (has_content ? commas + 1 : 0);
}

std::uint64_t rows_in(const inspection::Beginning& beginning, const FileForm& form) {
  if (form.format == FileFormat::kJson) return values_of(beginning.bytes);
  const std::uint64_t lines = lines_of(beginning.bytes);
  return is_csv(form) && lines > 0 ? lines - 1 : lines;  // Most files have a header.
}

// By the rows of the beginning and its part of the file.
std::uint64_t estimate(const inspection::Beginning& beginning, const FileForm& form,
                       std::uint64_t file_bytes) {
  const std::uint64_t rows = rows_in(beginning, form);
  if (beginning.is_whole) return rows;
  const double part = static_cast<double>(std::max<std::uint64_t>(1, beginning.file_bytes_read)) /
                      static_cast<double>(std::max<std::uint64_t>(1, file_bytes));
  // The beginning shows a row of which it has only a part.
  return std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::llround(static_cast<double>(rows) / std::min(1.0, part))));
}

// Whether parts of the file tell how long its rows are.
bool can_sample(const FileForm& form, std::uint64_t file_bytes) {
  const bool has_lines = is_csv(form) || form.format == FileFormat::kNdjson;
  return has_lines && form.compression == Compression::kNone && file_bytes > 2 * kParts * kPartBytes;
}

// By parts that are spread evenly over the file: the rows of its beginning may be shorter than the others, as
// where they are numbered.
Result<std::uint64_t> sample_lines(const fs::File& file, std::uint64_t file_bytes) {
  std::uint64_t lines = 0;
  std::uint64_t bytes = 0;
  for (std::uint64_t i = 0; i < kParts; ++i) {
    const std::uint64_t offset = (file_bytes - kPartBytes) / (2 * kParts) * (2 * i + 1);
    SLUICE_TRY(const std::string part, file.read_at(offset, kPartBytes));
    lines += static_cast<std::uint64_t>(std::count(part.begin(), part.end(), '\n'));
    bytes += part.size();
  }
  const double row_bytes =
      static_cast<double>(bytes) / static_cast<double>(std::max<std::uint64_t>(1, lines));
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(file_bytes) / row_bytes));
}

bool is_utf8(const inspection::Beginning& beginning, const std::string& configured) {
  const Result<FileEncoding> found = encoding_of(beginning.bytes, configured);
  return found.ok() && equal_ignoring_case(found->charset, "UTF-8");
}

Result<std::optional<std::uint64_t>> count_csv(const fs::File& file, const inspection::Beginning& beginning,
                                               Monotonic deadline) {
  const std::optional<CsvShape> shape = plain_shape(beginning.bytes, beginning.is_whole);
  if (!shape) return std::optional<std::uint64_t>();
  SLUICE_TRY(const std::unique_ptr<inspection::ByteStream> stream,
             inspection::open_stream(file, Compression::kNone, {.deadline = deadline, .stop = {}}));
  return count_plain_rows(*stream, *shape);
}

}  // namespace

Result<QuickCount> count_quickly(const fs::File& file, const FileForm& form, const std::string& encoding,
                                 Monotonic deadline) {
  if (form.format == FileFormat::kParquet) {
    SLUICE_TRY(const inspection::ParquetFooter footer, inspection::read_parquet_footer(file));
    return QuickCount{.rows = footer.rows, .is_exact = true};
  }
  SLUICE_TRY(const fs::FileStatus status, file.status());
  SLUICE_TRY(const inspection::Beginning beginning,
             inspection::read_beginning(file, form.compression, kBeginningBytes, {}));
  // A small file has been read already.
  if (beginning.is_whole) deadline = Monotonic::max();
  const bool is_counted = is_csv(form) && form.compression == Compression::kNone &&
                          status.bytes <= kCountedBytesMax && system_clock().now() < deadline;
  if (is_counted && is_utf8(beginning, encoding)) {
    const Result<std::optional<std::uint64_t>> rows = count_csv(file, beginning, deadline);
    if (rows.ok() && *rows) return QuickCount{.rows = **rows, .is_exact = true};
  }
  if (can_sample(form, status.bytes)) {
    const Result<std::uint64_t> lines = sample_lines(file, status.bytes);
    if (lines.ok()) return QuickCount{.rows = *lines, .is_exact = false};
  }
  return QuickCount{.rows = estimate(beginning, form, status.bytes), .is_exact = false};
}

}  // namespace sluice::query
