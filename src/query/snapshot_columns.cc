#include "snapshot_columns.h"

#include <algorithm>

#include <fmt/format.h>

#include "sluice/query/rows_reader.h"

#include "columns.h"

namespace sluice::query {

namespace {

using engine::Field;
using engine::quote_name;
using engine::Type;
using engine::TypeId;

constexpr std::string_view kWideDecimal = "DECIMAL(38,0)";

template <typename IsText>
Type with_text(const Type& type, const IsText& is_text) {
  if (is_text(type.id)) return Type{.id = TypeId::kText};
  Type out = type;
  for (Field& field : out.fields) field.type = with_text(field.type, is_text);
  return out;
}

Type stored_type(const Type& type) {
  return with_text(type, [](TypeId id) { return !is_kept_by_parquet(id); });
}

// What the text of the snapshot can be cast to.
Type typed_type(const Type& type) {
  return with_text(type, [](TypeId id) { return id == TypeId::kUnion || id == TypeId::kNull; });
}

bool is_wide(const Field& column) {
  return column.type.id == TypeId::kInt128 || column.type.id == TypeId::kUInt128;
}

void append_item(std::string& list, const std::string& item) { (list += list.empty() ? "" : ", ") += item; }

std::string cast(const Field& column, std::string_view type) {
  return fmt::format("CAST({0} AS {1}) AS {0}", quote_name(column.name), type);
}

}  // namespace

std::string stored_columns(const std::vector<Field>& columns) {
  std::string out;
  for (const Field& column : columns) {
    append_item(out, is_kept_by_parquet(column.type)
                         ? quote_name(column.name)
                         : cast(column, engine::sql_name(stored_type(column.type))));
  }
  return out;
}

std::string typed_columns(const std::vector<Field>& columns, std::size_t columns_max) {
  std::string out;
  for (std::size_t i = 0; i < std::min(columns.size(), columns_max); ++i)
    append_item(out, cast(columns[i], engine::sql_name(typed_type(columns[i].type))));
  return out;
}

Result<ExportedColumns> exported_columns(engine::Engine& engine, const std::vector<Field>& columns,
                                         const std::string& relation, const engine::RunLimits& limits) {
  std::string tests;
  for (const Field& column : columns) {
    if (!is_wide(column)) continue;
    append_item(tests, fmt::format("bool_and({0} IS NULL OR TRY_CAST({0} AS {1}) IS NOT NULL)",
                                   quote_name(column.name), kWideDecimal));
  }
  ExportedColumns out{.sql = names_sql(columns)};
  if (tests.empty()) return out;
  SLUICE_TRY(const std::vector<TextRow> fits,
             read_rows(engine, {.sql = fmt::format("SELECT {} FROM {}", tests, relation)}, limits, 1));
  out.sql.clear();
  std::size_t wide = 0;
  for (const Field& column : columns) {
    const bool fits_decimal =
        is_wide(column) && (fits.empty() || wide >= fits.front().size() || fits.front()[wide] != "false");
    if (is_wide(column)) ++wide;
    if (fits_decimal) out.is_as_stored = false;
    append_item(out.sql, fits_decimal ? cast(column, kWideDecimal) : quote_name(column.name));
  }
  return out;
}

}  // namespace sluice::query
