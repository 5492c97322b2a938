#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::engine {

enum class TypeId : std::uint8_t {
  kNull,
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kInt128,
  kUInt8,
  kUInt16,
  kUInt32,
  kUInt64,
  kUInt128,
  kFloat,
  kDouble,
  kDecimal,
  kDate,
  kTime,
  kTimeNs,
  kTimeTz,
  kTimestampS,
  kTimestampMs,
  kTimestampUs,
  kTimestampNs,
  kTimestampTz,
  kInterval,
  kUuid,
  kText,
  kBlob,
  kBit,
  kBignum,
  kEnum,
  kList,
  kArray,
  kStruct,
  kMap,
  kUnion,
  kOther,  // A type this program has no mapping for; a query must cast it to text.
};

struct Field;

// The type of a column or of a part of one.
struct Type {
  TypeId id = TypeId::kNull;
  std::uint8_t width = 0;           // kDecimal: digits in all,
  std::uint8_t scale = 0;           // and behind the point.
  std::uint64_t array_size = 0;     // kArray.
  std::vector<Field> fields;        // Members; one for kList and kArray, key and value for kMap.
  std::vector<std::string> labels;  // kEnum.
};

struct Field {
  std::string name;
  Type type;
};

bool is_integer(TypeId id);
bool is_number(TypeId id);    // Integers, decimals and floating point.
bool is_temporal(TypeId id);  // Dates, times and timestamps.
bool is_nested(TypeId id);

// As Polars names it: String, Int64, Float64, Date, Decimal(18,3), List(Int64), Struct({"a": Int64}).
std::string polars_name(const Type& type);
// As SQL names it, for a cast: VARCHAR, BIGINT, DECIMAL(18,3), BIGINT[].
std::string sql_name(const Type& type);

}  // namespace sluice::engine
