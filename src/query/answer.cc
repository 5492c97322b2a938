#include "sluice/query/answer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/query/statement.h"
#include "sluice/render/arrow_rows.h"
#include "sluice/render/feed.h"

#include "answer_rows.h"

namespace sluice::query {

namespace {

// Of a preview in CSV, which is for reading: about 400 tokens where rows are mostly numbers.
constexpr std::uint64_t kBriefPreviewBytes = 900;

bool exceeds(const Estimate& estimate, const Budget& budget) {
  return estimate.rows > budget.rows || estimate.bytes > budget.bytes || estimate.tokens > budget.tokens;
}

class Answering {
 public:
  Answering(engine::Engine& engine, Spool& spool, const AnswerRequest& request)
      : engine_(engine), spool_(spool), request_(request) {
    answer_.warnings = request.question.warnings;
  }

  Result<Answer> run() {
    SLUICE_TRY(relation_, open_relation(engine_, request_));
    const bool wants_file = request_.format != Format::kJson;
    const bool surely_too_large = request_.estimate && exceeds(*request_.estimate, request_.budget) &&
                                  request_.estimate->kind == EstimateKind::kExact;
    if (request_.excess) {
      answer_.cap = request_.excess->cap;
      answer_.row_bytes = request_.excess->row_bytes;
    } else if (!wants_file && !surely_too_large && !request_.is_kept) {
      SLUICE_TRY(const bool fits, direct());
      if (fits) return std::move(answer_);
    }
    SLUICE_CHECK(snapshot());
    return std::move(answer_);
  }

  Result<Attempt> try_directly() {
    SLUICE_TRY(relation_, open_relation(engine_, request_));
    return attempt();
  }

  Result<Attempt> try_at_source() {
    SLUICE_TRY(relation_, request_.dataset->open(*request_.table, request_.limits, &question()));
    if (!relation_.answer) return Attempt{};
    return attempt();
  }

 private:
  Result<Attempt> attempt() {
    SLUICE_TRY(const bool fits, direct());
    if (!fits)
      return Attempt{.answer = {}, .excess = Excess{.cap = answer_.cap, .row_bytes = answer_.row_bytes}};
    return Attempt{.answer = std::move(answer_), .excess = {}};
  }

  const expression::Question& question() const { return request_.question; }

  // A limit is passed by one row, to see whether there are more.
  std::optional<std::uint64_t> limit_and_one() const {
    if (!question().limit) return std::nullopt;
    return *question().limit + 1;
  }

  Result<bool> direct() {
    Budget budget = request_.budget;
    const bool limit_is_lower = question().limit && *question().limit <= budget.rows;
    if (limit_is_lower) budget.rows = *question().limit;
    SLUICE_TRY(const std::unique_ptr<engine::Rows> rows,
               open_rows(engine_, request_, relation_, limit_and_one()));
    if (request_.shape == render::Shape::kCsv)
      return direct(*rows,
                    render::CsvRows(rows->columns(),
                                    {.budget = budget, .is_for_reading = true, .digits = request_.digits}),
                    limit_is_lower);
    return direct(*rows,
                  render::JsonRows(rows->columns(),
                                   {.shape = request_.shape, .budget = budget, .digits = request_.digits}),
                  limit_is_lower);
  }

  template <typename Writer>
  Result<bool> direct(engine::Rows& rows, Writer out, bool limit_is_lower) {
    SLUICE_TRY(const bool complete, render::feed(rows, out));
    const bool limited = limit_is_lower && out.meter().hit() == render::Cap::kRows;
    if (!complete && !limited) {
      answer_.cap = out.meter().hit();
      if (out.meter().rows() > 0) {
        answer_.row_bytes = static_cast<double>(out.bytes()) / static_cast<double>(out.meter().rows());
      }
      return false;
    }
    answer_.columns = rows.columns();
    answer_.row_count = out.meter().rows();
    answer_.rows_shown = answer_.row_count;
    answer_.is_limited = limited;
    warn_of_escapes(out.has_escaped_breaks());
    answer_.rows = std::move(out).take();
    return true;
  }

  void warn_of_escapes(bool has_escaped_breaks) {
    if (has_escaped_breaks)
      answer_.warnings.emplace_back(
          "In a cell, \\n is a line break before # or --; format json shows the text as it is.");
  }

  // Whether the result may have any number of rows: query arguments never give more than the data has, and a
  // limit makes the engine write with one thread.
  bool needs_row_bound() const {
    const std::uint64_t rows = request_.unconfirmed.rows;
    if (expression::never_grows(question()) || rows >= INT64_MAX) return false;
    if (question().rows_max && *question().rows_max <= rows) return false;
    const bool is_exact = request_.estimate && request_.estimate->kind == EstimateKind::kExact;
    return !is_exact || request_.estimate->rows > rows;
  }

  Result<SnapshotPtr> write_snapshot(std::optional<std::uint64_t> limit) {
    const engine::Statement select = statement_of(question(), *request_.table, relation_, limit);
    SLUICE_TRY(engine::Description description, engine_.describe(select, request_.limits));
    answer_.columns = description.columns;
    return spool_.write(engine_,
                        {.select = select,
                         .columns = std::move(description.columns),
                         .lineage = request_.dataset->lineage(question()),
                         .scheme = request_.dataset->collection().scheme_of_handles(),
                         .owner = request_.principal,
                         .policy = question().guard.policy(),
                         .bytes_max = request_.unconfirmed.bytes},
                        request_.limits);
  }

  Status snapshot() {
    std::optional<std::uint64_t> limit = question().limit;
    const bool is_bounded = needs_row_bound();
    const std::uint64_t rows_max = request_.unconfirmed.rows;
    // One row more tells whether there are too many.
    if (is_bounded) limit = std::min(limit.value_or(rows_max + 1), rows_max + 1);
    SLUICE_TRY(answer_.snapshot, write_snapshot(limit));
    if (is_bounded && answer_.snapshot && answer_.snapshot->rows > rows_max) {
      spool_.remove(*answer_.snapshot);
      answer_.snapshot.reset();
    }
    if (!answer_.snapshot) {
      answer_.is_over_bound = true;
      return {};
    }
    if (request_.unconfirmed.bytes != UINT64_MAX) SLUICE_CHECK(spool_.settle(*answer_.snapshot));
    answer_.row_count = answer_.snapshot->rows;
    SLUICE_TRY(Page page, preview());
    if (page.size == 0 && page.cap) {
      answer_.warnings.emplace_back(
          request_.shape == render::Shape::kCsv
              ? "The first row is too long to show: select the columns that are needed, or left(column, 100)."
              : "A single row is larger than an answer: name the columns that are needed.");
    }
    warn_of_escapes(page.has_escaped_breaks);
    answer_.rows = std::move(page.rows);
    answer_.rows_shown = page.size;
    return measure_rows();
  }

  Result<Page> preview() {
    if (request_.is_kept && answer_.row_count <= request_.budget.rows) {
      SLUICE_TRY(Page all, first_rows(request_.budget));
      if (all.size == answer_.row_count) return all;
    }
    Budget few = request_.budget;
    few.rows = std::min(few.rows, kPreviewRows);
    if (request_.shape == render::Shape::kCsv) few.bytes = std::min(few.bytes, kBriefPreviewBytes);
    return first_rows(few);
  }

  Result<Page> first_rows(const Budget& budget) {
    const bool is_csv = request_.shape == render::Shape::kCsv;
    return read_page(engine_, *answer_.snapshot,
                     {.budget = budget,
                      .format = is_csv ? Format::kCsv : Format::kJson,
                      .shape = request_.shape,
                      .cell_bytes_max = kPreviewCellBytes,
                      .is_for_reading = is_csv,
                      .digits = request_.digits,
                      .has_a_row = false},
                     request_.limits);
  }

  // How wide a row is, by the first page, where nothing else has told.
  Status measure_rows() {
    if (answer_.row_bytes > 0 || request_.estimate || request_.shape == render::Shape::kCsv) return {};
    SLUICE_TRY(const Page page,
               read_page(engine_, *answer_.snapshot, {.budget = request_.budget}, request_.limits));
    if (page.size > 0)
      answer_.row_bytes = static_cast<double>(page.rows.size()) / static_cast<double>(page.size);
    return {};
  }

  engine::Engine& engine_;
  Spool& spool_;
  const AnswerRequest& request_;
  Relation relation_;
  Answer answer_;
};

}  // namespace

Result<Answer> answer(engine::Engine& engine, Spool& spool, const AnswerRequest& request) {
  return Answering(engine, spool, request).run();
}

Result<Attempt> answer_directly(engine::Engine& engine, Spool& spool, const AnswerRequest& request) {
  return Answering(engine, spool, request).try_directly();
}

Result<Attempt> answer_at_source(engine::Engine& engine, Spool& spool, const AnswerRequest& request) {
  if (request.format != Format::kJson) return Attempt{};
  return Answering(engine, spool, request).try_at_source();
}

namespace {

template <typename Writer>
Result<Page> written(engine::Rows& rows, Writer out) {
  SLUICE_TRY(const bool complete, render::feed(rows, out));
  Page page;
  page.size = out.meter().rows();
  if (!complete) page.cap = out.meter().hit();
  page.has_escaped_breaks = out.has_escaped_breaks();
  page.rows = std::move(out).take();
  return page;
}

// A snapshot that was evicted meanwhile is at no place that the engine may open.
Result<std::unique_ptr<engine::Rows>> open_page(engine::Engine& engine, const Snapshot& snapshot,
                                                std::uint64_t offset, std::uint64_t count,
                                                const engine::RunLimits& limits,
                                                std::size_t columns_max = SIZE_MAX) {
  Result<std::unique_ptr<engine::Rows>> rows =
      engine.query(Spool::page(snapshot, offset, count, columns_max), limits);
  if (!rows.ok() && rows.error().kind == ErrorKind::kForbidden) return unknown_handle();
  return rows;
}

// The first row of a page with so many columns and with long text cut.
Result<Page> cut_row(engine::Engine& engine, const Snapshot& snapshot, const PageRequest& request,
                     std::size_t columns, std::uint64_t bytes, const engine::RunLimits& limits) {
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows,
             open_page(engine, snapshot, request.offset, 1, limits, columns));
  const Budget one{.rows = 1, .cells = columns, .bytes = kReplyBytesMax, .tokens = kReplyBytesMax};
  if (request.format == Format::kCsv) {
    return written(*rows,
                   render::CsvRows(rows->columns(), {.budget = one, .is_in_json = request.is_in_json}));
  }
  const std::uint64_t cell_bytes = std::max<std::uint64_t>(16, bytes / (4 * columns));
  return written(*rows,
                 render::JsonRows(rows->columns(),
                                  {.shape = request.shape, .budget = one, .cell_bytes_max = cell_bytes}));
}

// A row that is larger than the whole budget still has to come, or paging would never pass it: its long cells
// are cut, and where the names alone are too many, its last columns are left out.
Result<Page> oversize_row(engine::Engine& engine, const Snapshot& snapshot, const PageRequest& request,
                          const engine::RunLimits& limits) {
  const std::uint64_t bytes = std::min(request.budget.bytes, request.budget.tokens * 4);
  std::size_t columns = snapshot.columns.size();
  while (true) {
    SLUICE_TRY(Page page, cut_row(engine, snapshot, request, columns, bytes, limits));
    std::uint64_t size = page.rows.size();
    for (std::size_t i = 0; request.shape == render::Shape::kColumns && i < columns; ++i)
      size += snapshot.columns[i].name.size() + 3;
    page.cells_cut = request.format != Format::kCsv;
    if (columns < snapshot.columns.size()) page.columns = columns;
    if (size <= bytes) return page;
    if (columns == 1) break;
    // A little less than what would fit if all columns were alike: this ends after a few rounds.
    columns = std::clamp<std::size_t>(columns * bytes / size * 9 / 10, 1, columns - 1);
  }
  return limit_reached("bytes of a page", bytes)
      .with_code("oversize_result")
      .with_hint(
          "A single cell is larger than a page. Read the page as JSON, where long text is cut, or ask "
          "for fewer columns.");
}

}  // namespace

Result<Page> read_page(engine::Engine& engine, const Snapshot& snapshot, const PageRequest& request,
                       const engine::RunLimits& limits) {
  const std::uint64_t columns = std::max<std::uint64_t>(1, snapshot.columns.size());
  const std::uint64_t rows_max = std::min(request.budget.rows, request.budget.cells / columns) + 1;
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows,
             open_page(engine, snapshot, request.offset, rows_max, limits));
  const auto write = [&]() -> Result<Page> {
    if (request.format == Format::kCsv)
      return written(*rows, render::CsvRows(rows->columns(), {.budget = request.budget,
                                                              .is_in_json = request.is_in_json,
                                                              .is_for_reading = request.is_for_reading,
                                                              .digits = request.digits}));
    return written(*rows, render::JsonRows(rows->columns(), {.shape = request.shape,
                                                             .budget = request.budget,
                                                             .cell_bytes_max = request.cell_bytes_max,
                                                             .digits = request.digits}));
  };
  SLUICE_TRY(Page page, write());
  if (page.size == 0 && page.cap && request.has_a_row) return oversize_row(engine, snapshot, request, limits);
  return page;
}

Result<std::string> page_as_arrow(engine::Engine& engine, const Snapshot& snapshot, std::uint64_t offset,
                                  std::uint64_t count, std::uint64_t bytes_max,
                                  const engine::RunLimits& limits) {
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows, open_page(engine, snapshot, offset, count, limits));
  render::ArrowRows out(rows->columns(), bytes_max);
  SLUICE_TRY(const bool complete, render::feed(*rows, out));
  if (complete) {
    std::string bytes = std::move(out).take();  // With the footer, which grows with the batches.
    if (bytes.size() <= bytes_max) return bytes;
  }
  return limit_reached("bytes of a page", bytes_max)
      .with_code("oversize_result")
      .with_hint("Read the page as CSV or JSON, or ask for fewer columns.");
}

}  // namespace sluice::query
