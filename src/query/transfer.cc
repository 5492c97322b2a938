#include "sluice/query/transfer.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "sluice/expression/join_count.h"
#include "sluice/expression/named_columns.h"
#include "sluice/query/statement_dataset.h"

#include "question_tables.h"

namespace sluice::query {

namespace {

// A table of a question that a database may have to send.
struct Sent {
  std::string_view name;  // In the SQL of the question.
  const Dataset* dataset = nullptr;
  const Table* table = nullptr;
  const plan::Condition* filter = nullptr;  // Null: all of its rows are needed.
};

bool is_in_database(const Table& table) { return table.layout != nullptr; }

std::vector<Sent> sent_tables(const Dataset& dataset, const Table& table) {
  std::vector<Sent> out;
  const auto* statement = dynamic_cast<const StatementDataset*>(&dataset);
  if (statement == nullptr) {
    if (is_in_database(table)) out.push_back({.name = "data", .dataset = &dataset, .table = &table});
    return out;
  }
  for (const StatementDataset::Part& part : statement->parts()) {
    const bool is_filtered = part.filter.kind != plan::Condition::Kind::kAlways;
    if (is_in_database(*part.table))
      out.push_back({.name = part.name,
                     .dataset = part.dataset.get(),
                     .table = part.table.get(),
                     .filter = is_filtered ? &part.filter : nullptr});
  }
  return out;
}

std::optional<double> known_rows_of(const Sent& sent) {
  switch (sent.dataset->count_state()) {
    case CountState::kExact:
    case CountState::kEstimated:
    case CountState::kGuessed:
      return static_cast<double>(sent.dataset->row_count());
    case CountState::kPending:
    case CountState::kUnknown:
    case CountState::kFailed:
      break;
  }
  const std::optional<std::uint64_t>& guess = sent.table->layout->summary.rows_guess;
  return guess ? std::optional(static_cast<double>(*guess)) : std::nullopt;
}

// What a cell takes whose size is not fixed, if the database does not say how large its table is.
constexpr double kTextBytes = 16;
constexpr double kFixedBytes = 8;

bool has_fixed_size(const engine::Type& type) {
  const bool is_time = type.id >= engine::TypeId::kDate && type.id <= engine::TypeId::kTimestampTz;
  return is_time || engine::is_number(type.id) || type.id == engine::TypeId::kBool;
}

// The width of a text, by the bytes of the table on disk, which hold some bytes about each row as well.
double text_width(const Sent& sent, double rows) {
  constexpr double kRowHeader = 24;
  const std::optional<std::uint64_t>& bytes = sent.table->layout->summary.bytes;
  double fixed = kRowHeader;
  double texts = 0;
  for (const engine::Field& column : sent.table->columns) {
    const bool is_fixed = has_fixed_size(column.type);
    fixed += is_fixed ? kFixedBytes : 0;
    texts += is_fixed ? 0 : 1;
  }
  if (!bytes || rows < 1 || texts < 1) return kTextBytes;
  return std::max(1.0, (static_cast<double>(*bytes) / rows - fixed) / texts);
}

double width_of(const Sent& sent, double rows, const expression::NamedColumns* names) {
  const double text = text_width(sent, rows);
  double width = 1;  // Rows without any column are sent as well.
  for (const engine::Field& column : sent.table->columns) {
    if (names != nullptr && !names->may_read(column.name)) continue;
    width += has_fixed_size(column.type) ? kFixedBytes : text;
  }
  return width;
}

// What is left of the rows by a filter that the database applies.
double filtered_rows(const Sent& sent, double rows, const plan::Guard& guard,
                     const engine::RunLimits& limits) {
  if (sent.filter == nullptr) return rows;
  const std::optional<plan::Condition> applied = sent.dataset->source_filter(*sent.table, *sent.filter);
  if (!applied) return rows;
  const Result<plan::NodePtr> rows_left = plan::filter(plan::scan("data", sent.table->columns), *applied);
  if (!rows_left.ok()) return rows;
  expression::Question question;
  question.plan = plan::physical_plan(*rows_left, guard);
  question.is_order_free = true;
  const Result<engine::PlanGuess> guess = sent.dataset->guess(*sent.table, question, limits);
  return guess.ok() ? std::min(rows, guess->rows) : 0;
}

// Whether few rows of another table tell which rows of this one a join needs, so that its database may be
// asked for those alone.
bool may_be_restricted(const Sent& sent, const expression::Question& question, const Dataset& dataset) {
  constexpr double kKeysMax = 10'000;
  const auto has_few = [&](const expression::JoinCount::Table& table) {
    const Dataset* other = table_of_question(dataset, table.name);
    const std::optional<double> rows = other == nullptr ? std::nullopt : rows_at_most(*other);
    return table.is_filtered || !rows || *rows <= kKeysMax;
  };
  if (!question.joins) return false;
  for (const expression::JoinCount& count : *question.joins) {
    for (const expression::JoinCount::Table& table : count.tables) {
      const expression::JoinCount::Table& parent = count.tables[table.parent];
      if (table.keys.empty()) continue;
      if (table.name == sent.name && has_few(parent)) return true;
      if (parent.name == sent.name && has_few(table)) return true;
    }
  }
  return false;
}

double total_of(const std::vector<Transfer>& transfers) {
  double out = 0;
  for (const Transfer& one : transfers) out += static_cast<double>(one.bytes);
  return out;
}

std::uint64_t whole(double value) {
  constexpr double kMax = 1e18;
  return static_cast<std::uint64_t>(std::clamp(value, 0.0, kMax));
}

}  // namespace

Result<std::vector<Transfer>> estimate_transfer(const expression::Question& question, const Dataset& dataset,
                                                const Table& table, std::uint64_t enough,
                                                const engine::RunLimits& limits) {
  const std::vector<Sent> tables = sent_tables(dataset, table);
  std::vector<Transfer> out;
  std::vector<double> widths;
  for (const Sent& sent : tables) {
    const double rows = known_rows_of(sent).value_or(0);
    widths.push_back(width_of(sent, rows, question.named_columns.get()));
    out.push_back(
        {.dataset = sent.dataset->name(), .rows = whole(rows), .bytes = whole(rows * widths.back())});
  }
  if (total_of(out) <= static_cast<double>(enough)) return std::vector<Transfer>();
  SLUICE_TRY(const Relation relation, dataset.open(table, limits, &question));
  if (relation.answer) return std::vector<Transfer>();
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const bool is_certain = !may_be_restricted(tables[i], question, dataset);
    const double rows =
        is_certain ? filtered_rows(tables[i], static_cast<double>(*out[i].rows), question.guard, limits) : 0;
    out[i].rows = whole(rows);
    out[i].bytes = whole(rows * widths[i]);
  }
  if (total_of(out) <= static_cast<double>(enough)) return std::vector<Transfer>();
  std::erase_if(out, [](const Transfer& one) { return one.bytes == 0; });
  return out;
}

}  // namespace sluice::query
