#include "csv_shape.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "sluice/base/text.h"

#include "csv_scanner.h"
#include "date_order.h"
#include "file_encoding.h"

namespace sluice::query {

namespace {

constexpr std::array kDelimiters = {',', ';', '\t', '|'};
constexpr std::int64_t kYearMin = 1'500;
constexpr std::int64_t kYearMax = 2'500;
constexpr std::size_t kYearsInHeader = 2;
constexpr std::size_t kNumbersInHeader = 4;
constexpr std::int64_t kNumberNameMax = 999;
constexpr std::size_t kValuesBelowName = 2;  // One row may be anything.

using Rows = std::vector<std::vector<std::string>>;

enum class CellKind : std::uint8_t { kEmpty, kNumber, kDate, kBool, kText };

bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double ignored = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), ignored);
  const bool has_digit = std::any_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  return has_digit && parsed.ec != std::errc::invalid_argument && parsed.ptr == text.data() + text.size();
}

CellKind kind_of(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  if (text.empty()) return CellKind::kEmpty;
  if (is_number(text)) return CellKind::kNumber;
  if (looks_like_date(text)) return CellKind::kDate;
  if (equal_ignoring_case(text, "true") || equal_ignoring_case(text, "false")) return CellKind::kBool;
  return CellKind::kText;
}

// The kind that all cells of a column have from that row on; kEmpty if there are none.
CellKind kind_from(std::size_t first, const Rows& rows, std::size_t column) {
  CellKind out = CellKind::kEmpty;
  for (std::size_t i = first; i < rows.size(); ++i) {
    const CellKind kind = kind_of(rows[i][column]);
    if (kind == CellKind::kEmpty) continue;
    if (out != CellKind::kEmpty && kind != out) return CellKind::kText;
    out = kind;
  }
  return out;
}

std::optional<std::int64_t> integer_of(std::string_view text) {
  std::int64_t out = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), out);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return out;
}

bool is_year(std::int64_t number) { return number >= kYearMin && number <= kYearMax; }

// The numbers of a row, if all of them are integers that rise by the same step.
std::vector<std::int64_t> rising_numbers(const std::vector<std::string>& row) {
  std::vector<std::int64_t> out;
  for (const std::string& cell : row) {
    if (kind_of(cell) != CellKind::kNumber) continue;
    const std::optional<std::int64_t> number = integer_of(cell);
    if (!number) return {};
    out.push_back(*number);
  }
  for (std::size_t i = 1; i < out.size(); ++i) {
    if (out[i] <= out[i - 1] || out[i] - out[i - 1] != out[1] - out[0]) return {};
  }
  return out;
}

// Names that are numbers: years, as in `Country,1960,1961`, or 1, 2, 3, 4 … Rows below that do the same are
// data, and so is the first.
bool has_numbered_names(const Rows& rows) {
  const std::vector<std::int64_t> names = rising_numbers(rows.front());
  if (names.size() < kYearsInHeader || rows.size() < 2) return false;
  const bool has_years = std::all_of(names.begin(), names.end(), is_year);
  const bool has_series = names.size() >= kNumbersInHeader && names.front() <= 1 && names.front() >= 0 &&
                          names[1] - names[0] == 1;
  if (!has_years && !has_series) return false;
  bool has_other_values = false;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::vector<std::int64_t> numbers = rising_numbers(rows[i]);
    if (numbers.size() == names.size() && numbers[1] - numbers[0] == names[1] - names[0]) return false;
    for (std::size_t column = 0; column < rows[i].size(); ++column) {
      if (kind_of(rows.front()[column]) != CellKind::kNumber) continue;
      if (kind_of(rows[i][column]) == CellKind::kEmpty) continue;
      const std::optional<std::int64_t> number = integer_of(rows[i][column]);
      has_other_values = has_other_values || !number || (has_years && !is_year(*number)) ||
                         (!has_years && *number > names.back());
    }
  }
  return has_other_values;
}

// A name seldom stands among the values of its own column.
bool repeats_below(const Rows& rows, std::size_t column) {
  return std::any_of(rows.begin() + 1, rows.end(),
                     [&](const auto& row) { return row[column] == rows.front()[column]; });
}

// One year beside names that are text, as in `Country,2020`: a name, unless some value below it is a year
// too.
bool has_lone_year_name(const Rows& rows) {
  std::optional<std::size_t> year_column;
  for (std::size_t column = 0; column < rows.front().size(); ++column) {
    if (kind_of(rows.front()[column]) == CellKind::kText) {
      if (repeats_below(rows, column)) return false;
      continue;
    }
    const std::optional<std::int64_t> number = integer_of(rows.front()[column]);
    if (year_column || !number || !is_year(*number)) return false;
    year_column = column;
  }
  if (!year_column || rows.front().size() < 2) return false;
  std::size_t values = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (kind_of(rows[i][*year_column]) == CellKind::kEmpty) continue;
    const std::optional<std::int64_t> number = integer_of(rows[i][*year_column]);
    if (number && is_year(*number)) return false;
    ++values;
  }
  return values >= kValuesBelowName;
}

// A year or a small number above texts that are not always the same: `n/a` in every row says nothing about
// the first one, and a larger number may be a code among others.
bool names_texts(const Rows& rows, std::size_t column) {
  const std::optional<std::int64_t> number = integer_of(rows.front()[column]);
  if (!number || (!is_year(*number) && (*number < 0 || *number > kNumberNameMax))) return false;
  std::set<std::string_view> texts;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const CellKind kind = kind_of(rows[i][column]);
    if (kind == CellKind::kEmpty) continue;
    if (kind != CellKind::kText) return false;
    if (texts.size() < kValuesBelowName) texts.insert(rows[i][column]);
  }
  return texts.size() >= kValuesBelowName;
}

// Numbers that name columns of text, unless other cells of the row are values.
bool has_number_names(const Rows& rows) {
  bool has_number = false;
  for (std::size_t column = 0; column < rows.front().size(); ++column) {
    const CellKind kind = kind_of(rows.front()[column]);
    if (kind == CellKind::kEmpty) continue;
    if (kind == CellKind::kText ? repeats_below(rows, column) : !names_texts(rows, column)) return false;
    has_number = has_number || kind != CellKind::kText;
  }
  return has_number;
}

// All rows with that delimiter; nothing if they differ in length or break the rules.
std::optional<Rows> rows_by_delimiter(std::string_view text, char delimiter, bool is_whole) {
  Rows rows;
  CsvScanner scanner(delimiter);
  scanner.collect_into(rows);
  if (!scanner.feed(text) || (is_whole && !scanner.finish()) || rows.empty()) return std::nullopt;
  const bool has_comments = std::any_of(
      rows.begin(), rows.end(), [](const CsvScanner::Record& row) { return row.front().starts_with('#'); });
  if (has_comments) return std::nullopt;
  return rows;
}

// The bytes of a text that end between two characters, and how many are left over.
std::size_t partial_character_bytes(std::string_view text) {
  constexpr std::size_t kCharacterBytesMax = 4;
  for (std::size_t left = 1; left < kCharacterBytesMax && left <= text.size(); ++left) {
    const auto byte = static_cast<unsigned char>(text[text.size() - left]);
    if (byte < 0x80) return 0;
    if (byte < 0xC0) continue;
    const std::size_t wanted = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
    return wanted > left ? left : 0;
  }
  return 0;
}

// Checks text in pieces, which may end within a character.
class Utf8Check {
 public:
  bool feed(std::string_view piece) {
    const bool is_ascii =
        rest_.empty() && std::all_of(piece.begin(), piece.end(), [](char c) { return (c & 0x80) == 0; });
    if (is_ascii) return true;
    rest_ += piece;
    const std::size_t partial = partial_character_bytes(rest_);
    const bool is_valid = is_valid_utf8(std::string_view(rest_).substr(0, rest_.size() - partial));
    rest_.erase(0, rest_.size() - partial);
    return is_valid;
  }
  bool finish() const { return rest_.empty(); }

 private:
  std::string rest_;
};

}  // namespace

bool has_header(const std::vector<std::vector<std::string>>& rows) {
  bool has_values = false;
  for (std::size_t column = 0; column < rows.front().size(); ++column) {
    const CellKind name = kind_of(rows.front()[column]);
    if (name == CellKind::kEmpty) continue;
    const CellKind below = kind_from(1, rows, column);
    const bool is_typed_below = below != CellKind::kEmpty && below != CellKind::kText;
    if (is_typed_below && name != below) return true;
    has_values = has_values || name != CellKind::kText;
  }
  return !has_values || has_numbered_names(rows) || has_lone_year_name(rows) || has_number_names(rows);
}

bool has_hidden_quote(std::string_view beginning) {
  if (!beginning.starts_with(kUtf8Mark)) return false;
  beginning.remove_prefix(kUtf8Mark.size());
  if (!beginning.starts_with('"')) return false;
  for (std::size_t i = 1; i < beginning.size(); ++i) {
    if (std::string_view(",;\t|\r\n").find(beginning[i]) != std::string_view::npos) return true;
    if (beginning[i] != '"') continue;
    const bool is_doubled = i + 1 < beginning.size() && beginning[i + 1] == '"';
    if (!is_doubled) return false;
    ++i;
  }
  return true;
}

std::optional<CsvShape> plain_shape(std::string_view beginning, bool is_whole) {
  if (has_hidden_quote(beginning)) return std::nullopt;
  if (beginning.starts_with(kUtf8Mark)) beginning.remove_prefix(kUtf8Mark.size());
  std::optional<Rows> rows;
  CsvShape shape;
  bool has_single_column = true;
  for (const char delimiter : kDelimiters) {
    std::optional<Rows> found = rows_by_delimiter(beginning, delimiter, is_whole);
    has_single_column = has_single_column && found && found->front().size() == 1;
    if (!found || found->front().size() == 1) continue;
    if (rows) return std::nullopt;  // Two would do.
    rows = std::move(found);
    shape.delimiter = delimiter;
  }
  if (!rows && has_single_column) rows = rows_by_delimiter(beginning, shape.delimiter, is_whole);
  if (!rows) return std::nullopt;
  shape.columns = rows->front().size();
  shape.has_header = has_header(*rows);
  for (std::size_t column = 0; column < shape.columns; ++column) {
    if (kind_from(shape.has_header ? 1 : 0, *rows, column) == CellKind::kDate)
      shape.date_columns.push_back(column);
  }
  return shape;
}

Result<std::optional<std::uint64_t>> count_plain_rows(inspection::ByteStream& stream, const CsvShape& shape) {
  CsvScanner scanner(shape.delimiter);
  Utf8Check utf8;
  bool is_first = true;
  while (true) {
    SLUICE_TRY(std::string_view piece, stream.next());
    if (piece.empty()) break;
    if (!utf8.feed(piece)) return std::optional<std::uint64_t>();
    if (is_first && piece.starts_with(kUtf8Mark)) piece.remove_prefix(kUtf8Mark.size());
    is_first = false;
    if (!scanner.feed(piece)) return std::optional<std::uint64_t>();
  }
  if (!scanner.finish() || !utf8.finish() || scanner.columns() != shape.columns)
    return std::optional<std::uint64_t>();
  return std::optional(scanner.records() - (shape.has_header ? 1 : 0));
}

}  // namespace sluice::query
