#include "lean/ordered_text.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/datasets/sql_spelling.h"
#include "sluice/expression/named_columns.h"

#include "lean/table_profile.h"

namespace sluice::datasets::lean {

namespace {

using query::StatementPart;

constexpr std::chrono::milliseconds kFirstRowsTime{100};
constexpr std::size_t kNotesMax = 2;
constexpr std::size_t kRememberedMax = 1'000;

const engine::Field* text_column(const StatementPart& table, std::string_view column) {
  for (const engine::Field& field : table.table->columns) {
    if (equal_ignoring_case(field.name, column) && field.type.id == engine::TypeId::kText) return &field;
  }
  return nullptr;
}

// Whether text that has the pitfall sorts otherwise than what it holds. Dates that begin with the year do
// not.
bool spoils_order(std::string_view pitfall) {
  const bool is_date = pitfall.starts_with("dates as text");
  return (is_date && pitfall.find("'%Y") == std::string_view::npos) || pitfall.starts_with("numbers as text");
}

}  // namespace

const StatementPart* table_with_text(const std::vector<StatementPart>& tables, std::string_view column) {
  const StatementPart* found = nullptr;
  for (const StatementPart& table : tables) {
    if (text_column(table, column) == nullptr) continue;
    if (found != nullptr) return nullptr;
    found = &table;
  }
  return found;
}

std::string OrderedText::pitfall_of(const StatementPart& table, const engine::Field& column,
                                    const std::shared_ptr<engine::Engine>& engine,
                                    const engine::RunLimits& limits) {
  const query::Dataset::Identity& identity = table.dataset->identity();
  const std::string key = fmt::format("{}\n{}\n{}", identity.name, identity.version, column.name);
  {
    const MutexLock lock(mutex_);
    if (const auto known = pitfalls_.find(key); known != pitfalls_.end()) return known->second;
  }
  engine::RunLimits own = limits;
  own.deadline = std::min(own.deadline, system_clock().now() + kFirstRowsTime);
  const Result<std::string> found =
      text_pitfall({.dataset = table.dataset, .table = table.table, .engine = engine}, column, own);
  const MutexLock lock(mutex_);
  if (pitfalls_.size() >= kRememberedMax) pitfalls_.clear();
  // What could not be seen in time would not be seen in time again.
  return pitfalls_.insert_or_assign(key, found.ok() ? *found : std::string()).first->second;
}

std::string OrderedText::notes(const expression::Question& question, const std::vector<StatementPart>& tables,
                               const std::shared_ptr<engine::Engine>& engine,
                               const engine::RunLimits& limits) {
  std::string out;
  if (question.named_columns == nullptr) return out;
  std::size_t count = 0;
  for (const std::string& name : question.named_columns->ordered) {
    const StatementPart* table = table_with_text(tables, name);
    // A database is not asked for more than the statement needs, and its rows have no version.
    if (table == nullptr || table->table->layout || table->dataset->identity().version.empty()) continue;
    const engine::Field& column = *text_column(*table, name);
    const std::string pitfall = pitfall_of(*table, column, engine, limits);
    if (!spoils_order(pitfall) || ++count > kNotesMax) continue;
    out += fmt::format("# {} has {}\n", sql_spelling(column.name), pitfall);
  }
  return out;
}

}  // namespace sluice::datasets::lean
