#include "sluice/records/sort.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/sql.h"
#include "sluice/json/object_reader.h"
#include "sluice/records/columns.h"

namespace sluice::records {

namespace {

using engine::Field;

constexpr std::size_t kSortColumnsMax = 100;
constexpr std::size_t kOrderValuesMax = 1'000;

Error invalid_sort(std::string_view what) {
  return invalid_input(fmt::format("sort_by: {}", what))
      .with_code("invalid_sort")
      .with_hint(
          "sort_by is a list of {column, ascending, na_position: first or last, custom_order: [values]}.");
}

Error too_many_to_sort(std::string_view what, std::size_t limit) {
  return limit_reached(what, limit).with_code("too_many_values").with_hint("Ask for fewer.");
}

// A column's order by the schema file: {"schema": {status: {"enum_order": […]}}}; null where it has none.
const json::Array* declared_order(const json::Object* schema, std::string_view column) {
  const json::Value* fields = schema == nullptr ? nullptr : schema->find("schema");
  const json::Value* field = fields == nullptr ? nullptr : fields->find(column);
  if (field == nullptr) return nullptr;
  for (const std::string_view key : {"enum_order", "enum"}) {
    const json::Value* order = field->find(key);
    if (order != nullptr && order->if_array() != nullptr && !order->if_array()->empty())
      return order->if_array();
  }
  return nullptr;
}

// The place of a cell in a list of values, null where it is not among them.
std::string place_in(const json::Array& order, const Field& column) {
  std::string values;
  for (const json::Value& value : order) {
    const std::string* text = value.if_string();
    values += fmt::format("{}{}", values.empty() ? "" : ", ",
                          engine::quote_text(text != nullptr ? *text : json::to_text(value)));
  }
  return fmt::format("list_position([{}], CAST({} AS VARCHAR))", values, engine::quote_name(column.name));
}

Result<std::string> sorted_by(const json::Value& one, const View& view, const json::Object* schema) {
  const json::Object* object = one.if_object();
  if (object == nullptr) return invalid_sort("an entry is no object");
  const json::ObjectReader in(*object, "sort_by");
  SLUICE_TRY(const std::string name, in.required_string("column"));
  SLUICE_TRY(const Field* column, find_column(view.columns, name));
  SLUICE_TRY(const std::optional<bool> ascending, in.optional_bool("ascending"));
  SLUICE_TRY(const std::optional<std::string> nulls, in.optional_string("na_position"));
  SLUICE_TRY(const json::Array* order, in.optional_array("custom_order"));
  if (nulls && *nulls != "first" && *nulls != "last") return invalid_sort("na_position is first or last");
  const std::string_view nulls_sql = nulls.value_or("last") == "first" ? "NULLS FIRST" : "NULLS LAST";
  const std::string_view direction = ascending.value_or(true) ? "ASC" : "DESC";
  if (order == nullptr || order->empty()) order = declared_order(schema, name);
  const std::string cell = engine::quote_name(name);
  if (order == nullptr) return fmt::format("{} {} {}", cell, direction, nulls_sql);
  if (order->size() > kOrderValuesMax) return too_many_to_sort("values of custom_order", kOrderValuesMax);
  const std::string place = place_in(*order, *column);
  return fmt::format("({} IS NULL) {}, {} {} NULLS LAST", cell,
                     nulls.value_or("last") == "first" ? "DESC" : "ASC", place, direction);
}

}  // namespace

Result<std::string> compile_sort(const json::Array& sort_by, const View& view, const json::Object* schema) {
  if (sort_by.size() > kSortColumnsMax) return too_many_to_sort("columns of sort_by", kSortColumnsMax);
  std::string out;
  for (const json::Value& one : sort_by) {
    SLUICE_TRY(const std::string term, sorted_by(one, view, schema));
    out += term + ", ";
  }
  return out + engine::quote_name(kRowColumn);
}

}  // namespace sluice::records
