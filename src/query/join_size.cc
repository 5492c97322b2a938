#include "sluice/query/join_size.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "sluice/expression/join_count.h"
#include "sluice/query/rows_reader.h"
#include "sluice/query/statement.h"

#include "question_tables.h"

namespace sluice::query {

namespace {

using expression::CountType;
using expression::JoinCount;

constexpr double kCountMax = 1e18;  // What a count of rows is cut to.

// The product of what is known of the tables. Nullopt: one of them is not known.
std::optional<double> product_of(const JoinCount& count, const Dataset& dataset) {
  double product = 1;
  for (const JoinCount::Table& table : count.tables) {
    const Dataset* one = table_of_question(dataset, table.name);
    const std::optional<double> rows = one == nullptr ? std::nullopt : rows_at_most(*one);
    if (!rows) return std::nullopt;
    product *= table.keeps_unmatched ? std::max(1.0, *rows) : *rows;
  }
  return product;
}

bool has_keys(const JoinCount& count) {
  return std::any_of(count.tables.begin(), count.tables.end(),
                     [](const JoinCount::Table& table) { return !table.keys.empty(); });
}

// Whether every row of a table meets every row of the others, and all of them have been counted.
bool is_known_product(const JoinCount& count, const Dataset& dataset) {
  return std::all_of(count.tables.begin(), count.tables.end(), [&](const JoinCount::Table& table) {
    const Dataset* one = table_of_question(dataset, table.name);
    return one != nullptr && table.keys.empty() && !table.is_filtered &&
           one->count_state() == CountState::kExact && one->is_current();
  });
}

// A join whose rows stop at the limit makes no more than that, if no other condition leaves out some of them.
double within_limit(double rows, const JoinCount& count) {
  if (!count.stops_at_limit || !count.is_exact) return rows;
  return std::min(rows, static_cast<double>(*count.limit) + static_cast<double>(count.offset));
}

class Counter {
 public:
  Counter(engine::Engine& engine, const Table& table, const Relation& relation,
          const engine::RunLimits& limits)
      : engine_(engine), table_(table), relation_(relation), limits_(limits) {}

  // Products that no integer of 128 bits holds are floating point.
  Result<double> rows(const JoinCount& count) const {
    Result<double> exact = rows(count, CountType::kInteger);
    if (exact.ok() || exact.error().kind == ErrorKind::kDeadline) return exact;
    if (exact.error().kind == ErrorKind::kCancelled) return exact;
    return rows(count, CountType::kDouble);
  }

 private:
  Result<double> rows(const JoinCount& count, CountType type) const {
    expression::Question counting;
    SLUICE_TRY(counting.sql, expression::count_sql(engine_, count, type, limits_));
    SLUICE_TRY(const std::vector<TextRow> rows,
               read_rows(engine_, statement_of(counting, table_, relation_, std::nullopt), limits_, 1));
    const std::string& text = rows.front().front();
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }

  engine::Engine& engine_;
  const Table& table_;
  const Relation& relation_;
  const engine::RunLimits& limits_;
};

}  // namespace

Result<std::optional<JoinSize>> join_size(engine::Engine& engine, const expression::Question& question,
                                          const Dataset& dataset, const Table& table, double enough,
                                          const engine::RunLimits& limits) {
  if (!question.joins || question.joins->empty()) return std::optional<JoinSize>();
  JoinSize known;
  bool is_known = true;
  for (const JoinCount& count : *question.joins) {
    const std::optional<double> product = product_of(count, dataset);
    is_known = is_known && product;
    known.pairs += within_limit(product.value_or(0), count);
  }
  if (is_known && known.pairs <= enough) return std::optional(known);
  // A database would send its tables twice. Whatever a join of them makes shows while it runs.
  std::optional<Relation> relation;
  if (!reads_database(dataset, table)) {
    expression::Question in_any_order;  // Nobody sees the rows.
    in_any_order.is_grouped = true;
    in_any_order.is_order_free = true;
    SLUICE_TRY(relation, dataset.open(table, limits, &in_any_order));
  }
  JoinSize out{.pairs = 0, .is_counted = true};
  bool is_nothing_known = true;
  for (const JoinCount& count : *question.joins) {
    std::optional<double> pairs;
    if (relation) {
      const Result<double> rows = Counter(engine, table, *relation, limits).rows(count);
      if (!rows.ok() && rows.error().kind == ErrorKind::kCancelled) return rows.error();
      if (rows.ok()) pairs = *rows;
    }
    out.is_counted = out.is_counted && pairs;
    if (!pairs && !has_keys(count)) pairs = product_of(count, dataset);
    is_nothing_known = is_nothing_known && !pairs;
    out.pairs += within_limit(pairs.value_or(0), count);
  }
  return is_nothing_known ? std::optional<JoinSize>() : std::optional(out);
}

std::optional<std::uint64_t> count_joined_rows(engine::Engine& engine, const expression::Question& question,
                                               const Dataset& dataset, const Table& table,
                                               const Relation& relation, const engine::RunLimits& limits) {
  if (!question.joins) return std::nullopt;
  const auto count = std::find_if(question.joins->begin(), question.joins->end(),
                                  [](const JoinCount& one) { return one.is_answer && one.is_exact; });
  if (count == question.joins->end()) return std::nullopt;
  Result<double> rows = 0.0;
  if (is_known_product(*count, dataset)) {
    rows = *product_of(*count, dataset);
  } else {
    rows = Counter(engine, table, relation, limits).rows(*count);
  }
  if (!rows.ok()) return std::nullopt;
  const double behind = std::max(0.0, *rows - static_cast<double>(count->offset));
  const double limited = count->limit ? std::min(behind, static_cast<double>(*count->limit)) : behind;
  return static_cast<std::uint64_t>(std::min(limited, kCountMax));
}

}  // namespace sluice::query
