#include "xls_sheet.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <utility>

#include "sluice/sheets/limits.h"

#include "biff_reader.h"
#include "failure.h"

namespace sluice::sheets {

namespace {

constexpr std::uint16_t kXlsColumnsMax = 256;  // No sheet of this format has more.

struct StoredCell {
  std::uint16_t row = 0;
  std::uint16_t column = 0;
  CellKind kind = CellKind::kNumber;
  double number = 0;  // kText: the place of the text.
  std::int64_t micros = 0;
};

// A number of 30 bits: an integer or the upper half of a double, and perhaps hundredths of it.
double short_number(std::uint32_t bits) {
  double out = 0;
  if ((bits & 2U) != 0) {
    out = static_cast<double>(static_cast<std::int32_t>(bits) >> 2);
  } else {
    const std::uint64_t wide = std::uint64_t{bits & 0xFFFFFFFCU} << 32U;
    std::memcpy(&out, &wide, sizeof(out));
  }
  return (bits & 1U) != 0 ? out / 100 : out;
}

class XlsSheetReader {
 public:
  XlsSheetReader(const CompoundStream& stream, std::uint64_t offset, const XlsTables& tables)
      : reader_(stream, offset), tables_(tables) {}

  Status read() {
    BiffRecord record;
    std::size_t depth = 0;  // Charts within the sheet are sheets of their own.
    while (true) {
      SLUICE_TRY(const bool has_more, reader_.next(record));
      if (!has_more) return depth == 0 ? Status() : damaged_book("a sheet ends too early");
      if (record.type == BiffType::kBegin) {
        ++depth;
      } else if (record.type == BiffType::kEnd) {
        if (depth <= 1) return {};
        --depth;
      } else if (depth == 1) {
        SLUICE_CHECK(take(record));
      } else if (depth == 0) {
        return damaged_book("a sheet does not begin where the list of sheets says");
      }
      if (is_too_wide_) return too_large_book("columns of a sheet", kXlsColumnsMax);
      if (record.is_short()) return damaged_book("a record is too short");
      if (cells_.size() > kSheetCellsMax) return too_large_book("cells of a sheet", kSheetCellsMax);
    }
  }

  Status give(const RowSink& sink) {
    const auto key = [](const StoredCell& cell) { return std::pair(cell.row, cell.column); };
    const auto is_before = [&](const StoredCell& a, const StoredCell& b) { return key(a) < key(b); };
    if (!std::is_sorted(cells_.begin(), cells_.end(), is_before))
      std::stable_sort(cells_.begin(), cells_.end(), is_before);
    std::vector<Cell> row;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const StoredCell& stored = cells_[i];
      // Of two cells at one place the later one counts.
      if (i + 1 == cells_.size() || key(cells_[i + 1]) != key(stored)) row.push_back(given(stored));
      if (row.empty() || (i + 1 < cells_.size() && cells_[i + 1].row == stored.row)) continue;
      SLUICE_CHECK(sink(stored.row, row));
      row.clear();
    }
    return {};
  }

 private:
  Cell given(const StoredCell& stored) const {
    Cell cell{.column = stored.column,
              .kind = stored.kind,
              .number = stored.number,
              .micros = stored.micros,
              .text = {}};
    if (stored.kind == CellKind::kText) {
      const auto place = static_cast<std::size_t>(stored.number);
      cell.number = 0;
      cell.text =
          place < tables_.texts.size() ? tables_.texts[place] : own_texts_[place - tables_.texts.size()];
    }
    return cell;
  }

  Status take(BiffRecord& record) {
    switch (record.type) {
      case BiffType::kNumber: {
        StoredCell cell = place(record);
        const std::uint16_t style = record.u16();
        add_number(cell, style, record.f64());
        return {};
      }
      case BiffType::kShortNumber: {
        StoredCell cell = place(record);
        const std::uint16_t style = record.u16();
        add_number(cell, style, short_number(record.u32()));
        return {};
      }
      case BiffType::kManyNumbers:
        take_many(record);
        return {};
      case BiffType::kSharedTextCell:
        return take_shared_text(record);
      case BiffType::kTextCell:
      case BiffType::kRichText: {
        StoredCell cell = place(record);
        record.skip(2);
        const std::size_t characters = record.u16();
        add_text(cell, record.text_with_flags(characters));
        return {};
      }
      case BiffType::kBooleanOrError: {
        StoredCell cell = place(record);
        record.skip(2);
        const bool value = record.u8() != 0;
        if (record.u8() == 0) add_boolean(cell, value);
        return {};
      }
      case BiffType::kFormula:
        take_formula(record);
        return {};
      case BiffType::kFormulaText: {
        if (formula_.kind != CellKind::kText) return {};
        const std::size_t characters = record.u16();
        add_text(formula_, record.text_with_flags(characters));
        formula_ = {};
        return {};
      }
      default:
        return {};
    }
  }

  static StoredCell place(BiffRecord& record) {
    StoredCell out;
    out.row = record.u16();
    out.column = record.u16();
    return out;
  }

  void store(const StoredCell& cell) {
    is_too_wide_ = is_too_wide_ || cell.column >= kXlsColumnsMax;
    cells_.push_back(cell);
  }

  void add_number(StoredCell cell, std::uint16_t style, double number) {
    if (!std::isfinite(number)) return;
    const NumberUse use = style < tables_.styles.size() ? tables_.styles[style] : NumberUse::kNumber;
    Cell valued;
    if (!set_number(valued, number, use, tables_.epoch)) return;
    cell.kind = valued.kind;
    cell.number = valued.number;
    cell.micros = valued.micros;
    store(cell);
  }

  void add_text(StoredCell cell, std::string text) {
    cell.kind = CellKind::kText;
    cell.number = static_cast<double>(tables_.texts.size() + own_texts_.size());
    own_texts_.push_back(std::move(text));
    store(cell);
  }

  void add_boolean(StoredCell cell, bool value) {
    cell.kind = CellKind::kBoolean;
    cell.number = value ? 1 : 0;
    store(cell);
  }

  void take_many(BiffRecord& record) {
    constexpr std::size_t kNumberBytes = 6;
    StoredCell cell = place(record);
    while (record.left() >= kNumberBytes + 2) {
      const std::uint16_t style = record.u16();
      add_number(cell, style, short_number(record.u32()));
      ++cell.column;
    }
  }

  Status take_shared_text(BiffRecord& record) {
    StoredCell cell = place(record);
    record.skip(2);
    const std::uint32_t index = record.u32();
    if (index >= tables_.texts.size()) return damaged_book("a cell refers to a text that is not there");
    cell.kind = CellKind::kText;
    cell.number = index;
    store(cell);
    return {};
  }

  // Its stored value is a number, or says that it is none: a text follows in a record of its own.
  void take_formula(BiffRecord& record) {
    constexpr std::size_t kValueAt = 6;
    formula_ = {};
    StoredCell cell = place(record);
    const std::uint16_t style = record.u16();
    const std::uint8_t type = record.u8();
    record.skip(1);
    const std::uint8_t value = record.u8();
    record.skip(3);
    if (record.u16() != 0xFFFF) {
      record.seek(kValueAt);
      add_number(cell, style, record.f64());
      return;
    }
    if (type == 0) {
      formula_ = cell;
      formula_.kind = CellKind::kText;
    } else if (type == 1) {
      add_boolean(cell, value != 0);
    } else if (type == 3) {
      add_text(cell, "");
    }
  }

  BiffReader reader_;
  const XlsTables& tables_;
  bool is_too_wide_ = false;
  StoredCell formula_;  // Whose text follows; a number where none is awaited.
  std::vector<StoredCell> cells_;
  std::deque<std::string> own_texts_;  // Behind the shared ones.
};

}  // namespace

Result<bool> has_xls_values(const CompoundStream& stream, std::uint64_t offset) {
  BiffReader reader(stream, offset);
  BiffRecord record;
  while (true) {
    SLUICE_TRY(const bool has_more, reader.next(record));
    if (!has_more || record.type == BiffType::kEnd) return false;
    switch (record.type) {
      case BiffType::kNumber:
      case BiffType::kShortNumber:
      case BiffType::kManyNumbers:
      case BiffType::kSharedTextCell:
      case BiffType::kTextCell:
      case BiffType::kRichText:
      case BiffType::kBooleanOrError:
      case BiffType::kFormula:
        return true;
      default:
        break;
    }
  }
}

Status read_xls_sheet(const CompoundStream& stream, std::uint64_t offset, const XlsTables& tables,
                      const RowSink& sink) {
  XlsSheetReader reader(stream, offset, tables);
  SLUICE_CHECK(reader.read());
  return reader.give(sink);
}

}  // namespace sluice::sheets
