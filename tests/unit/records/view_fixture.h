#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "sluice/engine/duckdb.h"
#include "sluice/engine/engine.h"
#include "sluice/records/functions.h"
#include "sluice/records/view.h"

namespace sluice::records::testing {

inline std::shared_ptr<engine::Engine> open_engine() {
  engine::EngineOptions options;
  options.pair_functions = engine_functions();
  Result<std::unique_ptr<engine::Engine>> engine = engine::open_duckdb(options);
  EXPECT_TRUE(engine.ok()) << (engine.ok() ? "" : engine.error().message);
  return std::shared_ptr<engine::Engine>(std::move(engine).value());
}

// A view over what a SELECT gives; the place of a row is its number from 0.
inline View view_over(const std::string& select) {
  View view;
  view.data_type = "things";
  view.engine = open_engine();
  view.relation =
      "(SELECT *, CAST(row_number() OVER () - 1 AS DOUBLE) AS \"__sluice_row\" FROM (" + select + "))";
  Result<engine::Description> description = view.engine->describe({.sql = select});
  EXPECT_TRUE(description.ok()) << (description.ok() ? "" : description.error().message);
  view.columns = std::move(description->columns);
  return view;
}

// The places of the rows that a statement's end selects, in its order.
inline std::string rows_of(const View& view, const std::string& end,
                           const std::vector<engine::Parameter>& parameters) {
  const engine::Statement statement{
      .sql = "SELECT CAST(\"__sluice_row\" AS BIGINT) FROM " + view.relation + end, .parameters = parameters};
  auto rows = view.engine->query(statement, {});
  if (!rows.ok()) return rows.error().code + ": " + rows.error().message;
  std::string out;
  while (true) {
    const auto batch = (*rows)->next();
    if (!batch.ok()) return batch.error().code + ": " + batch.error().message;
    if (*batch == nullptr) return out;
    for (std::size_t row = 0; row < (*batch)->rows; ++row) {
      out += (out.empty() ? "" : " ") + std::to_string((*batch)->columns.front().at<std::int64_t>(row));
    }
  }
}

}  // namespace sluice::records::testing
