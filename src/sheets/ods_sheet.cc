#include "ods_sheet.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "sluice/sheets/limits.h"

#include "failure.h"
#include "moment.h"
#include "xml.h"

namespace sluice::sheets {

namespace {

constexpr const char* kContentPart = "content.xml";

constexpr XmlName office(std::string_view local) { return {.space = XmlSpace::kOffice, .local = local}; }
constexpr XmlName table(std::string_view local) { return {.space = XmlSpace::kTable, .local = local}; }
constexpr XmlName text_tag(std::string_view local) { return {.space = XmlSpace::kText, .local = local}; }

// How often a cell or a row stands there.
std::uint64_t repeats(const XmlAttributes& attributes, std::string_view name) {
  const std::string_view value = attributes.find(table(name)).value_or("1");
  std::uint64_t out = 1;
  std::from_chars(value.data(), value.data() + value.size(), out);
  return std::clamp<std::uint64_t>(out, 1, std::uint64_t{1} << 32U);
}

// Follows which element the parser is in: only tables that stand in the spreadsheet itself are its sheets.
class TableHandler : public XmlHandler {
 public:
  void start(const XmlName& name, const XmlAttributes& attributes) final {
    ++depth_;
    if (sheets_depth_ == 0 && name == office("spreadsheet")) {
      sheets_depth_ = depth_;
    } else if (sheets_depth_ != 0 && depth_ == sheets_depth_ + 1 && name == table("table")) {
      is_in_table_ = true;
      begin_table(attributes.find(table("name")).value_or(""));
    } else if (is_in_table_) {
      start_within(name, attributes);
    }
  }
  void end(const XmlName& name) final {
    if (is_in_table_ && depth_ == sheets_depth_ + 1) {
      is_in_table_ = false;
      end_table();
    } else if (is_in_table_) {
      end_within(name);
    } else if (depth_ == sheets_depth_) {
      sheets_depth_ = 0;
    }
    --depth_;
  }

 protected:
  virtual void begin_table(std::string_view name) = 0;
  virtual void end_table() {}
  virtual void start_within(const XmlName& /*name*/, const XmlAttributes& /*attributes*/) {}
  virtual void end_within(const XmlName& /*name*/) {}

 private:
  std::size_t depth_ = 0;
  std::size_t sheets_depth_ = 0;  // Of the element whose children the sheets are; 0: not in it.
  bool is_in_table_ = false;
};

class NamesHandler final : public TableHandler {
 public:
  SheetChoice take() { return std::move(choice_); }

 private:
  void begin_table(std::string_view name) override {
    name_ = name;
    has_values_ = false;
  }
  void start_within(const XmlName& name, const XmlAttributes& attributes) override {
    if (!has_values_ && name == table("table-cell"))
      has_values_ = attributes.find(office("value-type")).has_value();
  }
  void end_table() override {
    if (++count_ <= kSheetsMax) choice_.add(std::move(name_), has_values_);
  }
  std::string name_;
  bool has_values_ = false;
  std::size_t count_ = 0;
  SheetChoice choice_;
};

// The text of one cell: its paragraphs, in which white space is folded as in HTML.
class CellText {
 public:
  void clear() {
    text_.clear();
    has_paragraph_ = false;
  }
  void begin_paragraph() {
    if (has_paragraph_) text_ += '\n';
    has_paragraph_ = true;
    is_after_space_ = true;  // Blanks at the beginning count for nothing.
  }
  void add(std::string_view text) {
    for (const char c : text) {
      const bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
      if (!is_blank) {
        text_ += c;
      } else if (!is_after_space_) {
        text_ += ' ';
      }
      is_after_space_ = is_blank;
    }
  }
  void add_kept(std::string_view text) {
    text_ += text;
    is_after_space_ = false;
  }
  bool has_paragraph() const { return has_paragraph_; }
  std::size_t bytes() const { return text_.size(); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool has_paragraph_ = false;
  bool is_after_space_ = false;
};

class CellsHandler final : public TableHandler {
 public:
  CellsHandler(std::size_t sheet, const RowSink& sink) : sheet_(sheet), sink_(sink) {}

  void text(std::string_view text) override {
    if (is_in_paragraph_ && skipped_depth_ == 0) cell_text_.add(text);
  }

 private:
  struct Placed {
    Cell cell;
    std::string text;
    std::uint64_t count = 1;
    bool has_value = false;
    bool takes_text = false;  // Its value is its text.
  };
  struct Position {
    std::uint64_t row = 0;
    std::uint64_t row_repeats = 1;
    std::uint64_t column = 0;
    std::uint64_t given_cells = 0;
  };

  bool is_wanted() const { return begun_ == sheet_ + 1; }

  void begin_table(std::string_view /*name*/) override {
    ++begun_;
    at_.row = 0;
  }
  void end_table() override {
    if (is_wanted()) finish();
  }

  void start_within(const XmlName& name, const XmlAttributes& attributes) override {
    if (!is_wanted()) return;
    if (skipped_depth_ != 0 || is_skipped(name)) {
      ++skipped_depth_;
    } else if (name == table("table-row")) {
      at_.row_repeats = repeats(attributes, "number-rows-repeated");
      at_.column = 0;
      cells_.clear();
    } else if (name == table("table-cell") || name == table("covered-table-cell")) {
      begin_cell(attributes);
    } else if (name == text_tag("p")) {
      is_in_paragraph_ = true;
      cell_text_.begin_paragraph();
    } else if (is_in_paragraph_) {
      add_blanks(name, attributes);
    }
  }

  void end_within(const XmlName& name) override {
    if (!is_wanted()) return;
    if (skipped_depth_ != 0) {
      --skipped_depth_;
    } else if (name == table("table-row")) {
      end_row();
    } else if (name == table("table-cell") || name == table("covered-table-cell")) {
      end_cell();
    } else if (name == text_tag("p")) {
      is_in_paragraph_ = false;
    }
  }

  // What stands in a cell without being its value: notes, pictures and what they show.
  static bool is_skipped(const XmlName& name) {
    return name == office("annotation") || name == table("shapes") || name.space == XmlSpace::kOther;
  }

  void add_blanks(const XmlName& name, const XmlAttributes& attributes) {
    if (name == text_tag("s")) {
      const std::string_view value = attributes.find(text_tag("c")).value_or("1");
      std::size_t count = 1;
      std::from_chars(value.data(), value.data() + value.size(), count);
      if (count > kXmlTagBytesMax) return fail(too_large_book("spaces in a cell", kXmlTagBytesMax));
      cell_text_.add_kept(std::string(count, ' '));
    } else if (name == text_tag("tab")) {
      cell_text_.add_kept("\t");
    } else if (name == text_tag("line-break")) {
      cell_text_.add_kept("\n");
    }
  }

  void begin_cell(const XmlAttributes& attributes) {
    cell_text_.clear();
    current_ = Placed{.cell = {},
                      .text = {},
                      .count = repeats(attributes, "number-columns-repeated"),
                      .has_value = false,
                      .takes_text = false};
    const std::string_view type = attributes.find(office("value-type")).value_or("");
    if (attributes.find({.space = XmlSpace::kCalc, .local = "value-type"}).value_or("") == "error") return;
    if (type == "float" || type == "percentage" || type == "currency") {
      set_value(attributes.find(office("value")).value_or(""));
    } else if (type == "date") {
      current_.has_value = set_iso_moment(current_.cell, attributes.find(office("date-value")).value_or(""));
    } else if (type == "time") {
      current_.has_value =
          set_iso_duration(current_.cell, attributes.find(office("time-value")).value_or(""));
    } else if (type == "boolean") {
      current_.has_value = true;
      current_.cell.kind = CellKind::kBoolean;
      current_.cell.number = attributes.find(office("boolean-value")).value_or("") == "true" ? 1 : 0;
    } else if (type == "string") {
      current_.has_value = true;
      current_.cell.kind = CellKind::kText;
      const std::optional<std::string_view> value = attributes.find(office("string-value"));
      current_.takes_text = !value;
      current_.text = value.value_or("");
    }
  }

  void set_value(std::string_view value) {
    const auto parsed = std::from_chars(value.data(), value.data() + value.size(), current_.cell.number);
    if (parsed.ec != std::errc{} || parsed.ptr != value.data() + value.size())
      return fail(damaged_book("a cell has no number"));
    current_.has_value = std::isfinite(current_.cell.number);
  }

  void end_cell() {
    const std::uint64_t first = at_.column;
    at_.column += current_.count;
    if (!current_.has_value) return;
    if (at_.column > kSheetColumnsMax) return fail(too_large_book("columns of a sheet", kSheetColumnsMax));
    if (current_.takes_text) current_.text = cell_text_.text();
    current_.cell.column = static_cast<std::uint32_t>(first);
    cells_.push_back(std::move(current_));
    current_ = {};
  }

  void end_row() {
    const std::uint64_t first = at_.row;
    at_.row += at_.row_repeats;
    if (cells_.empty()) return;
    if (at_.row > kSheetRowsMax) return fail(too_large_book("rows of a sheet", kSheetRowsMax));
    row_cells_.clear();
    for (const Placed& each : cells_) {
      for (std::uint64_t i = 0; i < each.count; ++i) {
        Cell& cell = row_cells_.emplace_back(each.cell);
        cell.column += static_cast<std::uint32_t>(i);
        cell.text = each.text;
      }
    }
    at_.given_cells += row_cells_.size() * at_.row_repeats;
    if (at_.given_cells > kSheetCellsMax) return fail(too_large_book("cells of a sheet", kSheetCellsMax));
    for (std::uint64_t row = first; row < at_.row && !has_ended(); ++row)
      check(sink_(static_cast<std::uint32_t>(row), row_cells_));
  }

  const std::size_t sheet_;
  const RowSink& sink_;
  std::size_t begun_ = 0;  // Tables.
  std::size_t skipped_depth_ = 0;
  bool is_in_paragraph_ = false;
  Position at_;
  CellText cell_text_;
  Placed current_;
  std::vector<Placed> cells_;
  std::vector<Cell> row_cells_;
};

}  // namespace

Result<SheetChoice> list_ods_sheets(Archive& archive) {
  NamesHandler handler;
  SLUICE_CHECK(read_xml(archive, kContentPart, handler));
  return handler.take();
}

Status read_ods_sheet(Archive& archive, std::size_t sheet, const RowSink& sink) {
  CellsHandler handler(sheet, sink);
  return read_xml(archive, kContentPart, handler);
}

}  // namespace sluice::sheets
