#include "record_query.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sluice/engine/sql.h"
#include "sluice/json/object_reader.h"
#include "sluice/records/columns.h"
#include "sluice/records/filter.h"
#include "sluice/records/sort.h"
#include "sluice/records/view_plan.h"

namespace sluice::records_provider {

Result<plan::Condition> condition_of(const json::Object& arguments, std::string_view key,
                                     const records::View& view) {
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const std::optional<json::ObjectReader> filters, in.optional_object(key));
  if (!filters) return plan::Condition{};
  return records::compile_filters(filters->object(), view);
}

Result<plan::NodePtr> sorted_rows(const RecordTools& tools, const json::Object& arguments,
                                  const records::View& view, plan::NodePtr rows) {
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const json::Array* sort_by, in.optional_array("sort_by"));
  if (sort_by == nullptr || sort_by->empty()) return in_order_of_records(view, std::move(rows));
  const std::optional<records::SchemaFile> schema = tools.declared(view.data_type);
  SLUICE_TRY(std::vector<plan::SortKey> keys,
             records::compile_sort(*sort_by, view, schema ? &schema->content : nullptr));
  return plan::sort(std::move(rows), std::move(keys), true);
}

Result<plan::NodePtr> in_order_of_records(const records::View& view, plan::NodePtr rows) {
  return plan::sort(std::move(rows), {}, !view.is_ordered);
}

Result<RowsQuery> rows_query(const RecordTools& tools, const json::Object& arguments,
                             const catalog::Context& context, const records::View& view,
                             plan::Condition condition, const std::vector<std::string>& names) {
  RowsQuery out{.view = view, .matching = {}, .rows = {}, .guard = tools.guard_of(context)};
  SLUICE_TRY(out.matching, plan::filter(records::scan_of(view), std::move(condition)));
  SLUICE_TRY(out.rows, sorted_rows(tools, arguments, view, out.matching));
  SLUICE_TRY(const std::vector<const engine::Field*> columns, named_columns(view, names));
  std::vector<std::size_t> positions;
  for (const engine::Field* column : columns)
    positions.push_back(static_cast<std::size_t>(column - view.columns.data()));
  for (std::size_t i = 0; names.empty() && i < view.columns.size(); ++i) positions.push_back(i);
  SLUICE_TRY(out.rows, plan::project(std::move(out.rows), std::move(positions)));
  return out;
}

Result<std::vector<const engine::Field*>> named_columns(const records::View& view,
                                                        const std::vector<std::string>& names) {
  std::vector<const engine::Field*> out;
  std::vector<std::string> unknown;
  for (const std::string& name : names) {
    const engine::Field* column = view.find(name);
    if (column == nullptr) {
      unknown.push_back(name);
    } else if (std::find(out.begin(), out.end(), column) == out.end()) {
      out.push_back(column);
    }
  }
  if (!unknown.empty()) return records::unknown_columns(view.columns, unknown);
  return out;
}

std::string timestamp_of(const engine::Field& column) {
  using engine::TypeId;
  const std::string name = engine::quote_name(column.name);
  switch (column.type.id) {
    case TypeId::kDate:
    case TypeId::kTimestampS:
    case TypeId::kTimestampMs:
    case TypeId::kTimestampUs:
    case TypeId::kTimestampNs:
      return fmt::format("CAST({} AS TIMESTAMP)", name);
    case TypeId::kTimestampTz:
      return fmt::format("make_timestamp(epoch_us({}))", name);
    case TypeId::kText:
      // A cast to a timestamp without zone would drop an offset.
      return fmt::format("make_timestamp(epoch_us(TRY_CAST({} AS TIMESTAMPTZ)))", name);
    default:
      return "";
  }
}

}  // namespace sluice::records_provider
