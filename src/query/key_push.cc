#include "sluice/query/key_push.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/plan/engine_sql.h"
#include "sluice/query/rows_reader.h"

#include "columns.h"

namespace sluice::query {

namespace {

using engine::TypeId;

constexpr std::uint64_t kKeyBytesMax = std::uint64_t{1} << 20U;    // Of all keys of one column.
constexpr std::uint64_t kFileBytesMax = std::uint64_t{64} << 20U;  // Larger files are not read for keys.
constexpr std::uint64_t kTableBytesMax = std::uint64_t{16}
                                         << 20U;  // Of the rows of a database that are kept.

std::optional<std::uint64_t> known_rows(const Dataset& dataset) {
  const CountState state = dataset.count_state();
  const bool is_known =
      state == CountState::kExact || state == CountState::kEstimated || state == CountState::kGuessed;
  return is_known ? std::optional(dataset.row_count()) : std::nullopt;
}

// A key as a value of a filter.
json::Value value_of(const std::string& text, TypeId id) {
  const bool is_number = engine::is_integer(id) || id == TypeId::kDecimal;
  return is_number ? json::Value(json::Number{.text = text}) : json::Value(text);
}

// Any value of the type, to see whether a database takes a list of them.
json::Value example_of(TypeId id) {
  if (id == TypeId::kDate) return json::Value("2000-01-01");
  if (id == TypeId::kUuid) return json::Value("00000000-0000-0000-0000-000000000001");
  return value_of("1", id);
}

// Why a part cannot be restricted by keys; empty if it can.
std::string refusal_of(const StatementPart& part, std::size_t column, std::uint64_t keys_max) {
  const auto rows = known_rows(*part.dataset);
  if (rows && *rows <= keys_max) return fmt::format("it has {} rows", *rows);
  const plan::Columns& columns = part.table->columns;
  const Result<plan::Condition> example =
      plan::in_list(columns, column, {example_of(columns[column].type.id)});
  const bool is_taken = example.ok() && part.dataset->source_filter(*part.table, *example);
  return is_taken ? "" : "its database does not compare such values as the engine does";
}

bool shares_database(const std::vector<StatementPart>& parts, std::size_t part) {
  const std::vector<const engine::Database*> own = parts[part].dataset->databases();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i == part) continue;
    for (const engine::Database* other : parts[i].dataset->databases()) {
      if (std::find(own.begin(), own.end(), other) != own.end()) return true;
    }
  }
  return false;
}

// How much work the keys of a part are: the less, the earlier. Nullopt: too much.
using KeyCost = std::pair<int, std::uint64_t>;

std::optional<KeyCost> key_cost(const std::vector<StatementPart>& parts, std::size_t at, bool is_restricted,
                                std::uint64_t keys_max) {
  const StatementPart& part = parts[at];
  const std::optional<std::uint64_t> rows = known_rows(*part.dataset);
  if (part.dataset->databases().empty()) {
    const std::uint64_t bytes = part.dataset->identity().bytes;
    return bytes <= kFileBytesMax ? std::optional(KeyCost(0, rows.value_or(bytes))) : std::nullopt;
  }
  if (shares_database(parts, at)) return std::nullopt;
  if (rows && *rows <= keys_max) return KeyCost(1, *rows);
  if (is_restricted || part.dataset->source_filter(*part.table, part.filter)) return KeyCost(2, 0);
  return std::nullopt;
}

std::optional<std::size_t> find_part(const std::vector<StatementPart>& parts, const std::string& name) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].name == name) return i;
  }
  return std::nullopt;
}

// All links between two parts of which the second is in a database.
std::vector<KeyStep> steps_of(const std::vector<StatementPart>& parts, const KeyPush& push) {
  std::vector<KeyStep> out;
  for (const expression::KeyLink& link : push.links) {
    const std::optional<std::size_t> from = find_part(parts, link.keys.table);
    const std::optional<std::size_t> to = find_part(parts, link.restricted.table);
    if (from && to && *from != *to && !parts[*to].dataset->databases().empty())
      out.push_back(
          {.from = *from, .from_column = link.keys.column, .to = *to, .to_column = link.restricted.column});
  }
  return out;
}

}  // namespace

std::vector<KeyStep> key_steps(const std::vector<StatementPart>& parts, const KeyPush& push) {
  if (push.engine == nullptr || push.keys_max == 0) return {};
  std::vector<KeyStep> left = steps_of(parts, push);
  std::erase_if(left, [&](const KeyStep& step) {
    return !refusal_of(parts[step.to], step.to_column, push.keys_max).empty();
  });
  std::vector<KeyStep> out;
  std::set<std::size_t> read;  // Parts whose rows are read already: keys come too late for them.
  std::set<std::size_t> restricted;
  while (!left.empty()) {
    std::optional<KeyCost> least;
    std::size_t next = 0;
    for (const KeyStep& step : left) {
      const auto cost = key_cost(parts, step.from, restricted.contains(step.from), push.keys_max);
      if (!cost || (least && *least <= *cost)) continue;
      least = cost;
      next = step.from;
    }
    if (!least) break;
    read.insert(next);
    for (const KeyStep& step : left) {
      if (step.from != next || read.contains(step.to)) continue;
      out.push_back(step);
      restricted.insert(step.to);
    }
    std::erase_if(left, [&](const KeyStep& step) { return step.from == next || read.contains(step.to); });
  }
  return out;
}

std::vector<UnsentKeys> unsent_keys(const std::vector<StatementPart>& parts, const KeyPush& push) {
  const std::vector<KeyStep> sent = key_steps(parts, push);
  std::vector<UnsentKeys> out;
  for (const KeyStep& step : steps_of(parts, push)) {
    // One column is restricted once, and of two tables one.
    const bool is_done = std::any_of(sent.begin(), sent.end(), [&](const KeyStep& other) {
      return (other.to == step.to && other.to_column == step.to_column) ||
             (other.to == step.from && other.from == step.to);
    });
    if (is_done) continue;
    std::string reason = refusal_of(parts[step.to], step.to_column, push.keys_max);
    if (push.keys_max == 0) reason = "the configuration says so";
    if (reason.empty() && shares_database(parts, step.from))
      reason =
          fmt::format("{} shares its database with another table", excerpt(parts[step.from].dataset->name()));
    if (reason.empty())
      reason = fmt::format("{} has too many rows", excerpt(parts[step.from].dataset->name()));
    out.push_back({.step = step, .reason = std::move(reason)});
  }
  return out;
}

KeyedParts::KeyedParts(const std::vector<StatementPart>& parts, const KeyPush& push,
                       const engine::RunLimits& limits)
    : parts_(parts), push_(push), limits_(limits), is_restricted_(parts.size()), opened_(parts.size()) {
  for (const StatementPart& part : parts) filters_.push_back(part.filter);
}

Status KeyedParts::compute_keys() {
  std::optional<std::size_t> last;  // All steps from one part follow each other.
  for (const KeyStep& step : key_steps(parts_, push_)) {
    if (last != step.from) SLUICE_CHECK(open_with_keys(step.from));
    last = step.from;
    if (opened_[step.from]) SLUICE_CHECK(send(step));
  }
  return {};
}

// Leaves it closed if its rows are too many, or if it was to be restricted first and there were too many
// keys for that.
Status KeyedParts::open_with_keys(std::size_t part) {
  if (!key_cost(parts_, part, is_restricted_[part], push_.keys_max)) return {};
  if (parts_[part].dataset->databases().empty()) {
    SLUICE_TRY(opened_[part], open(part, false));
    return {};
  }
  const FewRows few{.filter = filters_[part],
                    .columns = parts_[part].columns,
                    .rows_max = push_.keys_max,
                    .bytes_max = kTableBytesMax};
  SLUICE_TRY(opened_[part], parts_[part].dataset->open_few(*parts_[part].table, few, limits_));
  return {};
}

// Nullopt if there are too many. NULL is equal to nothing, and is left out.
Result<std::optional<json::Array>> KeyedParts::read_keys(std::size_t part, std::size_t column) const {
  const plan::Columns& columns = parts_[part].table->columns;
  const std::string name = engine::quote_name(columns[column].name);
  engine::Statement statement;
  const std::string filter = plan::engine_condition(filters_[part], columns, statement.parameters);
  statement.sql = fmt::format(
      "WITH data AS (SELECT {} FROM {}) SELECT CAST(key AS VARCHAR) FROM (SELECT DISTINCT {} AS key FROM "
      "data WHERE ({}) AND {} IS NOT NULL) LIMIT {}",
      names_sql(columns), opened_[part]->sql, name, filter, name, push_.keys_max + 1);
  SLUICE_TRY(const std::vector<TextRow> rows,
             read_rows(*push_.engine, statement, {.deadline = limits_.deadline, .stop = limits_.stop},
                       push_.keys_max + 1));
  if (rows.size() > push_.keys_max) return std::optional<json::Array>();
  json::Array keys;
  std::uint64_t bytes = 0;
  for (const TextRow& row : rows) {
    bytes += row.front().size();
    keys.push_back(value_of(row.front(), columns[column].type.id));
  }
  return bytes <= kKeyBytesMax ? std::optional(std::move(keys)) : std::nullopt;
}

Status KeyedParts::send(const KeyStep& step) {
  SLUICE_TRY(const std::optional<json::Array> keys, read_keys(step.from, step.from_column));
  if (!keys) return {};
  const StatementPart& to = parts_[step.to];
  const Result<plan::Condition> condition = plan::in_list(to.table->columns, step.to_column, *keys);
  // A key that the column's type does not have, or that the database compares otherwise: all rows are read.
  if (!condition.ok() || !to.dataset->source_filter(*to.table, *condition)) return {};
  log::debug("query.keys_sent", {{"from", parts_[step.from].dataset->name()},
                                 {"to", to.dataset->name()},
                                 {"column", to.table->columns[step.to_column].name},
                                 {"keys", keys->size()}});
  filters_[step.to] = plan::all_of({std::move(filters_[step.to]), *condition});
  is_restricted_[step.to] = true;
  return {};
}

Result<Relation> KeyedParts::open(std::size_t part, bool is_ordered) {
  if (opened_[part]) return *std::exchange(opened_[part], std::nullopt);
  const StatementPart& one = parts_[part];
  expression::Question rows;
  SLUICE_TRY(plan::NodePtr kept, plan::filter(plan::scan(one.name, one.table->columns), filters_[part]));
  rows.guard = push_.guard;
  rows.plan = plan::physical_plan(std::move(kept), push_.guard);
  rows.is_order_free = !is_ordered;
  return one.dataset->open(*one.table, limits_, &rows);
}

}  // namespace sluice::query
