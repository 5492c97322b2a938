#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/sheets/book.h"

#include "csv_shape.h"
#include "sheet_form.h"
#include "sheet_list.h"

namespace sluice::query {

namespace {

using sheets::Cell;
using sheets::CellKind;

constexpr std::size_t kHeadRows = 200;  // That tell where the table begins.
constexpr std::size_t kHeadBytes = std::size_t{1} << 20U;
constexpr std::size_t kTitleRowsMax = 20;
constexpr std::size_t kNotesOfKindsMax = 10;
constexpr std::size_t kFlushBytes = std::size_t{256} << 10U;
constexpr double kSafeIntegerMax = 9'007'199'254'740'992;  // Doubles keep every integer up to here.
// A text may stand in any number of cells, so that a sheet can be larger than its workbook.
constexpr std::uint64_t kSheetBytesMax = std::uint64_t{1} << 30U;

bool is_integer(double number) { return std::abs(number) <= kSafeIntegerMax && std::floor(number) == number; }

void append_number(std::string& to, double number) {
  std::array<char, 32> text{};
  const auto end = is_integer(number) ? std::to_chars(text.data(), text.data() + text.size(),
                                                      static_cast<std::int64_t>(number))
                                      : std::to_chars(text.data(), text.data() + text.size(), number);
  to.append(text.data(), end.ptr);
}

void append_clock(std::string& to, std::int64_t micros) {
  constexpr std::int64_t kSecond = 1'000'000;
  const std::int64_t seconds = micros / kSecond;
  to += fmt::format("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
  if (micros % kSecond != 0) to += fmt::format(".{:06}", micros % kSecond);
}

void append_day(std::string& to, std::chrono::sys_days day) {
  const std::chrono::year_month_day date(day);
  to += fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                    static_cast<unsigned>(date.day()));
}

// What people read, and SQL casts to the type of the cell.
void append_value(std::string& to, const Cell& cell) {
  const std::chrono::sys_time<std::chrono::microseconds> moment{std::chrono::microseconds(cell.micros)};
  const auto day = std::chrono::floor<std::chrono::days>(moment);
  switch (cell.kind) {
    case CellKind::kNumber:
      return append_number(to, cell.number);
    case CellKind::kBoolean:
      to += cell.number != 0 ? "true" : "false";
      return;
    case CellKind::kText:
      to += cell.text;
      return;
    case CellKind::kDate:
      return append_day(to, day);
    case CellKind::kDateTime:
      append_day(to, day);
      to += ' ';
      return append_clock(to, (moment - day).count());
    case CellKind::kTime:
      return append_clock(to, cell.micros);
    case CellKind::kDuration:
      if (cell.micros < 0) to += '-';
      return append_clock(to, std::abs(cell.micros));
  }
}

void append_quoted(std::string& to, std::string_view text) {
  to += '"';
  for (const char c : text) {
    if (c == '"') to += '"';
    to += c;
  }
  to += '"';
}

// What the cells of a column are.
class ColumnKinds {
 public:
  void add(const Cell& cell) {
    has_values_ = true;
    if (cell.kind == CellKind::kText && cell.text.empty()) {
      has_empty_ = true;
      return;
    }
    kinds_ |= bit(cell.kind);
    if (cell.kind == CellKind::kNumber && !is_integer(cell.number)) has_fractions_ = true;
  }
  bool has_values() const { return has_values_; }
  bool has_empty() const { return has_empty_; }
  bool is_mixed() const { return type() == "VARCHAR" && kinds_ != 0 && kinds_ != bit(CellKind::kText); }
  std::string_view type() const {
    if (kinds_ == bit(CellKind::kNumber)) return has_fractions_ ? "DOUBLE" : "BIGINT";
    if (kinds_ == bit(CellKind::kBoolean)) return "BOOLEAN";
    if (kinds_ == bit(CellKind::kDate)) return "DATE";
    if (kinds_ != 0 && has_only(bit(CellKind::kDate) | bit(CellKind::kDateTime))) return "TIMESTAMP";
    if (kinds_ == bit(CellKind::kTime)) return "TIME";
    if (kinds_ != 0 && has_only(bit(CellKind::kTime) | bit(CellKind::kDuration))) return "INTERVAL";
    return "VARCHAR";
  }

 private:
  static unsigned bit(CellKind kind) { return 1U << static_cast<unsigned>(kind); }
  bool has_only(unsigned kinds) const { return (kinds_ & ~kinds) == 0; }

  unsigned kinds_ = 0;
  bool has_values_ = false;
  bool has_empty_ = false;
  bool has_fractions_ = false;
};

// A row that is held until it is known where the table begins.
struct HeadRow {
  struct HeldCell {
    Cell cell;
    std::string text;
  };
  std::vector<HeldCell> cells;
};

bool has_only_texts(const HeadRow& row) {
  return std::all_of(row.cells.begin(), row.cells.end(),
                     [](const HeadRow::HeldCell& each) { return each.cell.kind == CellKind::kText; });
}

// Rows as text, all of one length: the columns between the first and the last that have a value.
std::vector<std::vector<std::string>> texts_of(std::span<const HeadRow> rows) {
  std::uint32_t first = UINT32_MAX;
  std::uint32_t last = 0;
  for (const HeadRow& row : rows) {
    first = std::min(first, row.cells.front().cell.column);
    last = std::max(last, row.cells.back().cell.column);
  }
  std::vector<std::vector<std::string>> out;
  for (const HeadRow& row : rows) {
    std::vector<std::string>& texts = out.emplace_back(last - first + 1);
    for (const HeadRow::HeldCell& each : row.cells) append_value(texts[each.cell.column - first], each.cell);
  }
  return out;
}

// How many rows at the top are titles: they have fewer values than half of the widest row, and the one below
// them names columns.
std::size_t title_rows(std::span<const HeadRow> rows) {
  std::size_t width = 0;
  for (const HeadRow& row : rows) width = std::max(width, row.cells.size());
  for (std::size_t i = 0; i < std::min(rows.size(), kTitleRowsMax); ++i) {
    if (rows[i].cells.size() < 2 || 2 * rows[i].cells.size() < width) continue;
    const bool names_columns =
        i > 0 && has_only_texts(rows[i]) && i + 1 < rows.size() && has_header(texts_of(rows.subspan(i)));
    return names_columns ? i : 0;
  }
  return 0;
}

class SheetWriter {
 public:
  explicit SheetWriter(const SheetTarget& target)
      : target_(target), bytes_max_(std::min(target.bytes_max, kSheetBytesMax)) {}

  Status take(std::span<const Cell> cells) {
    if (is_begun_) return write(cells);
    HeadRow& row = head_.emplace_back();
    for (const Cell& cell : cells) {
      row.cells.push_back({.cell = cell, .text = std::string(cell.text)});
      head_bytes_ += sizeof(HeadRow::HeldCell) + cell.text.size();
    }
    return head_.size() >= kHeadRows || head_bytes_ >= kHeadBytes ? begin() : Status();
  }

  Result<SheetForm> finish() {
    SLUICE_CHECK(begin());
    SLUICE_CHECK(flush());
    name_columns();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      form_.columns[i].type = columns_[i].type();
      form_.columns[i].has_empty = columns_[i].has_empty() && form_.columns[i].type != "VARCHAR";
    }
    note_kinds();
    const auto is_empty = [](const SheetForm::Column& column) { return column.is_empty; };
    if (std::all_of(form_.columns.begin(), form_.columns.end(), is_empty)) {
      return make_error(ErrorKind::kUnavailable, "read columns: the sheet has none")
          .with_code("unreadable_file")
          .with_hint("The sheet is empty.");
    }
    return std::move(form_);
  }

 private:
  // Decides what the first rows are, and writes those of the table.
  Status begin() {
    if (std::exchange(is_begun_, true) || head_.empty()) return {};
    for (HeadRow& row : head_) {
      for (HeadRow::HeldCell& each : row.cells) each.cell.text = each.text;
    }
    const std::span<const HeadRow> rows(head_);
    std::size_t first = title_rows(rows);
    if (first > 0) {
      form_.notes.push_back(
          fmt::format("The first {} of the sheet that {} values {} left out: {} above the names "
                      "of the columns.",
                      first == 1 ? "row" : fmt::format("{} rows", first), first == 1 ? "has" : "have",
                      first == 1 ? "is" : "are", first == 1 ? "it stands" : "they stand"));
    }
    if (has_header(texts_of(rows.subspan(first)))) {
      for (const HeadRow::HeldCell& each : head_[first].cells) {
        if (each.cell.column >= names_.size()) names_.resize(each.cell.column + 1);
        append_value(names_[each.cell.column], each.cell);
      }
      ++first;
    }
    std::vector<Cell> cells;
    for (std::size_t i = first; i < head_.size(); ++i) {
      cells.clear();
      for (const HeadRow::HeldCell& each : head_[i].cells) cells.push_back(each.cell);
      SLUICE_CHECK(write(cells));
    }
    head_.clear();
    return {};
  }

  Status write(std::span<const Cell> cells) {
    const std::size_t line_begin = pending_.size();
    if (cells.back().column >= columns_.size()) columns_.resize(cells.back().column + 1);
    std::uint32_t column = 0;
    for (const Cell& cell : cells) {
      pending_.append(cell.column - column, ',');
      column = cell.column;
      columns_[column].add(cell);
      if (cell.kind == CellKind::kText) {
        append_quoted(pending_, cell.text);
      } else {
        append_value(pending_, cell);
      }
    }
    pending_ += '\n';
    ++form_.rows;
    form_.line_bytes = std::max(form_.line_bytes, pending_.size() - line_begin);
    return pending_.size() >= kFlushBytes ? flush() : Status();
  }

  Status flush() {
    if (target_.file.bytes() + pending_.size() > bytes_max_) {
      return limit_reached("bytes of a sheet", bytes_max_)
          .with_code("unreadable_file")
          .with_hint("The sheet is too large. Save it as CSV or Parquet.");
    }
    SLUICE_CHECK(target_.file.write(pending_));
    pending_.clear();
    return {};
  }

  // As the columns of CSV are named: those without a name by their number, and no two alike.
  void name_columns() {
    columns_.resize(std::max(columns_.size(), names_.size()));
    names_.resize(columns_.size());
    std::set<std::string> taken;
    std::size_t number = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool is_empty = names_[i].empty() && !columns_[i].has_values();
      const std::string wanted = names_[i].empty() ? fmt::format("column{}", number) : names_[i];
      if (!is_empty) ++number;
      std::string name = is_empty ? fmt::format("column{}_empty", i) : wanted;
      for (std::size_t k = 1; !taken.insert(to_lower_ascii(name)).second; ++k)
        name = fmt::format("{}_{}", wanted, k);
      form_.columns.push_back(
          {.name = std::move(name), .type = {}, .has_empty = false, .is_empty = is_empty});
    }
  }

  void note_kinds() {
    std::size_t mixed = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!columns_[i].is_mixed() || ++mixed > kNotesOfKindsMax) continue;
      form_.notes.push_back(
          fmt::format("Column {}: its cells are of several kinds, so that it is read as text.",
                      encode_controls(excerpt(form_.columns[i].name))));
    }
    if (mixed > kNotesOfKindsMax)
      form_.notes.push_back(fmt::format("The same holds for {} more columns.", mixed - kNotesOfKindsMax));
  }

  const SheetTarget& target_;
  const std::uint64_t bytes_max_;
  bool is_begun_ = false;
  std::vector<HeadRow> head_;
  std::size_t head_bytes_ = 0;
  std::vector<std::string> names_;  // Of the columns, as the sheet has them; some are empty.
  std::vector<ColumnKinds> columns_;
  std::string pending_;
  SheetForm form_;
};

}  // namespace

Result<SheetForm> write_sheet(const fs::File& book, const SheetPlace& place,
                              const inspection::ReadLimits& limits, const SheetTarget& target) {
  SLUICE_TRY(const std::unique_ptr<sheets::Book> opened,
             sheets::open_book(book, book_format(place.format), limits));
  SheetWriter writer(target);
  SLUICE_CHECK(opened->read_sheet(
      place.sheet, [&](std::uint32_t /*row*/, std::span<const Cell> cells) { return writer.take(cells); }));
  return writer.finish();
}

}  // namespace sluice::query
