#include "record_query.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "sluice/engine/sql.h"
#include "sluice/json/object_reader.h"
#include "sluice/records/columns.h"
#include "sluice/records/sort.h"

namespace sluice::records_provider {

Result<records::Condition> condition_of(const json::Object& arguments, std::string_view key,
                                        const records::View& view, std::size_t first_parameter) {
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const std::optional<json::ObjectReader> filters, in.optional_object(key));
  if (!filters) return records::Condition{};
  return records::compile_filters(filters->object(), view, first_parameter);
}

Result<std::string> order_of(const RecordTools& tools, const json::Object& arguments,
                             const records::View& view) {
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const json::Array* sort_by, in.optional_array("sort_by"));
  if (sort_by == nullptr || sort_by->empty()) {
    return view.is_ordered ? std::string() : engine::quote_name(records::kRowColumn);
  }
  const std::optional<records::SchemaFile> schema = tools.declared(view.data_type);
  return records::compile_sort(*sort_by, view, schema ? &schema->content : nullptr);
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
