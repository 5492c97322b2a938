#include "sluice/query/estimate.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "sluice/query/join_size.h"
#include "sluice/query/rows_reader.h"
#include "sluice/render/rows.h"

#include "columns.h"
#include "kept_values.h"

namespace sluice::query {

namespace {

using engine::Field;
using engine::quote_name;
using expression::Question;

constexpr std::uint64_t kSampleRows = 16'384;
constexpr std::uint64_t kGuessedRows = 500;  // That tell how wide the rows of a guess are.
constexpr std::uint64_t kJoinSampleRows = 512;
constexpr double kJoinGrowthMax = 4;  // The most tables whose product is still guessed right.
constexpr double kTextRowBytesMin = 1;

// Terms of a sum within brackets, halved again and again: the engine bounds how deep an expression may be.
std::string sum_of(std::span<const std::string> terms) {
  if (terms.size() == 1) return terms.front();
  const std::size_t half = terms.size() / 2;
  return fmt::format("({} + {})", sum_of(terms.first(half)), sum_of(terms.subspan(half)));
}

// The bytes of a row as a JSON record: what the keys take, and an expression for what the cells take.
std::string width_sql(const std::vector<Field>& columns) {
  std::size_t fixed = 3;  // {} and a comma.
  std::vector<std::string> terms;
  for (const Field& column : columns) {
    fixed += column.name.size() + 4;
    const std::string name = quote_name(column.name);
    const bool quoted = !engine::is_number(column.type.id) && column.type.id != engine::TypeId::kBool;
    const std::string text =
        column.type.id == engine::TypeId::kText ? name : fmt::format("CAST({} AS VARCHAR)", name);
    terms.push_back(fmt::format("coalesce(strlen({}) + {}, 4)", text, quoted ? 2 : 0));
  }
  terms.push_back(std::to_string(fixed));
  return sum_of(terms);
}

struct Measure {
  double rows = 0;
  double width = 0;  // Bytes of one row.
};

double number_of(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

class Estimator {
 public:
  Estimator(engine::Engine& engine, const Question& question, const Dataset& dataset, const Table& table,
            const engine::RunLimits& limits)
      : engine_(engine), question_(question), dataset_(dataset), table_(table), limits_(limits) {}

  Result<Estimate> run(const EstimateTime& time) {
    sample_rows_ = time.sample_rows;
    sample_windows_ = time.sample_windows;
    SLUICE_TRY(relation_, dataset_.open(table_, limits_, &question_));
    if (time.trusts_planner && relation_.answer) {
      const Result<engine::PlanGuess> guess = dataset_.guess(table_, question_, limits_);
      if (guess.ok())
        return finish({.rows = bounded(guess->rows), .width = guess->width + keys_width()},
                      EstimateKind::kPlanner);
    }
    if (!relation_.answer) SLUICE_CHECK(check_kept_values(engine_, question_, dataset_, table_));
    SLUICE_TRY(const engine::Description answer,
               engine_.describe(statement_of(question_, table_, relation_, question_.limit), limits_));
    width_sql_ = width_sql(answer.columns);
    if (knows_rows() && dataset_.row_count() > kSampleRows) return from_known_rows(within(time.sample));
    Result<Measure> exact = measure(question_, relation_, within(time.count));
    if (exact.ok()) return finish(*exact, EstimateKind::kExact);
    if (!is_out_of_time(exact.error())) return std::move(exact).error();
    if (!relation_.answer) {
      const std::optional<std::uint64_t> joined =
          count_joined_rows(engine_, question_, dataset_, table_, relation_, within(time.count));
      if (joined) return from_rows(bounded(static_cast<double>(*joined)), within(time.sample));
    }
    if (relation_.tables.empty()) {
      if (const Result<engine::PlanGuess> guess = dataset_.guess(table_, question_, limits_); guess.ok())
        return from_planner(*guess, within(time.sample));
    }
    // A part of the data tells about the rest; a part of the answer, as a database gives it, does not.
    if (relation_.answer) {
      SLUICE_TRY(relation_, dataset_.open(table_, limits_, nullptr));
    }
    // A part of each of several tables tells nothing about how many of their rows meet.
    if (!relation_.tables.empty()) return plan();
    Result<Measure> sampled = sample(within(time.sample));
    if (!sampled.ok() && is_out_of_time(sampled.error()) && !expression::never_grows(question_)) {
      // SQL may join: its work can grow with the square of the sample.
      sample_rows_ = std::min(sample_rows_, kJoinSampleRows);
      sampled = sample(within(time.sample));
    }
    if (sampled.ok()) return finish(*sampled, EstimateKind::kSampled);
    if (!is_out_of_time(sampled.error())) return std::move(sampled).error();
    return plan();
  }

 private:
  engine::RunLimits within(std::chrono::milliseconds time) const {
    return {.deadline = std::min(limits_.deadline, system_clock().now() + time),
            .stop = limits_.stop,
            .transfer_bytes_max = limits_.transfer_bytes_max};
  }

  bool is_out_of_time(const Error& error) const {
    return error.kind == ErrorKind::kDeadline && system_clock().now() < limits_.deadline;
  }

  Result<Measure> measure(const Question& question, const Relation& relation,
                          const engine::RunLimits& limits) const {
    const std::string outer = fmt::format("SELECT count(*), avg({}) FROM answer", width_sql_);
    SLUICE_TRY(const std::vector<TextRow> rows,
               read_rows(engine_, statement_around(outer, question, table_, relation), limits));
    return Measure{.rows = number_of(rows.front()[0]), .width = number_of(rows.front()[1])};
  }

  bool is_parquet() const { return row_number(table_, relation_) == kFileRowNumber; }

  // A count is that of one version of the data: it may have changed since, and nobody has noticed yet.
  bool knows_rows() const {
    return question_.keeps_rows && dataset_.count_state() == CountState::kExact && dataset_.is_current();
  }

  double bounded(double rows) const {
    rows = std::max(0.0, rows - static_cast<double>(question_.offset));
    return question_.limit ? std::min(rows, static_cast<double>(*question_.limit)) : rows;
  }

  Result<Estimate> from_known_rows(const engine::RunLimits& limits) {
    return from_rows(bounded(static_cast<double>(dataset_.row_count())), limits);
  }

  // The first rows of the answer tell how wide the others are.
  Result<Estimate> from_rows(double rows, const engine::RunLimits& limits) {
    Question first = question_;
    first.limit = std::min(question_.limit.value_or(kSampleRows / 4), kSampleRows / 4);
    const Result<Measure> measured = measure(first, relation_, limits);
    const double width =
        measured.ok() ? measured->width : file_width(static_cast<double>(dataset_.row_count()));
    return finish({.rows = rows, .width = width}, EstimateKind::kExact);
  }

  double keys_width() const {
    double bytes = 0;
    for (const Field& column : table_.columns) bytes += static_cast<double>(column.name.size()) + 6;
    return bytes;
  }

  // A database's planner counts the bytes of its own cells; the first rows of the answer tell those of ours.
  Result<Estimate> from_planner(const engine::PlanGuess& guess, const engine::RunLimits& limits) {
    Question first = question_;
    first.limit = std::min(question_.limit.value_or(kGuessedRows), kGuessedRows);
    const Result<Measure> measured = measure(first, relation_, limits);
    const double width = measured.ok() && measured->rows > 0 ? measured->width : guess.width + keys_width();
    return finish({.rows = bounded(guess.rows), .width = width}, EstimateKind::kPlanner);
  }

  double file_width(double rows) const {
    return rows > 0 ? static_cast<double>(dataset_.identity().bytes) / rows : kTextRowBytesMin;
  }

  // A relation of about `rows` rows: windows that are spread over a Parquet file, the beginning of any other.
  Relation part_of(std::uint64_t rows, std::uint64_t total) const {
    if (!is_parquet() || total <= rows) {
      // Without the places of the rows, which are none of the columns.
      return {.sql = fmt::format("(SELECT * FROM {} LIMIT {})", relation_.sql, rows),
              .lease = relation_.lease,
              .answer = {},
              .row_number = "row_number() OVER ()"};
    }
    std::string sql;
    const std::uint64_t size = rows / sample_windows_;
    for (std::uint64_t i = 0; i < sample_windows_; ++i) {
      const std::uint64_t from = (total - size) * i / (sample_windows_ - 1);
      sql += fmt::format("{}SELECT *, file_row_number FROM {} WHERE file_row_number BETWEEN {} AND {}",
                         sql.empty() ? "" : " UNION ALL ", relation_.sql, from, from + size - 1);
    }
    return {.sql = "(" + sql + ")",
            .lease = relation_.lease,
            .answer = {},
            .row_number = std::string(kFileRowNumber)};
  }

  Result<double> total_rows(const engine::RunLimits& limits) const {
    if (dataset_.count_state() == CountState::kExact) return static_cast<double>(dataset_.row_count());
    if (is_parquet()) {
      SLUICE_TRY(const std::uint64_t rows,
                 read_count(engine_, {.sql = "SELECT count(*) FROM " + relation_.sql}, limits));
      return static_cast<double>(rows);
    }
    // Text: the whole file against the beginning of it.
    Question all;
    for (const Field& column : table_.columns)
      all.sql += (all.sql.empty() ? "SELECT " : ", ") + quote_name(column.name);
    all.sql += fmt::format(" FROM data LIMIT {}", sample_rows_);
    SLUICE_TRY(const std::vector<TextRow> rows,
               read_rows(engine_,
                         statement_around(fmt::format("SELECT count(*), avg({}) FROM answer", text_width()),
                                          all, table_, relation_),
                         limits));
    const double width = std::max(kTextRowBytesMin, number_of(rows.front()[1]));
    return std::max(number_of(rows.front()[0]), static_cast<double>(dataset_.identity().bytes) / width);
  }

  // Of a row in the file, with a separator behind each cell. One call, because a sum of so many terms would
  // be deeper than the engine's parser goes.
  std::string text_width() const {
    std::string cells;
    for (const Field& column : table_.columns)
      cells += fmt::format("{}CAST({} AS VARCHAR)", cells.empty() ? "" : ", ", quote_name(column.name));
    return fmt::format("strlen(concat({})) + {}", cells, table_.columns.size());
  }

  // How the answer grows from half a sample to a whole one tells how it grows to everything: filters in
  // proportion, groups hardly once all have been seen, a table joined with itself with the square.
  Result<Measure> sample(const engine::RunLimits& limits) const {
    SLUICE_TRY(const double total, total_rows(limits));
    Question open_ended = question_;
    open_ended.limit.reset();
    open_ended.offset = 0;
    const auto all = static_cast<std::uint64_t>(total);
    SLUICE_TRY(const Measure half, measure(open_ended, part_of(sample_rows_ / 2, all), limits));
    SLUICE_TRY(const Measure whole, measure(open_ended, part_of(sample_rows_, all), limits));
    const double seen = std::min(total, static_cast<double>(sample_rows_));
    if (whole.rows <= 0 || seen <= 0) return Measure{};
    const double growth_max = expression::never_grows(question_) ? 1.0 : kJoinGrowthMax;
    const double growth =
        half.rows > 0 ? std::clamp(std::log2(whole.rows / half.rows), 0.0, growth_max) : 1.0;
    return Measure{.rows = bounded(whole.rows * std::pow(total / seen, growth)), .width = whole.width};
  }

  // Of a text file: by the lines that it begins with, or else as if its cells were short.
  double guessed_rows() const {
    constexpr double kCellBytes = 8;
    if (dataset_.count_state() == CountState::kExact) return static_cast<double>(dataset_.row_count());
    const auto columns = static_cast<double>(std::max<std::size_t>(1, table_.columns.size()));
    const double row_bytes = table_.row_bytes > 0 ? table_.row_bytes : kCellBytes * columns;
    return static_cast<double>(dataset_.identity().bytes) / row_bytes;
  }

  // The planner knows Parquet's metadata and how tables are joined, and nothing of a text file.
  Result<Estimate> plan() const {
    double guess = guessed_rows();
    if (is_parquet() || !relation_.tables.empty()) {
      engine::Statement statement = statement_of(question_, table_, relation_, question_.limit);
      statement.sql = "EXPLAIN (FORMAT json) " + statement.sql;
      SLUICE_TRY(const std::vector<TextRow> rows, read_rows(engine_, statement, limits_));
      guess = cardinality_of(rows).value_or(guess);
    }
    return finish({.rows = bounded(guess), .width = file_width(std::max(1.0, guess))},
                  EstimateKind::kPlanner);
  }

  static std::optional<double> cardinality_of(const std::vector<TextRow>& explained) {
    constexpr std::string_view kKey = "\"Estimated Cardinality\": \"";
    if (explained.empty() || explained.front().size() < 2) return std::nullopt;
    const std::string& text = explained.front()[1];
    const std::size_t at = text.find(kKey);
    if (at == std::string::npos) return std::nullopt;
    return number_of(text.substr(at + kKey.size()));
  }

  static std::uint64_t rounded(double value) {
    constexpr double kMax = 1e18;  // The product of many tables fits no integer.
    return static_cast<std::uint64_t>(std::llround(std::clamp(value, 0.0, kMax)));
  }

  static Result<Estimate> finish(const Measure& measure, EstimateKind kind) {
    Estimate out;
    out.rows = rounded(measure.rows);
    out.kind = kind;
    out.bytes = rounded(measure.rows * measure.width) + 2;
    out.tokens = render::tokens_of(out.bytes);
    return out;
  }

  engine::Engine& engine_;
  const Question& question_;
  const Dataset& dataset_;
  const Table& table_;
  const engine::RunLimits& limits_;
  Relation relation_;
  std::string width_sql_;
  std::uint64_t sample_rows_ = 0;
  std::uint64_t sample_windows_ = 0;
};

}  // namespace

std::string_view to_string(EstimateKind kind) {
  switch (kind) {
    case EstimateKind::kExact:
      return "exact";
    case EstimateKind::kSampled:
      return "sampled";
    case EstimateKind::kPlanner:
      return "planner";
  }
  return "";
}

Result<Estimate> estimate(engine::Engine& engine, const Question& question, const Dataset& dataset,
                          const Table& table, const EstimateTime& time, const engine::RunLimits& limits) {
  return Estimator(engine, question, dataset, table, limits).run(time);
}

}  // namespace sluice::query
