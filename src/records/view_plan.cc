#include "sluice/records/view_plan.h"

#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "sluice/plan/engine_sql.h"

namespace sluice::records {

namespace {

using engine::quote_name;

const plan::Node& scanned(const plan::Node& plan) {
  const plan::Node* at = &plan;
  while (plan::input_of(*at) != nullptr) at = plan::input_of(*at);
  return *at;
}

}  // namespace

plan::NodePtr scan_of(const View& view, RowPlaces places) {
  plan::Columns columns = view.columns;
  if (places == RowPlaces::kLastColumn)
    columns.push_back({.name = std::string(kRowColumn), .type = {.id = engine::TypeId::kDouble}});
  return plan::scan("data", std::move(columns));
}

engine::Statement statement_of(const View& view, const plan::PhysicalPlan& plan) {
  std::string list;
  for (const engine::Field& column : scanned(*plan).columns)
    (list += list.empty() ? "" : ", ") += quote_name(column.name);
  return statement_of(view, plan, {.list = list});
}

engine::Statement statement_of(const View& view, const plan::PhysicalPlan& plan, const ViewColumns& columns) {
  const plan::Node& from = scanned(*plan);
  const auto* scan = std::get_if<plan::Scan>(&from.op);
  if (scan == nullptr) return {};
  engine::Statement out = plan::engine_sql(plan, view.parameters);
  if (out.sql.empty()) return out;
  const std::string row = quote_name(kRowColumn);
  out.sql = fmt::format(
      "WITH {0} AS (SELECT {1} FROM {2}{3}), numbered AS (SELECT {1}, {4} AS {5} FROM {2}) {6}", scan->table,
      columns.list, view.relation, columns.is_sorted && !view.is_ordered ? " ORDER BY " + row : "", row,
      quote_name(plan::row_column(from.columns)), out.sql);
  if (const auto* limit = std::get_if<plan::Limit>(&plan->op))
    out.sql += plan::limit_sql(limit->rows, limit->offset);
  return out;
}

Result<View> filtered_view(const View& view, const plan::Condition& condition, const plan::Guard& guard) {
  if (condition.kind == plan::Condition::Kind::kAlways) return view;
  SLUICE_TRY(plan::NodePtr rows, plan::filter(scan_of(view, RowPlaces::kLastColumn), condition));
  engine::Statement statement = statement_of(view, plan::physical_plan(std::move(rows), guard));
  View out = view;
  out.relation = fmt::format("({}) AS records", statement.sql);
  out.parameters = std::move(statement.parameters);
  return out;
}

}  // namespace sluice::records
