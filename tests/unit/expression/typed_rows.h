#pragma once

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "sluice/plan/engine_sql.h"

#include "testing.h"

namespace sluice::expression {

// One column of each type that a database can have.
inline const std::string kTypes =
    "SELECT * FROM (VALUES"
    " (1::BIGINT, 10::INTEGER, 0.1::DOUBLE, 1.5::FLOAT, 12.50::DECIMAL(10,2), 'north', true, DATE "
    "'2024-01-05',"
    "  TIMESTAMP '2024-01-05 10:30:00', TIMESTAMPTZ '2024-01-05 10:30:00+00', '7'),"
    " (2, -3, 1e300, 2.5, -0.01, 'North', false, DATE '2023-12-31', TIMESTAMP '2024-01-05 00:00:00',"
    "  TIMESTAMPTZ '2024-01-05 00:00:00+00', '10'),"
    " (9007199254740993, 7, 'nan'::DOUBLE, 0.0, 99999999.99, 'no%th', NULL, NULL, NULL, NULL, NULL),"
    " (NULL, NULL, NULL, NULL, NULL, NULL, NULL, DATE '2024-02-01', TIMESTAMP '2024-01-05 10:30:00.123456',"
    "  TIMESTAMPTZ '2024-01-05 10:30:00.123456+00', ''),"
    " (2, 7, -0.0::DOUBLE, 3.25, 12.50, 'south', true, DATE '2024-01-05', TIMESTAMP '1969-07-20 20:17:40',"
    "  TIMESTAMPTZ '1969-07-20 20:17:40+00', 'north')"
    ") t(big, small, real, single, amount, \"Name\", flag, day, moment, instant, code)";

inline Columns type_columns() {
  using engine::TypeId;
  return {{"big", {.id = TypeId::kInt64}},
          {"small", {.id = TypeId::kInt32}},
          {"real", {.id = TypeId::kDouble}},
          {"single", {.id = TypeId::kFloat}},
          {"amount", {.id = TypeId::kDecimal, .width = 10, .scale = 2}},
          {"Name", {.id = TypeId::kText}},
          {"flag", {.id = TypeId::kBool}},
          {"day", {.id = TypeId::kDate}},
          {"moment", {.id = TypeId::kTimestampUs}},
          {"instant", {.id = TypeId::kTimestampTz}},
          {"code", {.id = TypeId::kText}}};
}

// The rows of a statement over these columns whose source does not compute it.
inline Result<std::vector<std::string>> typed_rows(engine::Engine& engine,
                                                   const engine::Statement& statement) {
  return rows_of(engine,
                 {.sql = fmt::format("WITH data AS ({0}), numbered AS (SELECT *, row_number() OVER () "
                                     "AS {1} FROM ({0})) {2}",
                                     kTypes, plan::row_column(type_columns()), statement.sql),
                  .parameters = statement.parameters});
}

// The rows of a plan, which the engine computes from another text than the question has.
inline Result<std::vector<std::string>> rows_of_plan(engine::Engine& engine, const plan::Node& plan) {
  const auto* limit = std::get_if<plan::Limit>(&plan.op);
  const plan::NodePtr rows = limit != nullptr ? limit->input : std::make_shared<const plan::Node>(plan);
  engine::Statement statement = plan::engine_sql(plan::physical_plan(rows, {}));
  if (limit != nullptr && limit->rows) statement.sql += fmt::format(" LIMIT {}", *limit->rows);
  if (limit != nullptr && limit->offset > 0) statement.sql += fmt::format(" OFFSET {}", limit->offset);
  return typed_rows(engine, statement);
}

}  // namespace sluice::expression
