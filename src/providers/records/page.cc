#include "page.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "sluice/json/object_reader.h"
#include "sluice/records/view_plan.h"
#include "sluice/render/cell.h"
#include "sluice/render/feed.h"
#include "sluice/render/rows.h"

namespace sluice::records_provider {

namespace {

using engine::TypeId;

constexpr std::size_t kCutCellBytes = 2'000;
constexpr std::int64_t kExactIntegerMax = std::int64_t{1} << 53U;
constexpr std::uint8_t kExactDigits = 15;
constexpr std::uint8_t kInt64Digits = 18;
constexpr std::uint64_t kSmallDecimal = 1'000'000'000'000'000;  // kExactDigits of them.

Budget budget_of(const PageRequest& request, const Budget& budget) {
  Budget out = budget;
  out.rows = std::min(budget.rows, request.limit);
  out.bytes -= std::min(kEnvelopeBytes, budget.bytes / 2);
  out.tokens -= std::min(kEnvelopeBytes / 4, budget.tokens / 2);
  if (request.limit_is_explicit) out.tokens = std::numeric_limits<std::uint64_t>::max();
  return out;
}

// Whether every cell of a column of this type is a JSON number where it is a number at all.
bool is_always_exact(const engine::Type& type) {
  const TypeId id = type.id;
  if (id == TypeId::kDecimal) return type.width <= kExactDigits;
  return id != TypeId::kInt64 && id != TypeId::kUInt64 && id != TypeId::kInt128 && id != TypeId::kUInt128 &&
         id != TypeId::kBignum;
}

// Whether some number of the column's first rows is text in JSON, as a double would not hold it.
bool has_number_as_text(const engine::Column& column, std::size_t rows) {
  if (column.type->id == TypeId::kInt64) {
    for (std::size_t row = 0; row < rows; ++row) {
      const auto value = column.is_null(row) ? 0 : column.at<std::int64_t>(row);
      if (value > kExactIntegerMax || value < -kExactIntegerMax) return true;
    }
    return false;
  }
  const bool is_wide = column.type->id == TypeId::kDecimal && column.type->width > kInt64Digits;
  std::string cell;
  for (std::size_t row = 0; row < rows; ++row) {
    // Most cells are small, and seen to be so without writing them down.
    if (is_wide && !column.is_null(row)) {
      const auto value = column.at<engine::Int128>(row);
      if (value.high == 0 && value.low < kSmallDecimal) continue;
    }
    cell.clear();
    render::append_json(cell, column, row);
    if (cell.starts_with('"')) return true;
  }
  return false;
}

// Writes batches until the budget is spent.
class PageRows {
 public:
  PageRows(const std::vector<engine::Field>& columns, const Budget& budget)
      : columns_(columns), budget_(budget), rows_(columns, {.budget = budget}), as_text_(columns.size()) {}

  // How many rows of the batch fit.
  std::size_t append(const engine::Batch& batch) {
    std::size_t taken = rows_.append(batch);
    if (taken == 0 && rows_.meter().rows() == 0) taken = take_first_row(batch);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (as_text_[i] || is_always_exact(columns_[i].type)) continue;
      as_text_[i] = has_number_as_text(batch.columns[i], taken);
    }
    return taken;
  }

  Result<Page> finish() && {
    Page page;
    page.size = rows_.meter().rows();
    page.cells_cut = rows_.cells_cut();
    if (page.size == 0 && rows_.meter().hit() && budget_.rows > 0) {
      return make_error(ErrorKind::kLimitReached, "read rows: one row is larger than an answer may be")
          .with_code("oversize_result")
          .with_hint("Name fewer columns.");
    }
    page.rows = std::move(rows_).take();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (as_text_[i]) page.schema.set(columns_[i].name, engine::sql_name(columns_[i].type));
    }
    return page;
  }

 private:
  // A row that is too large alone: a page without rows would never let its reader get past it.
  std::size_t take_first_row(const engine::Batch& batch) {
    if (budget_.rows == 0) return 0;
    Budget one = budget_;
    one.rows = 1;
    one.cells = std::max<std::uint64_t>(one.cells, columns_.size());
    one.tokens = std::numeric_limits<std::uint64_t>::max();
    for (const std::size_t cell_bytes_max : {std::size_t{0}, kCutCellBytes}) {
      rows_ = render::JsonRows(columns_, {.budget = one, .cell_bytes_max = cell_bytes_max});
      rows_.append(batch);
      if (rows_.meter().rows() == 1) return 1;
    }
    return 0;
  }

  const std::vector<engine::Field>& columns_;  // The rows' own, which outlive this.
  Budget budget_;
  render::JsonRows rows_;
  std::vector<bool> as_text_;
};

}  // namespace

Result<std::uint64_t> count_rows(const records::View& view, const plan::NodePtr& rows,
                                 const plan::Guard& guard, const engine::RunLimits& limits) {
  SLUICE_TRY(plan::NodePtr count,
             plan::aggregate(
                 rows, {}, {{.function = plan::AggregateFunction::kCountRows, .column = 0, .name = "rows"}}));
  SLUICE_TRY(
      const std::unique_ptr<engine::Rows> counted,
      view.engine->query(records::statement_of(view, plan::physical_plan(std::move(count), guard)), limits));
  SLUICE_TRY(const engine::Batch* batch, counted->next());
  return batch == nullptr ? 0 : static_cast<std::uint64_t>(batch->columns.front().at<std::int64_t>(0));
}

Result<PageRequest> page_request(const json::Object& arguments, std::uint64_t usual_limit) {
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const std::optional<std::int64_t> limit, in.optional_int("limit"));
  SLUICE_TRY(const std::optional<std::int64_t> offset, in.optional_int("offset"));
  if (limit.value_or(0) < 0 || offset.value_or(0) < 0) {
    return invalid_input("limit and offset are 0 or more")
        .with_code("invalid_limit")
        .with_hint("Leave them out.");
  }
  PageRequest out;
  out.limit = limit ? static_cast<std::uint64_t>(*limit) : usual_limit;
  out.limit_is_explicit = limit.has_value();
  out.offset = static_cast<std::uint64_t>(offset.value_or(0));
  return out;
}

Result<Page> read_page(const RowsQuery& query, const PageRequest& request, const Budget& budget,
                       const engine::RunLimits& limits) {
  const Budget own = budget_of(request, budget);
  const plan::PhysicalPlan wanted =
      plan::physical_plan(plan::limit(query.rows, own.rows, request.offset), query.guard);
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows,
             query.view.engine->query(records::statement_of(query.view, wanted), limits));
  PageRows out(rows->columns(), own);
  SLUICE_TRY(const bool complete, render::feed(*rows, out));
  SLUICE_TRY(Page page, std::move(out).finish());
  page.offset = request.offset;
  page.limit = request.limit;
  const bool at_the_end = complete && page.size < own.rows && (page.size > 0 || request.offset == 0);
  const bool is_filtered = std::holds_alternative<plan::Filter>(query.matching->op);
  if (!is_filtered && request.known_total) {
    page.total = *request.known_total;
  } else if (at_the_end) {
    page.total = request.offset + page.size;
  } else {
    SLUICE_TRY(page.total, count_rows(query.view, query.matching, query.guard, limits));
  }
  return page;
}

std::string cut_cells_warning(std::uint64_t cells_cut) {
  return fmt::format(
      "{} long texts were cut and end in …; read_parquet with single `columns` shows more of them.",
      cells_cut);
}

void write_page_notes(json::Writer& out, const Page& page) {
  out.field("has_more", page.has_more());
  if (page.has_more()) out.field("next_offset", page.offset + page.size);
  if (page.cells_cut > 0) {
    out.field("warning", cut_cells_warning(page.cells_cut));
  }
  if (!page.schema.empty()) {
    out.key("schema").begin_object();
    out.field("numbers_as_text", json::Value(page.schema)).end_object();
  }
}

}  // namespace sluice::records_provider
