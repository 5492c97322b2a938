#include "columns.h"

#include <algorithm>

#include "sluice/base/text.h"
#include "sluice/engine/sql.h"

namespace sluice::query {

bool has_column(const expression::Columns& columns, std::string_view name) {
  return std::any_of(columns.begin(), columns.end(),
                     [&](const engine::Field& column) { return equal_ignoring_case(column.name, name); });
}

std::string names_sql(const expression::Columns& columns) {
  std::string out;
  for (const engine::Field& column : columns)
    (out += out.empty() ? "" : ", ") += engine::quote_name(column.name);
  return out;
}

bool is_kept_by_parquet(engine::TypeId id) {
  using engine::TypeId;
  switch (id) {
    case TypeId::kInt128:
    case TypeId::kUInt128:
    case TypeId::kInterval:
    case TypeId::kTimeTz:
    case TypeId::kTimeNs:
    case TypeId::kBit:
    case TypeId::kBignum:
    case TypeId::kUnion:
    case TypeId::kNull:
      return false;
    default:
      return true;
  }
}

bool is_kept_by_parquet(const engine::Type& type) {
  return is_kept_by_parquet(type.id) &&
         std::all_of(type.fields.begin(), type.fields.end(),
                     [](const engine::Field& field) { return is_kept_by_parquet(field.type); });
}

}  // namespace sluice::query
