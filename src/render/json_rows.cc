#include <utility>

#include "sluice/base/utf8.h"
#include "sluice/json/writer.h"
#include "sluice/render/cell.h"
#include "sluice/render/rows.h"

namespace sluice::render {

namespace {

constexpr std::uint64_t kTokenBytes = 4;

}  // namespace

std::string_view to_string(Cap cap) {
  switch (cap) {
    case Cap::kRows:
      return "max_rows";
    case Cap::kCells:
      return "max_cells";
    case Cap::kBytes:
      return "max_bytes";
    case Cap::kTokens:
      return "max_tokens";
  }
  return "";
}

std::uint64_t tokens_of(std::uint64_t bytes) { return (bytes + kTokenBytes - 1) / kTokenBytes; }

Meter::Meter(const Budget& budget, std::size_t columns) : budget_(budget), columns_(columns) {}

bool Meter::spend(std::size_t bytes_so_far, std::size_t row_bytes) {
  const std::uint64_t bytes = bytes_so_far + row_bytes;
  if (rows_ + 1 > budget_.rows) {
    hit_ = Cap::kRows;
  } else if ((rows_ + 1) * columns_ > budget_.cells) {
    hit_ = Cap::kCells;
  } else if (bytes > budget_.bytes) {
    hit_ = Cap::kBytes;
  } else if (tokens_of(bytes) > budget_.tokens) {
    hit_ = Cap::kTokens;
  } else {
    ++rows_;
    return true;
  }
  return false;
}

JsonRows::JsonRows(const std::vector<engine::Field>& columns, const JsonOptions& options)
    : options_(options),
      meter_(options.budget, columns.size()),
      out_(options.shape == Shape::kLines ? "" : "[") {
  for (const engine::Field& column : columns) {
    std::string key;
    if (options.shape != Shape::kColumns) {
      json::append_string(key, column.name);
      key += ':';
    }
    if (options.shape == Shape::kColumns) names_bytes_ += column.name.size() + 3;
    keys_.push_back((keys_.empty() ? "" : ",") + std::move(key));
  }
}

void JsonRows::append_cell(const engine::Column& column, std::size_t row) {
  const std::size_t limit = options_.cell_bytes_max;
  if (limit > 0 && column.type->id == engine::TypeId::kText && !column.is_null(row) &&
      column.text(row).size() > limit) {
    json::append_string(out_, std::string(first_bytes(column.text(row), limit)) + "…");
    ++cells_cut_;
    return;
  }
  append_json(out_, column, row, options_.digits);
}

void JsonRows::append_row(const engine::Batch& batch, std::size_t row) {
  const bool records = options_.shape != Shape::kColumns;
  out_ += records ? '{' : '[';
  for (std::size_t i = 0; i < batch.columns.size(); ++i) {
    out_ += keys_[i];
    append_cell(batch.columns[i], row);
  }
  out_ += records ? '}' : ']';
  if (options_.shape == Shape::kLines) out_ += '\n';
}

std::size_t JsonRows::append(const engine::Batch& batch, std::size_t from) {
  std::size_t row = from;
  for (; row < batch.rows && !meter_.hit(); ++row) {
    const std::size_t before = out_.size();
    const std::uint64_t cut_before = cells_cut_;
    if (meter_.rows() > 0 && options_.shape != Shape::kLines) out_ += ',';
    append_row(batch, row);
    if (!meter_.spend(names_bytes_ + drained_bytes_ + before + 1, out_.size() - before)) {
      out_.resize(before);
      cells_cut_ = cut_before;
      break;
    }
  }
  return row - from;
}

std::string JsonRows::drain() {
  drained_bytes_ += out_.size();
  return std::exchange(out_, {});
}

std::string JsonRows::take() && {
  if (options_.shape != Shape::kLines) out_ += ']';
  return std::move(out_);
}

}  // namespace sluice::render
