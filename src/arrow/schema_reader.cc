#include "schema_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "sluice/arrow/limits.h"
#include "sluice/base/text.h"

#include "arrow_failure.h"

namespace sluice::arrow {

namespace {

using engine::Type;
using engine::TypeId;

// Arrow's union of types, by its numbers.
enum class ArrowType : std::uint8_t {
  kNull = 1,
  kInt = 2,
  kFloat = 3,
  kBinary = 4,
  kText = 5,
  kBool = 6,
  kDecimal = 7,
  kDate = 8,
  kTime = 9,
  kTimestamp = 10,
  kInterval = 11,
  kList = 12,
  kStruct = 13,
  kFixedBinary = 15,
  kFixedList = 16,
  kMap = 17,
  kDuration = 18,
  kLargeBinary = 19,
  kLargeText = 20,
  kLargeList = 21,
  kBinaryView = 23,
  kTextView = 24,
};

enum Unit : std::int16_t { kSecond = 0, kMilli = 1, kMicro = 2, kNano = 3 };
constexpr std::int64_t kMicrosPerSecond = 1'000'000;
constexpr std::int64_t kMicrosPerMilli = 1'000;

void set_fixed(ArrowField& field, TypeId id, std::size_t bytes, Change change = Change::kNone) {
  field.type.id = id;
  field.layout = Layout::kFixed;
  field.bytes = bytes;
  field.change = change;
}

Status set_int(ArrowField& field, const FlatTable& type) {
  const auto bits = type.scalar<std::int32_t>(0, 0);
  const bool is_signed = type.scalar<std::uint8_t>(1, 0) != 0;
  constexpr std::array kSigned = {TypeId::kInt8, TypeId::kInt16, TypeId::kInt32, TypeId::kInt64};
  constexpr std::array kUnsigned = {TypeId::kUInt8, TypeId::kUInt16, TypeId::kUInt32, TypeId::kUInt64};
  for (std::size_t i = 0; i < kSigned.size(); ++i) {
    if (bits != (8 << i)) continue;
    set_fixed(field, is_signed ? kSigned[i] : kUnsigned[i], std::size_t{1} << i);
    return {};
  }
  return damaged_arrow("an integer has an unknown size");
}

Status set_float(ArrowField& field, const FlatTable& type) {
  switch (type.scalar<std::int16_t>(0, 0)) {
    case 0:
      set_fixed(field, TypeId::kFloat, 2, Change::kHalfFloat);
      return {};
    case 1:
      set_fixed(field, TypeId::kFloat, 4);
      return {};
    case 2:
      set_fixed(field, TypeId::kDouble, 8);
      return {};
    default:
      return damaged_arrow("a floating-point number has an unknown size");
  }
}

Status set_decimal(ArrowField& field, const FlatTable& type) {
  const auto precision = type.scalar<std::int32_t>(0, 0);
  const auto scale = type.scalar<std::int32_t>(1, 0);
  const auto bits = type.scalar<std::int32_t>(2, 128);
  constexpr std::int32_t kDigitsMax = 38;
  if (precision < 1 || precision > kDigitsMax || scale < 0 || scale > precision || bits != 128)
    return unsupported_arrow("decimals of 256 bits, or with a negative scale");
  set_fixed(field, TypeId::kDecimal, 16, Change::kDecimal);
  field.type.width = static_cast<std::uint8_t>(precision);
  field.type.scale = static_cast<std::uint8_t>(scale);
  return {};
}

Status set_time(ArrowField& field, const FlatTable& type) {
  const auto unit = type.scalar<std::int16_t>(0, kMilli);
  if (unit == kSecond || unit == kMilli) {
    set_fixed(field, TypeId::kTime, 4, Change::kWiden32ToMicros);
    field.factor = unit == kSecond ? kMicrosPerSecond : kMicrosPerMilli;
  } else if (unit == kMicro) {
    set_fixed(field, TypeId::kTime, 8, Change::kToMicros);
  } else {
    set_fixed(field, TypeId::kTime, 8, Change::kNanosToMicros);
  }
  return {};
}

Status set_timestamp(ArrowField& field, const FlatTable& type) {
  const auto unit = type.scalar<std::int16_t>(0, kSecond);
  if (unit < kSecond || unit > kNano) return damaged_arrow("a timestamp has an unknown unit");
  if (!type.text(1).empty()) {
    set_fixed(field, TypeId::kTimestampTz, 8, unit == kNano ? Change::kNanosToMicros : Change::kToMicros);
    field.factor = unit == kSecond ? kMicrosPerSecond : unit == kMilli ? kMicrosPerMilli : 1;
    return {};
  }
  constexpr std::array kTypes = {TypeId::kTimestampS, TypeId::kTimestampMs, TypeId::kTimestampUs,
                                 TypeId::kTimestampNs};
  set_fixed(field, kTypes[static_cast<std::size_t>(unit)], 8);
  return {};
}

Status set_interval(ArrowField& field, const FlatTable& type) {
  switch (type.scalar<std::int16_t>(0, 0)) {
    case 0:
      set_fixed(field, TypeId::kInterval, 4, Change::kMonths);
      return {};
    case 1:
      set_fixed(field, TypeId::kInterval, 8, Change::kDaysAndMillis);
      return {};
    case 2:
      set_fixed(field, TypeId::kInterval, 16, Change::kMonthsDaysNanos);
      return {};
    default:
      return damaged_arrow("an interval has an unknown unit");
  }
}

void set_duration(ArrowField& field, const FlatTable& type) {
  set_fixed(field, TypeId::kInterval, 8, Change::kLength);
  constexpr std::array<std::int64_t, 4> kFactors = {kMicrosPerSecond, kMicrosPerMilli, 1, -1'000};
  const auto unit = static_cast<std::size_t>(type.scalar<std::int16_t>(0, kMilli));
  field.factor = kFactors[unit < kFactors.size() ? unit : 1];
}

Status set_date(ArrowField& field, const FlatTable& type) {
  if (type.scalar<std::int16_t>(0, 1) == 0) {
    set_fixed(field, TypeId::kDate, 4);
  } else {
    set_fixed(field, TypeId::kDate, 8, Change::kMillisToDays);
  }
  return {};
}

void set_text(ArrowField& field, TypeId id, Layout layout) {
  field.type.id = id;
  field.layout = layout;
}

// A type whose values have children: the engine's type is made of theirs.
Status set_nested(ArrowField& field, ArrowType kind, const FlatTable& type) {
  const bool has_one = field.children.size() == 1;
  if (kind != ArrowType::kStruct && !has_one) return damaged_arrow("a list has no type of its elements");
  if (kind == ArrowType::kStruct) {
    if (field.children.empty()) return unsupported_arrow("structs without members");
    field.type.id = TypeId::kStruct;
    field.layout = Layout::kStruct;
  } else if (kind == ArrowType::kMap) {
    if (field.children.front().children.size() != 2) return damaged_arrow("a map has no keys and values");
    field.type.id = TypeId::kMap;
    field.layout = Layout::kMap;
    for (const ArrowField& each : field.children.front().children)
      field.type.fields.push_back({.name = each.name, .type = each.type});
    return {};
  } else if (kind == ArrowType::kFixedList) {
    const auto size = type.scalar<std::int32_t>(0, 0);
    if (size < 1 || size > 100'000)
      return unsupported_arrow("lists of a fixed size of 0, or of more than 100,000");
    field.type.id = TypeId::kArray;
    field.type.array_size = static_cast<std::uint64_t>(size);
    field.layout = Layout::kFixedList;
  } else {
    field.type.id = TypeId::kList;
    field.layout = kind == ArrowType::kList ? Layout::kList : Layout::kLargeList;
  }
  for (const ArrowField& each : field.children)
    field.type.fields.push_back({.name = each.name, .type = each.type});
  return {};
}

Status set_type(ArrowField& field, ArrowType kind, const FlatTable& type) {
  switch (kind) {
    case ArrowType::kNull:
      field.type.id = TypeId::kInt32;
      field.layout = Layout::kNull;
      return {};
    case ArrowType::kInt:
      return set_int(field, type);
    case ArrowType::kFloat:
      return set_float(field, type);
    case ArrowType::kBinary:
      set_text(field, TypeId::kBlob, Layout::kText);
      return {};
    case ArrowType::kText:
      set_text(field, TypeId::kText, Layout::kText);
      return {};
    case ArrowType::kBool:
      set_text(field, TypeId::kBool, Layout::kBits);
      return {};
    case ArrowType::kDecimal:
      return set_decimal(field, type);
    case ArrowType::kDate:
      return set_date(field, type);
    case ArrowType::kTime:
      return set_time(field, type);
    case ArrowType::kTimestamp:
      return set_timestamp(field, type);
    case ArrowType::kInterval:
      return set_interval(field, type);
    case ArrowType::kDuration:
      set_duration(field, type);
      return {};
    case ArrowType::kFixedBinary:
      set_text(field, TypeId::kBlob, Layout::kFixedBinary);
      field.bytes = static_cast<std::size_t>(std::max(type.scalar<std::int32_t>(0, 0), 0));
      return field.bytes == 0 ? Status(unsupported_arrow("binary values of no bytes")) : Status();
    case ArrowType::kLargeBinary:
      set_text(field, TypeId::kBlob, Layout::kLargeText);
      return {};
    case ArrowType::kLargeText:
      set_text(field, TypeId::kText, Layout::kLargeText);
      return {};
    case ArrowType::kBinaryView:
      set_text(field, TypeId::kBlob, Layout::kTextView);
      return {};
    case ArrowType::kTextView:
      set_text(field, TypeId::kText, Layout::kTextView);
      return {};
    case ArrowType::kList:
    case ArrowType::kStruct:
    case ArrowType::kFixedList:
    case ArrowType::kMap:
    case ArrowType::kLargeList:
      return set_nested(field, kind, type);
  }
  return unsupported_arrow(fmt::format("the type of column {}", encode_controls(excerpt(field.name))));
}

Status set_dictionary(ArrowField& field, const FlatTable& encoding) {
  ArrowField::Dictionary out{.id = encoding.scalar<std::int64_t>(0, 0)};
  if (const std::optional<FlatTable> index = encoding.table(1)) {
    const auto bits = index->scalar<std::int32_t>(0, 32);
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
      return damaged_arrow("a dictionary has an unknown index");
    out.bytes = static_cast<std::size_t>(bits) / 8;
    out.is_signed = index->scalar<std::uint8_t>(1, 0) != 0;
  }
  if (!field.children.empty()) return unsupported_arrow("dictionaries of lists or structs");
  field.dictionary = out;
  return {};
}

Result<ArrowField> read_field(const FlatTable& table, std::size_t level, std::size_t& count) {
  if (level > kArrowLevelsMax) return damaged_arrow("its types are nested too deep");
  if (++count > kArrowColumnsMax) return too_large_arrow("columns of an Arrow file", kArrowColumnsMax);
  ArrowField field;
  field.name = table.text(0);
  if (!is_valid_utf8(field.name)) return damaged_arrow("a column's name is not UTF-8");
  const FlatTable::Vector children = table.vector(5, 4);
  for (std::size_t i = 0; i < children.size; ++i) {
    const std::optional<FlatTable> child = table.table_at(children, i);
    if (!child) return damaged_arrow("a column's type is incomplete");
    SLUICE_TRY(ArrowField read, read_field(*child, level + 1, count));
    field.children.push_back(std::move(read));
  }
  const std::optional<FlatTable> type = table.table(3);
  if (!type) return damaged_arrow("a column has no type");
  SLUICE_CHECK(set_type(field, static_cast<ArrowType>(table.scalar<std::uint8_t>(2, 0)), *type));
  if (const std::optional<FlatTable> dictionary = table.table(4))
    SLUICE_CHECK(set_dictionary(field, *dictionary));
  return field;
}

}  // namespace

Result<std::vector<ArrowField>> read_schema(const FlatTable& schema) {
  if (schema.scalar<std::int16_t>(0, 0) != 0)
    return unsupported_arrow("numbers whose first byte is the largest");
  std::vector<ArrowField> out;
  std::size_t count = 0;
  const FlatTable::Vector fields = schema.vector(1, 4);
  for (std::size_t i = 0; i < fields.size; ++i) {
    const std::optional<FlatTable> field = schema.table_at(fields, i);
    if (!field) return damaged_arrow("its schema is incomplete");
    SLUICE_TRY(ArrowField read, read_field(*field, 0, count));
    out.push_back(std::move(read));
  }
  if (out.empty()) return damaged_arrow("it has no columns");
  return out;
}

}  // namespace sluice::arrow
