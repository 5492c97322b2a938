#include "values/values.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "sluice/base/text.h"
#include "sluice/engine/utf8_repair.h"

#include "values/arrays.h"
#include "values/numbers.h"
#include "values/times.h"

namespace sluice::engine::postgres {

namespace {

template <typename T>
bool add_some(const std::optional<T>& value, ColumnBuilder& column) {
  if (!value) return false;
  column.add(*value);
  return true;
}

template <typename T>
bool add_number(std::string_view text, ColumnBuilder& column) {
  return add_some(number_of<T>(text), column);
}

bool add_bool(std::string_view text, ColumnBuilder& column) {
  if (text != "t" && text != "f") return false;
  column.add(static_cast<std::uint8_t>(text == "t" ? 1 : 0));
  return true;
}

bool add_decimal(std::string_view text, ColumnBuilder& column) {
  const std::optional<Wide> value = decimal_of(text, column.type());
  if (!value) return false;
  switch (cell_bytes(column.type())) {
    case sizeof(std::int16_t):
      column.add(static_cast<std::int16_t>(*value));
      return true;
    case sizeof(std::int32_t):
      column.add(static_cast<std::int32_t>(*value));
      return true;
    case sizeof(std::int64_t):
      column.add(static_cast<std::int64_t>(*value));
      return true;
    default:
      column.add(Int128{.low = static_cast<std::uint64_t>(*value),
                        .high = static_cast<std::int64_t>(*value >> 64U)});
      return true;
  }
}

bool add_wide(std::string_view text, ColumnBuilder& column) {
  const std::optional<Wide> value = decimal_of(text, {.id = TypeId::kDecimal, .width = 38, .scale = 0});
  if (!value) return false;
  column.add(
      Int128{.low = static_cast<std::uint64_t>(*value), .high = static_cast<std::int64_t>(*value >> 64U)});
  return true;
}

bool add_blob(std::string_view text, ColumnBuilder& column) {
  if (!text.starts_with("\\x") || text.size() % 2 != 0) return false;
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 2; i < text.size(); i += 2) {
    std::uint8_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + i + 2, value, 16);
    if (error != std::errc() || end != text.data() + i + 2) return false;
    bytes += static_cast<char>(value);
  }
  column.add_text(bytes);
  return true;
}

bool add_list(std::string_view text, ColumnBuilder& column) {
  const auto items = items_of(text);
  if (!items) return false;
  for (const std::optional<std::string>& item : *items) {
    if (!item) {
      column.child().add_null();
    } else if (!add_value(*item, column.child())) {
      return false;
    }
  }
  column.add_list();
  return true;
}

}  // namespace

bool is_decoded(const Type& type) {
  if (type.id == TypeId::kList) {
    return type.fields.size() == 1 && type.fields.front().type.id != TypeId::kList &&
           is_decoded(type.fields.front().type);
  }
  if (type.id == TypeId::kDecimal) return type.width >= 1 && type.width <= 38 && type.scale <= type.width;
  switch (type.id) {
    case TypeId::kInt8:
    case TypeId::kUInt8:
    case TypeId::kUInt16:
    case TypeId::kUInt128:
      return false;
    default:
      return cell_bytes(type) > 0;
  }
}

bool add_value(std::string_view text, ColumnBuilder& column) {
  switch (column.type().id) {
    case TypeId::kBool:
      return add_bool(text, column);
    case TypeId::kInt16:
      return add_number<std::int16_t>(text, column);
    case TypeId::kInt32:
      return add_number<std::int32_t>(text, column);
    case TypeId::kInt64:
      return add_number<std::int64_t>(text, column);
    case TypeId::kInt128:
      return add_wide(text, column);
    case TypeId::kUInt32:
      return add_number<std::uint32_t>(text, column);
    case TypeId::kUInt64:
      return add_number<std::uint64_t>(text, column);
    case TypeId::kFloat:
      return add_number<float>(text, column);
    case TypeId::kDouble:
      return add_number<double>(text, column);
    case TypeId::kDecimal:
      return add_decimal(text, column);
    case TypeId::kDate:
      return add_some(date_of(text), column);
    case TypeId::kTime:
      return add_some(time_of(text), column);
    case TypeId::kTimeTz:
      return add_some(time_with_zone_of(text), column);
    case TypeId::kTimestampUs:
    case TypeId::kTimestampTz:
      return add_some(timestamp_of(text), column);
    case TypeId::kInterval:
      return add_some(interval_of(text), column);
    case TypeId::kUuid:
      return add_some(uuid_of(text), column);
    case TypeId::kBlob:
      return add_blob(text, column);
    case TypeId::kList:
      return add_list(text, column);
    default:
      // A server whose own encoding is SQL_ASCII sends bytes as they are.
      if (is_valid_utf8(text)) {
        column.add_text(text);
      } else {
        column.add_text(repair_utf8(text));
      }
      return true;
  }
}

}  // namespace sluice::engine::postgres
