#include "sluice/render/text_table.h"

#include <algorithm>
#include <utility>

#include "sluice/render/cell.h"
#include "sluice/text/display.h"

namespace sluice::render {

namespace {

constexpr std::string_view kSeparator = " | ";
constexpr std::string_view kEllipsis = "…";
constexpr std::size_t kNarrowest = 5;  // A column is not made narrower than this.
// Cells that are wider are not padded for: one long text would make every line as long.
constexpr std::size_t kPaddedMax = 1'000;

std::size_t line_width(const std::vector<std::size_t>& widths) {
  std::size_t total = 0;
  for (const std::size_t width : widths) total += (total == 0 ? 0 : kSeparator.size()) + width;
  return total;
}

// Makes the widest of the columns that `may_shrink` narrower, all to one width, until the line fits.
void shrink(std::vector<std::size_t>& widths, const std::vector<bool>& may_shrink, std::size_t width_max) {
  const std::vector<std::size_t> wanted = widths;
  const auto apply = [&](std::size_t cap) {
    for (std::size_t i = 0; i < wanted.size(); ++i)
      widths[i] = may_shrink[i] ? std::min(wanted[i], cap) : wanted[i];
    return line_width(widths) <= width_max;
  };
  std::size_t fits = kNarrowest;  // The largest cap that is known to fit, or the least there is.
  std::size_t above = std::max(*std::max_element(wanted.begin(), wanted.end()), kNarrowest) + 1;
  while (fits + 1 < above) {
    const std::size_t middle = fits + (above - fits) / 2;
    (apply(middle) ? fits : above) = middle;
  }
  apply(fits);
}

// The cell as it stands in a column of that width.
std::string fitted(const std::string& cell, std::size_t width) {
  if (text::display_width(cell) <= width) return cell;
  return std::string(text::cut_to_width(cell, width - 1)).append(kEllipsis);
}

}  // namespace

TextTable::TextTable(const std::vector<engine::Field>& columns, const TextTableOptions& options)
    : options_(options), widths_(columns.size()) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    names_.push_back(text::make_visible(columns[i].name, text::LineBreaks::kEscape));
    is_number_.push_back(engine::is_number(columns[i].type.id));
    measure(i, names_[i]);
  }
}

void TextTable::measure(std::size_t column, const std::string& cell) {
  widths_[column] = std::max(widths_[column], text::display_width(cell));
}

std::size_t TextTable::append(const engine::Batch& batch, std::size_t from) {
  std::string value;
  std::size_t row = from;
  for (; row < batch.rows && rows_ < options_.rows_max; ++row) {
    const std::size_t before = cells_.size();
    for (const engine::Column& column : batch.columns) {
      value.clear();
      append_text(value, column, row, Digits::kBrief);
      cells_.push_back(column.is_null(row) ? "NULL" : text::make_visible(value, text::LineBreaks::kEscape));
      bytes_ += cells_.back().size() + sizeof(std::string);
    }
    if (bytes_ > options_.bytes_max) {
      cells_.resize(before);
      break;
    }
    for (std::size_t i = 0; i < columns(); ++i) measure(i, cells_[before + i]);
    ++rows_;
  }
  return row - from;
}

TextTable::Layout TextTable::lay_out() const {
  Layout out{.widths = widths_};
  const std::size_t width_max = options_.width_max;
  if (width_max == 0) return out;
  std::vector<bool> is_text(is_number_);
  is_text.flip();
  for (const std::vector<bool>& may_shrink : {is_text, std::vector<bool>(columns(), true)}) {
    if (line_width(out.widths) > width_max) shrink(out.widths, may_shrink, width_max);
  }
  while (line_width(out.widths) > width_max && out.widths.size() > (out.has_more_columns ? 2 : 1)) {
    if (std::exchange(out.has_more_columns, true)) out.widths.pop_back();
    out.widths.pop_back();
    out.widths.push_back(1);  // Of the ellipsis.
  }
  if (out.has_more_columns) out.widths.pop_back();
  return out;
}

std::string TextTable::line(const Layout& layout, const std::string* cells) const {
  std::string out;
  for (std::size_t i = 0; i < layout.widths.size(); ++i) {
    if (i > 0) out += kSeparator;
    const std::size_t width = layout.widths[i];
    const std::string cell = options_.width_max == 0 ? cells[i] : fitted(cells[i], width);
    const std::size_t taken = text::display_width(cell);
    const std::size_t padded = std::min(width, kPaddedMax);
    const std::string padding(padded > taken ? padded - taken : 0, ' ');
    out += is_number_[i] ? padding + cell : cell + padding;
  }
  if (layout.has_more_columns) out.append(kSeparator).append(kEllipsis);
  out.erase(out.find_last_not_of(' ') + 1);
  return out + "\n";
}

std::string TextTable::header(const Layout& layout) const {
  std::string out = line(layout, names_.data());
  for (std::size_t i = 0; i < layout.widths.size(); ++i) {
    if (i > 0) out += "-+-";
    out.append(std::min(layout.widths[i], kPaddedMax), '-');
  }
  if (layout.has_more_columns) out += "-+--";
  return out + "\n";
}

std::string TextTable::row(const Layout& layout, std::uint64_t row) const {
  return line(layout, cells_.data() + row * columns());
}

}  // namespace sluice::render
