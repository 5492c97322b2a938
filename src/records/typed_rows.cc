#include "typed_rows.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"
#include "sluice/engine/cast.h"
#include "sluice/engine/sql.h"
#include "sluice/json/writer.h"
#include "sluice/records/value.h"

namespace sluice::records {

namespace {

constexpr std::size_t kColumnsMax = 2'000;

Error invalid_column(std::string_view name) {
  return invalid_input("not a column's name: " + excerpt(name))
      .with_code("invalid_column_name")
      .with_hint(
          "A new column has a name of letters, digits, spaces and punctuation that no other column has, "
          "whatever "
          "the case.");
}

Status check_new(const Columns& columns, std::string_view name) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  const bool is_fine = !name.empty() && name.size() <= kNameBytesMax && is_valid_utf8(name) &&
                       std::none_of(name.begin(), name.end(), is_control) && !name.starts_with("__sluice_") &&
                       name != "file_row_number" && name != "filename";
  const auto same = [&](const engine::Field& other) { return equal_ignoring_case(other.name, name); };
  if (!is_fine || std::any_of(columns.all.begin(), columns.all.end(), same)) return invalid_column(name);
  if (columns.all.size() >= kColumnsMax) return limit_reached("columns of a data type", kColumnsMax);
  return {};
}

std::string type_for(const SchemaFile* schema, std::string_view name, const json::Value& value) {
  const std::string declared = schema == nullptr ? "" : schema->declared(name);
  return sql_type_of(declared).value_or(inferred_type(value));
}

Result<std::string> stored_object(const Columns& columns, const json::Object& record) {
  std::string out = "{";
  for (const json::Member& member : record) {
    if (out.size() > 1) out += ',';
    json::append_string(out, member.key);
    out += ':';
    SLUICE_CHECK(append_stored(out, *columns.find(member.key), member.value));
  }
  return out + "}";
}

std::string operand_of(const engine::Field& column) { return "u.\"new\"." + engine::quote_name(column.name); }

// The engine says that some value does not fit, not which.
Error explain(Error error, engine::Engine& engine, const std::vector<engine::Field>& columns,
              const std::vector<std::string>& rows, double first_row, const engine::RunLimits& limits) {
  if (error.kind != ErrorKind::kInvalidInput) return error;
  for (const engine::Field& column : columns) {
    const std::string operand = operand_of(column);
    const std::string sql =
        fmt::format("SELECT u.\"row\" - {}, {}::VARCHAR FROM {} WHERE {} IS NOT NULL AND {} IS NULL LIMIT 1",
                    first_row, operand, rows_source(columns, 1), operand,
                    engine::cast_sql(operand, column.type, engine::Cast::kTry));
    const Result<std::vector<TextRow>> wrong = read_texts(engine, {.sql = sql, .parameters = {rows}}, limits);
    if (!wrong.ok() || wrong->empty()) continue;
    return invalid_input(fmt::format("record {}: the column {} is {}, which cannot hold {}",
                                     wrong->front()[0], excerpt(column.name), engine::sql_name(column.type),
                                     excerpt(wrong->front()[1])))
        .with_code("wrong_type")
        .with_hint("get_schema lists the columns and their types.");
  }
  return std::move(error).with_code("wrong_type");
}

}  // namespace

const engine::Field* Columns::find(std::string_view name) const {
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const engine::Field& one) { return one.name == name; });
  return at == all.end() ? nullptr : &*at;
}

std::vector<engine::Field> used_columns(const Columns& columns,
                                        const std::vector<const json::Object*>& records) {
  std::vector<engine::Field> out;
  for (const engine::Field& column : columns.all) {
    const auto names = [&](const json::Object* record) { return record->contains(column.name); };
    if (std::any_of(records.begin(), records.end(), names)) out.push_back(column);
  }
  return out;
}

Status add_column(Columns& columns, engine::Engine& engine, NewColumn column) {
  SLUICE_CHECK(check_new(columns, column.name));
  const std::string sql =
      fmt::format("SELECT CAST(NULL AS {}) AS {}", column.type, engine::quote_name(column.name));
  SLUICE_TRY(engine::Description described, engine.describe({.sql = sql, .parameters = {}}));
  columns.all.push_back(std::move(described.columns.front()));
  columns.added.push_back(std::move(column));
  return {};
}

Result<Columns> columns_for(const View& view, const SchemaFile* schema,
                            const std::vector<const json::Object*>& records) {
  Columns out{.all = view.columns, .added = {}};
  for (const json::Object* record : records) {
    for (const json::Member& member : *record) {
      if (out.find(member.key) != nullptr) continue;
      SLUICE_CHECK(add_column(out, *view.engine,
                              {.name = member.key, .type = type_for(schema, member.key, member.value)}));
    }
  }
  return out;
}

Result<std::vector<StoredRow>> typed_rows(const View& view, const Columns& columns,
                                          const std::vector<const json::Object*>& records, double first_row,
                                          const std::string& id_column, const engine::RunLimits& limits) {
  std::vector<std::string> rows;
  rows.reserve(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    SLUICE_TRY(const std::string values, stored_object(columns, *records[i]));
    rows.push_back(row_json(first_row + static_cast<double>(i), values));
  }
  const std::vector<engine::Field> used = used_columns(columns, records);
  std::string sql = "SELECT u.\"row\"";
  for (const engine::Field& column : used)
    sql += fmt::format(", {} AS {}", engine::cast_sql(operand_of(column), column.type),
                       engine::quote_name(column.name));
  sql += " FROM " + rows_source(used, 1);
  Result<std::vector<StoredRow>> typed =
      read_stored(*view.engine, {.sql = sql, .parameters = {rows}}, limits, id_column, records.size());
  if (!typed.ok()) return explain(std::move(typed).error(), *view.engine, used, rows, first_row, limits);
  return typed;
}

}  // namespace sluice::records
