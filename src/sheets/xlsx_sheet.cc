#include "xlsx_sheet.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/sheets/limits.h"

#include "failure.h"
#include "xml.h"

namespace sluice::sheets {

namespace {

constexpr std::size_t kLettersMax = 3;  // XFD is the last column.

constexpr XmlName cell_tag(std::string_view local) {
  return {.space = XmlSpace::kSpreadsheet, .local = local};
}

std::optional<std::string_view> plain(const XmlAttributes& attributes, std::string_view name) {
  return attributes.find({.space = XmlSpace::kNone, .local = name});
}

// BC12 → 54. The column counts from 0; its number is given even where it is too large.
std::optional<std::uint32_t> column_of(std::string_view reference) {
  std::uint32_t out = 0;
  std::size_t letters = 0;
  for (const char c : reference) {
    if (c < 'A' || c > 'Z') break;
    if (++letters > kLettersMax) return std::nullopt;
    out = out * 26 + static_cast<std::uint32_t>(c - 'A' + 1);
  }
  if (letters == 0) return std::nullopt;
  return out - 1;
}

std::optional<double> double_of(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\n')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.remove_suffix(1);
  double out = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), out);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() || !std::isfinite(out))
    return std::nullopt;
  return out;
}

class ValueFinder final : public XmlHandler {
 public:
  void start(const XmlName& name, const XmlAttributes& /*attributes*/) override {
    if (name == cell_tag("sheetData")) is_in_data_ = true;
    has_found_ = is_in_data_ && (name == cell_tag("v") || name == cell_tag("is"));
    if (has_found_) finish();
  }
  void end(const XmlName& name) override {
    if (name == cell_tag("sheetData")) finish();
  }
  bool has_found() const { return has_found_; }

 private:
  bool is_in_data_ = false;
  bool has_found_ = false;
};

class SheetHandler final : public XmlHandler {
 public:
  SheetHandler(const XlsxTables& tables, const RowSink& sink) : tables_(tables), sink_(sink) {}

  void start(const XmlName& name, const XmlAttributes& attributes) override {
    if (name == cell_tag("sheetData")) is_in_data_ = true;
    if (!is_in_data_) return;
    if (name == cell_tag("row")) {
      begin_row(attributes);
    } else if (name == cell_tag("c")) {
      begin_cell(attributes);
    } else if (name == cell_tag("rPh")) {
      is_in_reading_ = true;
    } else if (name == cell_tag("v") || name == cell_tag("t")) {
      is_in_value_ = !is_in_reading_;
    }
  }

  void end(const XmlName& name) override {
    if (!is_in_data_) return;
    if (name == cell_tag("sheetData")) {
      finish();
    } else if (name == cell_tag("row")) {
      end_row();
    } else if (name == cell_tag("c")) {
      end_cell();
    } else if (name == cell_tag("rPh")) {
      is_in_reading_ = false;
    } else if (name == cell_tag("v") || name == cell_tag("t")) {
      cell_.has_value = cell_.has_value || is_in_value_;
      is_in_value_ = false;
    }
  }

  void text(std::string_view text) override {
    if (is_in_value_) cell_.value += text;
  }

 private:
  // A cell whose text, if it has its own, is in `texts_`.
  struct Placed {
    Cell cell;
    std::size_t offset = 0;
    std::size_t bytes = 0;
    bool has_own_text = false;
  };

  struct Position {
    std::uint32_t row = 0;
    std::uint32_t next_row = 0;
    std::uint32_t column = 0;
    std::uint32_t next_column = 0;
  };
  // The cell that is read.
  struct Current {
    std::string type;
    std::size_t style = 0;
    std::string value;
    bool has_value = false;
  };

  std::string place() const { return fmt::format("row {}, column {}", at_.row + 1, at_.column + 1); }

  void begin_row(const XmlAttributes& attributes) {
    std::uint64_t row = at_.next_row;
    if (const std::optional<std::string_view> number = plain(attributes, "r")) {
      const auto parsed = std::from_chars(number->data(), number->data() + number->size(), row);
      if (parsed.ec != std::errc{} || row == 0) return fail(damaged_book("a row has no number"));
      --row;
    }
    if (row < at_.next_row) return fail(damaged_book(fmt::format("its rows are out of order: {}", row + 1)));
    if (row >= kSheetRowsMax) return fail(too_large_book("rows of a sheet", kSheetRowsMax));
    at_.row = static_cast<std::uint32_t>(row);
    at_.next_row = at_.row + 1;
    at_.next_column = 0;
    cells_.clear();
    texts_.clear();
  }

  void begin_cell(const XmlAttributes& attributes) {
    at_.column = at_.next_column;
    if (const std::optional<std::string_view> reference = plain(attributes, "r")) {
      const std::optional<std::uint32_t> column = column_of(*reference);
      if (!column) return fail(damaged_book("a cell has no column: " + excerpt(*reference)));
      at_.column = *column;
    }
    if (at_.column < at_.next_column) return fail(damaged_book("its cells are out of order: " + place()));
    at_.next_column = at_.column + 1;
    cell_.type = plain(attributes, "t").value_or("n");
    cell_.style = 0;
    if (const std::optional<std::string_view> style = plain(attributes, "s"))
      std::from_chars(style->data(), style->data() + style->size(), cell_.style);
    cell_.value.clear();
    cell_.has_value = false;
  }

  void end_cell() {
    if (!cell_.has_value || cell_.type == "e") return;
    if (at_.column >= kSheetColumnsMax) return fail(too_large_book("columns of a sheet", kSheetColumnsMax));
    Placed placed;
    placed.cell.column = at_.column;
    if (cell_.type == "s") {
      add_shared(placed);
    } else if (cell_.type == "str" || cell_.type == "inlineStr") {
      add_own(placed);
    } else if (cell_.type == "b") {
      placed.cell.kind = CellKind::kBoolean;
      placed.cell.number = cell_.value == "1" || cell_.value == "true" ? 1 : 0;
      cells_.push_back(placed);
    } else if (cell_.type == "d") {
      if (set_iso_moment(placed.cell, cell_.value)) cells_.push_back(placed);
    } else {
      add_number(placed);
    }
  }

  void add_shared(Placed& placed) {
    std::size_t index = 0;
    const auto parsed = std::from_chars(cell_.value.data(), cell_.value.data() + cell_.value.size(), index);
    if (parsed.ec != std::errc{} || index >= tables_.texts.size())
      return fail(damaged_book("a cell refers to a text that is not there: " + place()));
    placed.cell.kind = CellKind::kText;
    placed.cell.text = tables_.texts.at(index);
    cells_.push_back(placed);
  }

  void add_own(Placed& placed) {
    placed.cell.kind = CellKind::kText;
    placed.has_own_text = true;
    placed.offset = texts_.size();
    append_unescaped(texts_, cell_.value);
    placed.bytes = texts_.size() - placed.offset;
    cells_.push_back(placed);
  }

  void add_number(Placed& placed) {
    if (cell_.value.empty()) return;
    const std::optional<double> number = double_of(cell_.value);
    if (!number) return fail(damaged_book("a cell has no number: " + place()));
    const NumberUse use =
        cell_.style < tables_.styles.size() ? tables_.styles[cell_.style] : NumberUse::kNumber;
    if (set_number(placed.cell, *number, use, tables_.epoch)) cells_.push_back(placed);
  }

  void end_row() {
    if (cells_.empty()) return;
    row_cells_.clear();
    for (Placed& each : cells_) {
      if (each.has_own_text) each.cell.text = std::string_view(texts_).substr(each.offset, each.bytes);
      row_cells_.push_back(each.cell);
    }
    check(sink_(at_.row, row_cells_));
    cells_.clear();
  }

  const XlsxTables& tables_;
  const RowSink& sink_;
  bool is_in_data_ = false;
  bool is_in_value_ = false;
  bool is_in_reading_ = false;
  Position at_;
  Current cell_;
  std::string texts_;  // Of the cells of the row.
  std::vector<Placed> cells_;
  std::vector<Cell> row_cells_;
};

}  // namespace

Result<bool> has_xlsx_values(Archive& archive, const std::string& part) {
  ValueFinder finder;
  SLUICE_CHECK(read_xml(archive, part, finder));
  return finder.has_found();
}

Status read_xlsx_sheet(Archive& archive, const std::string& part, const XlsxTables& tables,
                       const RowSink& sink) {
  SheetHandler handler(tables, sink);
  return read_xml(archive, part, handler);
}

}  // namespace sluice::sheets
