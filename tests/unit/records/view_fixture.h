#pragma once

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "sluice/engine/duckdb.h"
#include "sluice/engine/engine.h"
#include "sluice/records/functions.h"
#include "sluice/records/view_plan.h"

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

// The places of the rows of a plan over scan_of(view, RowPlaces::kLastColumn), in its order.
inline std::string rows_of(const View& view, const plan::NodePtr& plan) {
  const plan::NodePtr places = plan::project(plan, {view.columns.size()}).value();
  auto rows = view.engine->query(statement_of(view, plan::physical_plan(places, {})), {});
  if (!rows.ok()) return rows.error().code + ": " + rows.error().message;
  std::string out;
  while (true) {
    const auto batch = (*rows)->next();
    if (!batch.ok()) return batch.error().code + ": " + batch.error().message;
    if (*batch == nullptr) return out;
    for (std::size_t row = 0; row < (*batch)->rows; ++row)
      out += fmt::format("{}{}", out.empty() ? "" : " ", (*batch)->columns.front().at<double>(row));
  }
}

}  // namespace sluice::records::testing
