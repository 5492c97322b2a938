#include "sluice/engine/type.h"

#include <fmt/format.h>

#include "sluice/engine/sql.h"

namespace sluice::engine {

namespace {

std::string members(const Type& type, std::string (*name_of)(const Type&), std::string_view between) {
  std::string out;
  for (const Field& field : type.fields) {
    if (!out.empty()) out += ", ";
    fmt::format_to(std::back_inserter(out), "{}{}{}", quote_name(field.name), between, name_of(field.type));
  }
  return out;
}

std::string labels(const Type& type) {
  std::string out;
  for (const std::string& label : type.labels) {
    if (!out.empty()) out += ", ";
    out += quote_text(label);
  }
  return out;
}

}  // namespace

bool is_integer(TypeId id) { return id >= TypeId::kInt8 && id <= TypeId::kUInt128; }

bool is_number(TypeId id) { return id >= TypeId::kInt8 && id <= TypeId::kDecimal; }

bool is_temporal(TypeId id) { return id >= TypeId::kDate && id <= TypeId::kTimestampTz; }

bool is_nested(TypeId id) { return id >= TypeId::kList && id <= TypeId::kUnion; }

std::string polars_name(const Type& type) {
  switch (type.id) {
    case TypeId::kNull:
      return "Null";
    case TypeId::kBool:
      return "Boolean";
    case TypeId::kInt8:
      return "Int8";
    case TypeId::kInt16:
      return "Int16";
    case TypeId::kInt32:
      return "Int32";
    case TypeId::kInt64:
      return "Int64";
    case TypeId::kInt128:
      return "Int128";
    case TypeId::kUInt8:
      return "UInt8";
    case TypeId::kUInt16:
      return "UInt16";
    case TypeId::kUInt32:
      return "UInt32";
    case TypeId::kUInt64:
      return "UInt64";
    case TypeId::kUInt128:
      return "UInt128";
    case TypeId::kFloat:
      return "Float32";
    case TypeId::kDouble:
      return "Float64";
    case TypeId::kDecimal:
      return fmt::format("Decimal({},{})", type.width, type.scale);
    case TypeId::kDate:
      return "Date";
    case TypeId::kTime:
    case TypeId::kTimeNs:
    case TypeId::kTimeTz:
      return "Time";
    case TypeId::kTimestampS:
    case TypeId::kTimestampMs:
    case TypeId::kTimestampUs:
    case TypeId::kTimestampNs:
      return "Datetime";
    case TypeId::kTimestampTz:
      return "Datetime(UTC)";
    case TypeId::kInterval:
      return "Duration";
    case TypeId::kBlob:
      return "Binary";
    case TypeId::kEnum:
      return "Enum";
    case TypeId::kList:
      return fmt::format("List({})", polars_name(type.fields.front().type));
    case TypeId::kArray:
      return fmt::format("Array({},{})", polars_name(type.fields.front().type), type.array_size);
    case TypeId::kStruct:
      return fmt::format("Struct({{{}}})", members(type, polars_name, ": "));
    case TypeId::kMap:
      return fmt::format("Map({},{})", polars_name(type.fields.front().type),
                         polars_name(type.fields.back().type));
    case TypeId::kUnion:
      return fmt::format("Union({{{}}})", members(type, polars_name, ": "));
    case TypeId::kUuid:
    case TypeId::kText:
    case TypeId::kBit:
    case TypeId::kBignum:
    case TypeId::kOther:
      return "String";
  }
  return "String";
}

std::string sql_name(const Type& type) {
  switch (type.id) {
    case TypeId::kNull:
      return "VARCHAR";
    case TypeId::kBool:
      return "BOOLEAN";
    case TypeId::kInt8:
      return "TINYINT";
    case TypeId::kInt16:
      return "SMALLINT";
    case TypeId::kInt32:
      return "INTEGER";
    case TypeId::kInt64:
      return "BIGINT";
    case TypeId::kInt128:
      return "HUGEINT";
    case TypeId::kUInt8:
      return "UTINYINT";
    case TypeId::kUInt16:
      return "USMALLINT";
    case TypeId::kUInt32:
      return "UINTEGER";
    case TypeId::kUInt64:
      return "UBIGINT";
    case TypeId::kUInt128:
      return "UHUGEINT";
    case TypeId::kFloat:
      return "FLOAT";
    case TypeId::kDouble:
      return "DOUBLE";
    case TypeId::kDecimal:
      return fmt::format("DECIMAL({},{})", type.width, type.scale);
    case TypeId::kDate:
      return "DATE";
    case TypeId::kTime:
      return "TIME";
    case TypeId::kTimeNs:
      return "TIME_NS";
    case TypeId::kTimeTz:
      return "TIMETZ";
    case TypeId::kTimestampS:
      return "TIMESTAMP_S";
    case TypeId::kTimestampMs:
      return "TIMESTAMP_MS";
    case TypeId::kTimestampUs:
      return "TIMESTAMP";
    case TypeId::kTimestampNs:
      return "TIMESTAMP_NS";
    case TypeId::kTimestampTz:
      return "TIMESTAMPTZ";
    case TypeId::kInterval:
      return "INTERVAL";
    case TypeId::kUuid:
      return "UUID";
    case TypeId::kBlob:
      return "BLOB";
    case TypeId::kBit:
      return "BIT";
    case TypeId::kBignum:
      return "BIGNUM";
    case TypeId::kEnum:
      return fmt::format("ENUM({})", labels(type));
    case TypeId::kList:
      return sql_name(type.fields.front().type) + "[]";
    case TypeId::kArray:
      return fmt::format("{}[{}]", sql_name(type.fields.front().type), type.array_size);
    case TypeId::kStruct:
      return fmt::format("STRUCT({})", members(type, sql_name, " "));
    case TypeId::kMap:
      return fmt::format("MAP({}, {})", sql_name(type.fields.front().type),
                         sql_name(type.fields.back().type));
    case TypeId::kUnion:
      return fmt::format("UNION({})", members(type, sql_name, " "));
    case TypeId::kText:
    case TypeId::kOther:
      return "VARCHAR";
  }
  return "VARCHAR";
}

}  // namespace sluice::engine
