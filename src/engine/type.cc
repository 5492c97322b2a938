#include "sluice/engine/type.h"

#include <array>
#include <string_view>
#include <utility>

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

// Types whose name says everything.
constexpr std::array kPlainSqlNames = {
    std::pair{TypeId::kBool, std::string_view("BOOLEAN")},
    std::pair{TypeId::kInt8, std::string_view("TINYINT")},
    std::pair{TypeId::kInt16, std::string_view("SMALLINT")},
    std::pair{TypeId::kInt32, std::string_view("INTEGER")},
    std::pair{TypeId::kInt64, std::string_view("BIGINT")},
    std::pair{TypeId::kInt128, std::string_view("HUGEINT")},
    std::pair{TypeId::kUInt8, std::string_view("UTINYINT")},
    std::pair{TypeId::kUInt16, std::string_view("USMALLINT")},
    std::pair{TypeId::kUInt32, std::string_view("UINTEGER")},
    std::pair{TypeId::kUInt64, std::string_view("UBIGINT")},
    std::pair{TypeId::kUInt128, std::string_view("UHUGEINT")},
    std::pair{TypeId::kFloat, std::string_view("FLOAT")},
    std::pair{TypeId::kDouble, std::string_view("DOUBLE")},
    std::pair{TypeId::kDate, std::string_view("DATE")},
    std::pair{TypeId::kTime, std::string_view("TIME")},
    std::pair{TypeId::kTimeNs, std::string_view("TIME_NS")},
    std::pair{TypeId::kTimeTz, std::string_view("TIMETZ")},
    std::pair{TypeId::kTimestampS, std::string_view("TIMESTAMP_S")},
    std::pair{TypeId::kTimestampMs, std::string_view("TIMESTAMP_MS")},
    std::pair{TypeId::kTimestampUs, std::string_view("TIMESTAMP")},
    std::pair{TypeId::kTimestampNs, std::string_view("TIMESTAMP_NS")},
    std::pair{TypeId::kTimestampTz, std::string_view("TIMESTAMPTZ")},
    std::pair{TypeId::kInterval, std::string_view("INTERVAL")},
    std::pair{TypeId::kUuid, std::string_view("UUID")},
    std::pair{TypeId::kBlob, std::string_view("BLOB")},
    std::pair{TypeId::kBit, std::string_view("BIT")},
    std::pair{TypeId::kBignum, std::string_view("BIGNUM")},
};

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
  for (const auto& [id, name] : kPlainSqlNames) {
    if (id == type.id) return std::string(name);
  }
  switch (type.id) {
    case TypeId::kDecimal:
      return fmt::format("DECIMAL({},{})", type.width, type.scale);
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
    default:  // Text, and what is read as text.
      return "VARCHAR";
  }
}

}  // namespace sluice::engine
