#include "value_decoder.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "arrow_failure.h"

namespace sluice::arrow {

namespace {

using engine::Int128;
using engine::IntervalCell;

__extension__ using Wide = __int128;

constexpr std::int64_t kMillisPerDay = 86'400'000;
constexpr std::int64_t kNanosPerMicro = 1'000;
constexpr std::int64_t kMicrosPerMilliOfDay = 1'000;
constexpr std::int64_t kMicrosPerDay = 86'400'000'000;

template <typename T>
T value_at(std::string_view values, std::size_t index) {
  T out;
  std::memcpy(&out, values.data() + index * sizeof(T), sizeof(T));
  return out;
}

std::int64_t floor_divide(std::int64_t value, std::int64_t by) {
  const std::int64_t quotient = value / by;
  return quotient - (value % by < 0 ? 1 : 0);
}

float float_of_half(std::uint16_t half) {
  const float sign = (half & 0x8000U) != 0 ? -1.0F : 1.0F;
  const int exponent = (half >> 10U) & 0x1F;
  const auto fraction = static_cast<float>(half & 0x3FFU);
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  return sign * std::ldexp(fraction + 1024, exponent - 25);
}

std::size_t decimal_bytes(std::uint8_t digits) {
  return digits <= 4 ? 2 : digits <= 9 ? 4 : digits <= 18 ? 8 : 16;
}

Wide power_of_ten(std::uint8_t digits) {
  Wide out = 1;
  for (std::uint8_t i = 0; i < digits; ++i) out *= 10;
  return out;
}

bool put_decimal(const ArrowField& field, std::string_view values, std::size_t row, Wide limit,
                 DecodedColumn& column) {
  const auto stored = value_at<Int128>(values, row);
  Wide value = 0;
  std::memcpy(&value, &stored, sizeof(value));
  if (value >= limit || value <= -limit) return false;
  switch (decimal_bytes(field.type.width)) {
    case 2:
      column.set(row, static_cast<std::int16_t>(value));
      break;
    case 4:
      column.set(row, static_cast<std::int32_t>(value));
      break;
    case 8:
      column.set(row, static_cast<std::int64_t>(value));
      break;
    default:
      column.set(row, stored);
  }
  return true;
}

bool put_micros(std::int64_t value, std::int64_t factor, std::size_t row, DecodedColumn& column) {
  std::int64_t micros = 0;
  if (__builtin_mul_overflow(value, factor, &micros)) return false;
  // A time of day ends before the next day begins.
  if (column.type->id == engine::TypeId::kTime && (micros < 0 || micros >= kMicrosPerDay)) return false;
  column.set(row, micros);
  return true;
}

bool put_interval(const ArrowField& field, std::string_view values, std::size_t row, DecodedColumn& column) {
  IntervalCell cell{.months = 0, .days = 0, .micros = 0};
  if (field.change == Change::kMonths) {
    cell.months = value_at<std::int32_t>(values, row);
  } else if (field.change == Change::kDaysAndMillis) {
    cell.days = value_at<std::int32_t>(values, 2 * row);
    cell.micros = value_at<std::int32_t>(values, 2 * row + 1) * kMicrosPerMilliOfDay;
  } else if (field.change == Change::kMonthsDaysNanos) {
    cell.months = value_at<std::int32_t>(values, 4 * row);
    cell.days = value_at<std::int32_t>(values, 4 * row + 1);
    cell.micros = floor_divide(value_at<std::int64_t>(values, 2 * row + 1), kNanosPerMicro);
  } else if (field.factor < 0) {
    cell.micros = floor_divide(value_at<std::int64_t>(values, row), -field.factor);
  } else if (__builtin_mul_overflow(value_at<std::int64_t>(values, row), field.factor, &cell.micros)) {
    return false;
  }
  column.set(row, cell);
  return true;
}

bool put_value(const ArrowField& field, std::string_view values, std::size_t row, Wide limit,
               DecodedColumn& column) {
  switch (field.change) {
    case Change::kNone:
      return true;
    case Change::kHalfFloat:
      column.set(row, float_of_half(value_at<std::uint16_t>(values, row)));
      return true;
    case Change::kDecimal:
      return put_decimal(field, values, row, limit, column);
    case Change::kMillisToDays: {
      const std::int64_t days = floor_divide(value_at<std::int64_t>(values, row), kMillisPerDay);
      if (days > INT32_MAX || days < INT32_MIN) return false;
      column.set(row, static_cast<std::int32_t>(days));
      return true;
    }
    case Change::kToMicros:
      return put_micros(value_at<std::int64_t>(values, row), field.factor, row, column);
    case Change::kNanosToMicros:
      return put_micros(floor_divide(value_at<std::int64_t>(values, row), kNanosPerMicro), 1, row, column);
    case Change::kWiden32ToMicros:
      return put_micros(value_at<std::int32_t>(values, row), field.factor, row, column);
    case Change::kMonths:
    case Change::kDaysAndMillis:
    case Change::kMonthsDaysNanos:
    case Change::kLength:
      return put_interval(field, values, row, column);
  }
  return false;
}

std::size_t cell_width(const ArrowField& field) {
  switch (field.change) {
    case Change::kNone:
      return field.bytes;
    case Change::kHalfFloat:
    case Change::kMillisToDays:
      return 4;
    case Change::kDecimal:
      return decimal_bytes(field.type.width);
    case Change::kToMicros:
    case Change::kNanosToMicros:
    case Change::kWiden32ToMicros:
      return 8;
    case Change::kMonths:
    case Change::kDaysAndMillis:
    case Change::kMonthsDaysNanos:
    case Change::kLength:
      return sizeof(IntervalCell);
  }
  return 0;
}

}  // namespace

Status decode_values(const ArrowField& field, std::string_view values, DecodedColumn& column) {
  column.resize(column.rows, cell_width(field));
  if (field.change == Change::kNone) {
    std::memcpy(column.cells.data(), values.data(), column.cells.size());
    return {};
  }
  const Wide limit = field.change == Change::kDecimal ? power_of_ten(field.type.width) : 0;
  for (std::size_t row = 0; row < column.rows; ++row) {
    if (!column.is_null(row) && !put_value(field, values, row, limit, column))
      return damaged_arrow("a value is out of the range of its type");
  }
  return {};
}

}  // namespace sluice::arrow
