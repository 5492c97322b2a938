#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "sluice/engine/database.h"
#include "sluice/render/cell.h"

namespace sluice::engine {

using Table = std::vector<std::vector<std::string>>;

// What reading many rows may add to the memory of the process. The address sanitizer keeps what was freed.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr long kStreamKibMax = 400 * 1024;
#else
inline constexpr long kStreamKibMax = 20 * 1024;
#endif

inline Type type(TypeId id) { return Type{.id = id}; }
inline Type decimal(std::uint8_t width, std::uint8_t scale) {
  return Type{.id = TypeId::kDecimal, .width = width, .scale = scale};
}
inline Type list_of(Type item) {
  return Type{.id = TypeId::kList, .fields = {Field{.name = "item", .type = std::move(item)}}};
}

inline RunLimits within(std::chrono::milliseconds time) {
  return {.deadline = system_clock().now() + time, .stop = {}};
}

// All rows, as JSON cells.
inline Result<Table> read_all(Rows& rows) {
  Table out;
  while (true) {
    SLUICE_TRY(const Batch* batch, rows.next());
    if (batch == nullptr) return out;
    for (std::size_t row = 0; row < batch->rows; ++row) {
      std::vector<std::string>& cells = out.emplace_back();
      for (const Column& column : batch->columns) render::append_json(cells.emplace_back(), column, row);
    }
  }
}

inline Result<Table> read_all(Database& database, const Select& select, const RunLimits& limits = {}) {
  SLUICE_TRY(const std::unique_ptr<Rows> rows, database.query(select, limits));
  return read_all(*rows);
}

// The statement's one column, or what it failed with.
inline Result<Table> one_column(Database& database, const std::string& sql, TypeId id = TypeId::kText,
                                std::vector<Parameter> parameters = {}, const RunLimits& limits = {}) {
  return read_all(database,
                  {.statement = {.sql = sql, .parameters = std::move(parameters)},
                   .columns = {Field{.name = "value", .type = type(id)}},
                   .table = {}},
                  limits);
}

// All of a table, by what describe() says of it.
inline Result<Table> read_table(Database& database, const TableName& name, const RunLimits& limits = {}) {
  SLUICE_TRY(const TableLayout layout, database.describe(name, limits));
  Select select;
  select.table = name;
  select.statement.sql = "SELECT ";
  for (const TableColumn& column : layout.columns) {
    if (!select.columns.empty()) select.statement.sql += ", ";
    select.statement.sql += column.select;
    select.columns.push_back({.name = column.name, .type = column.type});
  }
  select.statement.sql += " FROM " + quote_table(name);
  if (!layout.row_order.empty()) select.statement.sql += " ORDER BY " + layout.row_order;
  return read_all(database, select, limits);
}

// The rows, or one that says what went wrong.
inline Table rows_of(const Result<Table>& result) {
  return result.ok() ? *result : Table{{result.error().code, result.error().message}};
}
inline std::string code_of(const Result<Table>& result) {
  return result.ok() ? "(worked)" : result.error().code;
}
inline std::string message_of(const Result<Table>& result) {
  return result.ok() ? "(worked)" : result.error().message;
}

}  // namespace sluice::engine
