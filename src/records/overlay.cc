#include "overlay.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/engine/cast.h"
#include "sluice/engine/sql.h"
#include "sluice/records/value.h"

#include "rows.h"

namespace sluice::records {

namespace {

using engine::quote_name;
using engine::quote_text;
using engine::sql_name;

constexpr std::string_view kSequence = "__sluice_sequence";
constexpr std::string_view kGone = "__sluice_gone";

double place_from_text(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

Result<std::shared_ptr<OverlayTable>> OverlayTable::create(std::shared_ptr<engine::Engine> engine,
                                                           const std::string& as_sql) {
  static std::atomic<std::uint64_t> counter{0};
  std::string name = fmt::format("overlay_{}", ++counter);
  SLUICE_CHECK(
      engine->execute({.sql = fmt::format("CREATE TABLE {} AS {}", name, as_sql), .parameters = {}}, {}));
  return std::shared_ptr<OverlayTable>(new OverlayTable(std::move(engine), std::move(name)));
}

OverlayTable::~OverlayTable() {
  const auto dropped = engine_->execute({.sql = "DROP TABLE " + name_, .parameters = {}}, {});
  if (!dropped.ok()) log::warning("records.overlay", {{"error", dropped.error().message}});
}

OverlayState::OverlayState(std::shared_ptr<engine::Engine> engine, std::shared_ptr<const BaseFile> base,
                           std::int64_t sequence)
    : engine_(std::move(engine)),
      base_(std::move(base)),
      columns_(base_->columns),
      sequence_(sequence),
      rows_(base_->rows),
      next_row_(static_cast<double>(base_->rows)) {}

std::vector<NewColumn> OverlayState::new_columns() const {
  std::vector<NewColumn> out;
  for (std::size_t i = base_->columns.size(); i < columns_.size(); ++i)
    out.push_back({.name = columns_[i].name, .type = sql_name(columns_[i].type)});
  return out;
}

std::string OverlayState::column_list(std::string_view prefix) const {
  std::string out;
  for (const engine::Field& column : columns_) {
    if (!out.empty()) out += ", ";
    out += fmt::format("{}{}", prefix, quote_name(column.name));
  }
  return out;
}

Status OverlayState::need_table(const engine::RunLimits&) {
  if (table_) return {};
  std::string sql =
      fmt::format("SELECT 0::BIGINT AS {}, 0::DOUBLE AS {}, false AS {}", kSequence, kRowColumn, kGone);
  for (const engine::Field& column : columns_)
    sql += fmt::format(", NULL::{} AS {}", sql_name(column.type), quote_name(column.name));
  SLUICE_TRY(table_, OverlayTable::create(engine_, sql + " LIMIT 0"));
  return {};
}

Status OverlayState::add_columns(const std::vector<NewColumn>& columns, const engine::RunLimits& limits) {
  for (const NewColumn& column : columns) {
    const auto same = [&](const engine::Field& other) { return other.name == column.name; };
    if (std::any_of(columns_.begin(), columns_.end(), same)) continue;
    const std::string typed = fmt::format("CAST(NULL AS {}) AS {}", column.type, quote_name(column.name));
    SLUICE_TRY(const engine::Description described,
               engine_->describe({.sql = "SELECT " + typed, .parameters = {}}));
    if (table_) {
      // A new table, not another column of the old one: who reads that goes on undisturbed.
      SLUICE_TRY(table_,
                 OverlayTable::create(engine_, fmt::format("SELECT *, {} FROM {}", typed, table_->name())));
    }
    columns_.push_back(described.columns.front());
  }
  return need_table(limits);
}

Status OverlayState::insert(std::int64_t sequence, std::vector<std::string> rows,
                            const std::vector<std::string>& used, const engine::RunLimits& limits) {
  std::vector<engine::Field> columns;
  std::string names;
  std::string values;
  for (const engine::Field& column : columns_) {
    if (!used.empty() && std::find(used.begin(), used.end(), column.name) == used.end()) continue;
    names += ", " + quote_name(column.name);
    values += ", " + engine::cast_sql("u.\"new\"." + quote_name(column.name), column.type);
    columns.push_back(column);
  }
  const std::string sql =
      fmt::format("INSERT INTO {} ({}, {}, {}{}) SELECT $1, u.\"row\", false{} FROM {}", table_->name(),
                  kSequence, kRowColumn, kGone, names, values, rows_source(columns, 2));
  SLUICE_CHECK(engine_->execute({.sql = sql, .parameters = {sequence, std::move(rows)}}, limits));
  return {};
}

Status OverlayState::insert_gone(std::int64_t sequence, std::vector<std::string> rows,
                                 const engine::RunLimits& limits) {
  const std::string sql =
      fmt::format("INSERT INTO {} ({}, {}, {}) SELECT $1, unnest(CAST($2 AS DOUBLE[])), true", table_->name(),
                  kSequence, kRowColumn, kGone);
  SLUICE_CHECK(engine_->execute({.sql = sql, .parameters = {sequence, std::move(rows)}}, limits));
  return {};
}

Status OverlayState::carry(const Checkpoint& checkpoint, const engine::RunLimits& limits) {
  if (checkpoint.carried.empty() && checkpoint.new_columns.empty()) return {};
  SLUICE_CHECK(add_columns(checkpoint.new_columns, limits));
  std::vector<std::string> rows;
  std::vector<std::string> gone;
  for (const CarriedRow& row : checkpoint.carried) {
    const bool is_old = row.row < static_cast<double>(base_->rows) && row.row == std::floor(row.row);
    if (row.is_gone) {
      gone.push_back(fmt::format("{}", row.row));
      if (is_old) --rows_;
    } else {
      rows.push_back(row_json(row.row, row.values));
      if (!is_old) ++rows_;
    }
    if (row.is_gone || row.row < next_row_) only_added_ = false;
    next_row_ = std::max(next_row_, std::floor(row.row) + 1);
    ++waiting_;
  }
  if (!rows.empty()) SLUICE_CHECK(insert(checkpoint.sequence, std::move(rows), {}, limits));
  if (!gone.empty()) SLUICE_CHECK(insert_gone(checkpoint.sequence, std::move(gone), limits));
  waiting_ = std::max<std::uint64_t>(waiting_, 1);
  return {};
}

Status OverlayState::apply(const Operation& operation, const engine::RunLimits& limits) {
  SLUICE_CHECK(add_columns(operation.new_columns, limits));
  std::vector<std::string> rows;
  std::vector<std::string> gone;
  double next_row = next_row_;
  bool only_added = only_added_ && (operation.rows.empty() || operation.kind == "add");
  for (const RowChange& row : operation.rows) {
    if (row.new_values.empty()) {
      gone.push_back(fmt::format("{}", row.row));
    } else {
      rows.push_back(row_json(row.row, row.new_values));
    }
    only_added = only_added && row.row >= next_row;
    next_row = std::max(next_row, std::floor(row.row) + 1);
  }
  if (!rows.empty()) SLUICE_CHECK(insert(operation.sequence, std::move(rows), operation.used, limits));
  if (!gone.empty()) SLUICE_CHECK(insert_gone(operation.sequence, std::move(gone), limits));
  if (operation.kind == "add") rows_ += operation.rows.size();
  if (operation.kind == "delete") rows_ -= operation.rows.size();
  next_row_ = next_row;
  only_added_ = only_added;
  sequence_ = operation.sequence;
  ++waiting_;
  return {};
}

Status OverlayState::forget_later() const {
  if (!table_) return {};
  const std::string sql = fmt::format("DELETE FROM {} WHERE {} > $1", table_->name(), kSequence);
  SLUICE_CHECK(engine_->execute({.sql = sql, .parameters = {sequence_}}, {}));
  return {};
}

std::string OverlayState::latest(std::string_view columns) const {
  return fmt::format(
      "SELECT {} FROM (SELECT * FROM {} WHERE {} <= {} QUALIFY row_number() OVER (PARTITION BY {} ORDER BY "
      "{} DESC) = 1)",
      columns, table_->name(), kSequence, sequence_, kRowColumn, kSequence);
}

std::string OverlayState::from_file() const {
  return fmt::format(
      "SELECT *, CAST(file_row_number AS DOUBLE) AS {} FROM read_parquet({}, file_row_number = true, "
      "hive_partitioning = false)",
      kRowColumn, quote_text(base_->engine_path()));
}

Status OverlayState::keep_in_memory(const engine::RunLimits&) {
  SLUICE_TRY(kept_, OverlayTable::create(engine_, from_file()));
  return {};
}

std::string OverlayState::relation(bool& is_ordered) const {
  std::string columns_of_file;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    columns_of_file += i < base_->columns.size()
                           ? quote_name(columns_[i].name) + ", "
                           : fmt::format("CAST(NULL AS {}) AS {}, ", sql_name(columns_[i].type),
                                         quote_name(columns_[i].name));
  }
  const std::string from_file = fmt::format("SELECT {}{} FROM {}", columns_of_file, kRowColumn,
                                            kept_ ? kept_->name() : "(" + this->from_file() + ")");
  is_ordered = only_added_;
  if (!table_) return "(" + from_file + ") AS records";
  const std::string columns = fmt::format("{}, {}", column_list(""), kRowColumn);
  if (only_added_) {
    return fmt::format("({} UNION ALL (SELECT {} FROM {} WHERE {} <= {} ORDER BY {})) AS records", from_file,
                       columns, table_->name(), kSequence, sequence_, kRowColumn);
  }
  return fmt::format(
      "(SELECT * FROM ({}) WHERE {} NOT IN (SELECT {} FROM {} WHERE {} <= {}) UNION ALL {}) AS records",
      from_file, kRowColumn, kRowColumn, table_->name(), kSequence, sequence_,
      latest(columns) + fmt::format(" WHERE NOT {}", kGone));
}

// Everything that relation() names. A fold that ends while the view is read drops neither of the tables.
std::shared_ptr<const void> OverlayState::pin() const {
  using Pinned = std::tuple<std::shared_ptr<const BaseFile>, std::shared_ptr<OverlayTable>,
                            std::shared_ptr<OverlayTable>>;
  return std::make_shared<Pinned>(base_, table_, kept_);
}

Result<Renumbering> OverlayState::renumbering(const engine::RunLimits& limits) const {
  Renumbering out;
  out.base_rows = static_cast<double>(base_->rows);
  out.next_row = next_row_;
  if (!table_) return out;
  const std::string sql =
      latest(fmt::format("{}, {}", kRowColumn, kGone)) + fmt::format(" ORDER BY {}", kRowColumn);
  SLUICE_TRY(const std::vector<TextRow> rows, read_texts(*engine_, {.sql = sql, .parameters = {}}, limits));
  for (const TextRow& row : rows) {
    const double place = place_from_text(row[0]);
    const bool is_gone = row[1] == "true";
    const bool is_old = place < out.base_rows && place == std::floor(place);
    if (is_gone && is_old) out.gone.push_back(place);
    if (!is_gone && !is_old) out.added.push_back(place);
  }
  return out;
}

double Renumbering::place_of(double row) const {
  const auto below = [&](const std::vector<double>& sorted) {
    return static_cast<double>(std::lower_bound(sorted.begin(), sorted.end(), row) - sorted.begin());
  };
  const double rank = std::min(std::ceil(row), base_rows) - below(gone) + below(added);
  if (row >= next_row) return rank + (row - next_row);  // It came later, behind everything.
  const bool is_old = row < base_rows && row == std::floor(row);
  const bool lives = is_old ? !std::binary_search(gone.begin(), gone.end(), row)
                            : std::binary_search(added.begin(), added.end(), row);
  // A row that was not there then stands between two that were, and beside others of its kind in their order.
  return lives ? rank : rank - 1 + (row + 1) / (next_row + 1);
}

Result<std::vector<CarriedRow>> OverlayState::touched_after(std::int64_t sequence,
                                                            const engine::RunLimits& limits) const {
  std::vector<CarriedRow> out;
  if (!table_) return out;
  const std::string list = fmt::format("{}, {}, {}", kRowColumn, kGone, column_list(""));
  const std::string sql =
      latest(list + fmt::format(", {}", kSequence)) + fmt::format(" WHERE {} > $1", kSequence);
  SLUICE_TRY(const std::vector<StoredRow> alive,
             read_stored(*engine_,
                         {.sql = fmt::format("SELECT {}, {} FROM ({}) WHERE NOT {} ORDER BY 1", kRowColumn,
                                             column_list(""), sql, kGone),
                          .parameters = {sequence}},
                         limits, "", SIZE_MAX));
  for (const StoredRow& row : alive) out.push_back({.row = row.row, .is_gone = false, .values = row.values});
  SLUICE_TRY(
      const std::vector<TextRow> gone,
      read_texts(*engine_,
                 {.sql = fmt::format("SELECT {} FROM ({}) WHERE {} ORDER BY 1", kRowColumn, sql, kGone),
                  .parameters = {sequence}},
                 limits));
  for (const TextRow& row : gone)
    out.push_back({.row = place_from_text(row[0]), .is_gone = true, .values = {}});
  return out;
}

}  // namespace sluice::records
