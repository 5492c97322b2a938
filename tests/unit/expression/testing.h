#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "sluice/engine/duckdb.h"
#include "sluice/engine/engine.h"
#include "sluice/expression/question.h"

namespace sluice::expression {

inline std::unique_ptr<engine::Engine> open_engine() {
  Result<std::unique_ptr<engine::Engine>> engine = engine::open_duckdb({});
  EXPECT_TRUE(engine.ok()) << (engine.ok() ? "" : engine.error().message);
  return std::move(engine).value();
}

// region, product, units (Int64), price (Float64), day (Date), code (text that may look like a number).
inline const std::string kSales =
    "SELECT * FROM (VALUES"
    " ('north', 'apple', 10::BIGINT, 1.5::DOUBLE, DATE '2024-01-05', '0012'),"
    " ('south', 'pear', 7, 2.0, DATE '2024-01-06', '0100'),"
    " ('north', 'pear', NULL, 2.5, DATE '2024-02-01', '7'),"
    " (NULL, 'apple', 3, NULL, DATE '2024-02-03', NULL),"
    " ('south', 'Apple pie', -4, 0.5, NULL, '0012'),"
    " ('east', 'fig', 10, 9.75, DATE '2023-12-31', 'x'),"
    " ('north', 'fig', 1, 3.0, DATE '2024-01-05', '7')"
    ") t(region, product, units, price, day, code)";

inline Columns sales_columns() {
  using engine::TypeId;
  return {{"region", {.id = TypeId::kText}}, {"product", {.id = TypeId::kText}},
          {"units", {.id = TypeId::kInt64}}, {"price", {.id = TypeId::kDouble}},
          {"day", {.id = TypeId::kDate}},    {"code", {.id = TypeId::kText}}};
}

// All rows as text: "north|10|NULL".
inline Result<std::vector<std::string>> rows_of(engine::Engine& engine, const engine::Statement& statement,
                                                const engine::RunLimits& limits = {}) {
  engine::Statement as_text = statement;
  as_text.sql = "SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (" + statement.sql + ")";
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows, engine.query(as_text, limits));
  std::vector<std::string> out;
  while (true) {
    SLUICE_TRY(const engine::Batch* batch, rows->next());
    if (batch == nullptr) return out;
    for (std::size_t row = 0; row < batch->rows; ++row) {
      std::string line;
      for (const engine::Column& column : batch->columns) {
        if (&column != &batch->columns.front()) line += '|';
        line += column.is_null(row) ? "NULL" : std::string(column.text(row));
      }
      out.push_back(std::move(line));
    }
  }
}

// The rows of a question over `relation`, as whoever runs it puts it together.
inline Result<std::vector<std::string>> answer(engine::Engine& engine, const Question& question,
                                               const std::string& relation = kSales) {
  return rows_of(
      engine, {.sql = "WITH data AS (" + relation + ") " + question.sql, .parameters = question.parameters});
}

}  // namespace sluice::expression
