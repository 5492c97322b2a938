#include "sluice/render/cell.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "sluice/base/base64.h"
#include "sluice/json/writer.h"

#include "number.h"
#include "time_text.h"

namespace sluice::render {

namespace {

using engine::Column;
using engine::TypeId;

constexpr std::int64_t kExactMax = std::int64_t{1} << 53U;

// How the text of a cell stands in the answer.
enum class Quote : std::uint8_t { kBare, kText };

template <typename T>
void append_chars(std::string& out, T value) {
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  out.append(buffer, end);
}

template <typename T>
Quote append_integer(std::string& out, const Column& column, std::size_t row) {
  const T value = column.at<T>(row);
  append_chars(out, value);
  if constexpr (sizeof(T) < 8) return Quote::kBare;
  if constexpr (std::is_signed_v<T>) {
    return value <= kExactMax && value >= -kExactMax ? Quote::kBare : Quote::kText;
  } else {
    return value <= static_cast<std::uint64_t>(kExactMax) ? Quote::kBare : Quote::kText;
  }
}

template <typename T>
Quote append_float(std::string& out, T value, Digits digits) {
  if (std::isnan(value)) {
    out += "NaN";
    return Quote::kText;
  }
  if (std::isinf(value)) {
    out += value < 0 ? "-Infinity" : "Infinity";
    return Quote::kText;
  }
  if (digits == Digits::kExact) {
    append_chars(out, value);
    return Quote::kBare;
  }
  std::array<char, 40> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general,
                                 std::numeric_limits<T>::digits10 + (sizeof(T) == 4 ? 1 : 0));
  out.append(text.data(), end.ptr);
  return Quote::kBare;
}

Quote append_wide(std::string& out, const std::string& digits) {
  constexpr std::size_t kExactDigits = 15;
  const bool is_exact = digits.size() <= kExactDigits;
  out += digits;
  return is_exact ? Quote::kBare : Quote::kText;
}

std::string_view label_of(const Column& column, std::size_t row) {
  const std::size_t labels = column.type->labels.size();
  const std::size_t index = labels <= 0xFF     ? column.at<std::uint8_t>(row)
                            : labels <= 0xFFFF ? column.at<std::uint16_t>(row)
                                               : column.at<std::uint32_t>(row);
  return index < labels ? std::string_view(column.type->labels[index]) : std::string_view();
}

Quote append_number(std::string& out, const Column& column, std::size_t row, Digits digits) {
  switch (column.type->id) {
    case TypeId::kBool:
      out += column.at<std::uint8_t>(row) != 0 ? "true" : "false";
      return Quote::kBare;
    case TypeId::kInt8:
      return append_integer<std::int8_t>(out, column, row);
    case TypeId::kInt16:
      return append_integer<std::int16_t>(out, column, row);
    case TypeId::kInt32:
      return append_integer<std::int32_t>(out, column, row);
    case TypeId::kInt64:
      return append_integer<std::int64_t>(out, column, row);
    case TypeId::kUInt8:
      return append_integer<std::uint8_t>(out, column, row);
    case TypeId::kUInt16:
      return append_integer<std::uint16_t>(out, column, row);
    case TypeId::kUInt32:
      return append_integer<std::uint32_t>(out, column, row);
    case TypeId::kUInt64:
      return append_integer<std::uint64_t>(out, column, row);
    case TypeId::kInt128:
      return append_wide(out, digits_of(column.at<engine::Int128>(row)));
    case TypeId::kUInt128:
      return append_wide(out, unsigned_digits_of(column.at<engine::Int128>(row)));
    case TypeId::kFloat:
      return append_float(out, column.at<float>(row), digits);
    case TypeId::kDouble:
      return append_float(out, column.at<double>(row), digits);
    case TypeId::kDecimal: {
      const NumberText number = decimal_text(column, row);
      out += number.text;
      return number.is_exact ? Quote::kBare : Quote::kText;
    }
    default:
      out += "null";
      return Quote::kBare;
  }
}

// Everything else whose text needs no escapes.
Quote append_plain(std::string& out, const Column& column, std::size_t row, Digits digits) {
  switch (column.type->id) {
    case TypeId::kDate:
      out += date_text(column.at<std::int32_t>(row));
      return Quote::kText;
    case TypeId::kTime:
      out += time_text(column.at<std::int64_t>(row), 1'000'000);
      return Quote::kText;
    case TypeId::kTimeNs:
      out += time_text(column.at<std::int64_t>(row), 1'000'000'000);
      return Quote::kText;
    case TypeId::kTimeTz:
      out += time_tz_text(column.at<std::uint64_t>(row));
      return Quote::kText;
    case TypeId::kTimestampS:
      out += timestamp_text(column.at<std::int64_t>(row), 1);
      return Quote::kText;
    case TypeId::kTimestampMs:
      out += timestamp_text(column.at<std::int64_t>(row), 1'000);
      return Quote::kText;
    case TypeId::kTimestampUs:
      out += timestamp_text(column.at<std::int64_t>(row), 1'000'000);
      return Quote::kText;
    case TypeId::kTimestampNs:
      out += timestamp_text(column.at<std::int64_t>(row), 1'000'000'000);
      return Quote::kText;
    case TypeId::kTimestampTz: {
      out += timestamp_text(column.at<std::int64_t>(row), 1'000'000);
      if (!out.ends_with("infinity")) out += 'Z';
      return Quote::kText;
    }
    case TypeId::kInterval:
      out += interval_text(column.at<engine::IntervalCell>(row));
      return Quote::kText;
    case TypeId::kUuid:
      out += uuid_text(column.at<engine::Int128>(row));
      return Quote::kText;
    case TypeId::kBlob:
      out += base64_encode(column.text(row));
      return Quote::kText;
    case TypeId::kBit:
      out += bits_text(column.text(row));
      return Quote::kText;
    case TypeId::kBignum:
      return append_wide(out, bignum_text(column.text(row)));
    default:
      return append_number(out, column, row, digits);
  }
}

struct Elements {
  std::size_t from;
  std::size_t count;
};

void append_elements(std::string& out, const Column& child, const Elements& elements, Digits digits) {
  out += '[';
  for (std::size_t i = 0; i < elements.count; ++i) {
    if (i > 0) out += ',';
    append_json(out, child, elements.from + i, digits);
  }
  out += ']';
}

void append_member(std::string& out, std::string_view name, const Column& column, std::size_t row,
                   Digits digits) {
  json::append_string(out, name);
  out += ':';
  append_json(out, column, row, digits);
}

void append_struct(std::string& out, const Column& column, std::size_t row, Digits digits) {
  out += '{';
  for (std::size_t i = 0; i < column.children.size(); ++i) {
    if (i > 0) out += ',';
    append_member(out, column.type->fields[i].name, column.children[i], row, digits);
  }
  out += '}';
}

void append_map(std::string& out, const Column& column, std::size_t row, Digits digits) {
  const auto entries = column.at<engine::ListCell>(row);
  out += '[';
  for (std::size_t i = 0; i < entries.size; ++i) {
    out += i > 0 ? ",{" : "{";
    append_member(out, "key", column.children[0], entries.offset + i, digits);
    out += ',';
    append_member(out, "value", column.children[1], entries.offset + i, digits);
    out += '}';
  }
  out += ']';
}

void append_union(std::string& out, const Column& column, std::size_t row, Digits digits) {
  const std::size_t member = column.children[0].at<std::uint8_t>(row);
  out += '{';
  if (member < column.type->fields.size()) {
    append_member(out, column.type->fields[member].name, column.children[member + 1], row, digits);
  }
  out += '}';
}

}  // namespace

void append_json(std::string& out, const Column& column, std::size_t row, Digits digits) {
  if (column.is_null(row)) {
    out += "null";
    return;
  }
  switch (column.type->id) {
    case TypeId::kText:
      json::append_string(out, column.text(row));
      return;
    case TypeId::kEnum:
      json::append_string(out, label_of(column, row));
      return;
    case TypeId::kList: {
      const auto list = column.at<engine::ListCell>(row);
      append_elements(out, column.children.front(), {.from = list.offset, .count = list.size}, digits);
      return;
    }
    case TypeId::kArray:
      append_elements(out, column.children.front(),
                      {.from = row * column.type->array_size, .count = column.type->array_size}, digits);
      return;
    case TypeId::kStruct:
      append_struct(out, column, row, digits);
      return;
    case TypeId::kMap:
      append_map(out, column, row, digits);
      return;
    case TypeId::kUnion:
      append_union(out, column, row, digits);
      return;
    default:
      break;
  }
  const std::size_t before = out.size();
  if (append_plain(out, column, row, digits) == Quote::kText) {
    out.insert(before, 1, '"');
    out += '"';
  }
}

void append_text(std::string& out, const Column& column, std::size_t row, Digits digits) {
  if (column.is_null(row)) return;
  if (column.type->id == TypeId::kText) {
    out += column.text(row);
  } else if (column.type->id == TypeId::kEnum) {
    out += label_of(column, row);
  } else if (engine::is_nested(column.type->id)) {
    append_json(out, column, row, digits);
  } else {
    append_plain(out, column, row, digits);
  }
}

}  // namespace sluice::render
