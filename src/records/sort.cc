#include "sluice/records/sort.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/json/object_reader.h"
#include "sluice/records/columns.h"

namespace sluice::records {

namespace {

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

Result<plan::SortKey> sorted_by(const json::Value& one, const View& view, const json::Object* schema) {
  const json::Object* object = one.if_object();
  if (object == nullptr) return invalid_sort("an entry is no object");
  const json::ObjectReader in(*object, "sort_by");
  SLUICE_TRY(const std::string name, in.required_string("column"));
  SLUICE_TRY(const engine::Field* column, find_column(view.columns, name));
  SLUICE_TRY(const std::optional<bool> ascending, in.optional_bool("ascending"));
  SLUICE_TRY(const std::optional<std::string> nulls, in.optional_string("na_position"));
  SLUICE_TRY(const json::Array* order, in.optional_array("custom_order"));
  if (nulls && *nulls != "first" && *nulls != "last") return invalid_sort("na_position is first or last");
  if (order == nullptr || order->empty()) order = declared_order(schema, name);
  plan::SortKey out{.column = static_cast<std::size_t>(column - view.columns.data()),
                    .descending = !ascending.value_or(true),
                    .nulls_first = nulls.value_or("last") == "first"};
  if (order == nullptr) return out;
  if (order->size() > kOrderValuesMax) return too_many_to_sort("values of custom_order", kOrderValuesMax);
  for (const json::Value& value : *order) {
    const std::string* text = value.if_string();
    out.order.push_back(text != nullptr ? *text : json::to_text(value));
  }
  return out;
}

}  // namespace

Result<std::vector<plan::SortKey>> compile_sort(const json::Array& sort_by, const View& view,
                                                const json::Object* schema) {
  if (sort_by.size() > kSortColumnsMax) return too_many_to_sort("columns of sort_by", kSortColumnsMax);
  std::vector<plan::SortKey> out;
  for (const json::Value& one : sort_by) {
    SLUICE_TRY(out.emplace_back(), sorted_by(one, view, schema));
  }
  return out;
}

}  // namespace sluice::records
