#include "values.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "sluice/base/text.h"
#include "sluice/engine/utf8_repair.h"

namespace sluice::engine::sqlite {

namespace {

std::string_view bytes_of(sqlite3_stmt* row, int index) {
  // Zero bytes are a null pointer.
  const void* bytes = sqlite3_column_blob(row, index);
  return {bytes == nullptr ? "" : static_cast<const char*>(bytes),
          static_cast<std::size_t>(sqlite3_column_bytes(row, index))};
}

std::string_view cell_text(sqlite3_stmt* row, int index) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row, index));
  return {text == nullptr ? "" : text, static_cast<std::size_t>(sqlite3_column_bytes(row, index))};
}

void add_as_text(sqlite3_stmt* row, int index, ColumnBuilder& column) {
  switch (sqlite3_column_type(row, index)) {
    case SQLITE_INTEGER:
      return column.add_text(std::to_string(sqlite3_column_int64(row, index)));
    case SQLITE_FLOAT:
      return column.add_text(real_text(sqlite3_column_double(row, index)));
    case SQLITE_BLOB:
      return column.add_text(blob_text(bytes_of(row, index)));
    default:
      break;
  }
  const std::string_view text = cell_text(row, index);
  if (is_valid_utf8(text)) return column.add_text(text);
  column.add_text(repair_utf8(text));
}

bool add_double(sqlite3_stmt* row, int index, ColumnBuilder& column) {
  const int type = sqlite3_column_type(row, index);
  if (type == SQLITE_FLOAT) {
    column.add(sqlite3_column_double(row, index));
    return true;
  }
  if (type != SQLITE_INTEGER) return false;
  const std::int64_t value = sqlite3_column_int64(row, index);
  if (value > kExactIntegerMax || value < -kExactIntegerMax) return false;
  column.add(static_cast<double>(value));
  return true;
}

template <typename T>
bool add_integer(sqlite3_stmt* row, int index, ColumnBuilder& column, std::int64_t low, std::int64_t high) {
  if (sqlite3_column_type(row, index) != SQLITE_INTEGER) return false;
  const std::int64_t value = sqlite3_column_int64(row, index);
  if (value < low || value > high) return false;
  column.add(static_cast<T>(value));
  return true;
}

}  // namespace

std::string real_text(double value) {
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  std::string out(digits, end);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

std::string blob_text(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "x'";
  out.reserve(2 * bytes.size() + 3);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    (out += kDigits[byte >> 4U]) += kDigits[byte & 15U];
  }
  return out += '\'';
}

bool is_decoded(TypeId type) {
  switch (type) {
    case TypeId::kBool:
    case TypeId::kInt32:
    case TypeId::kInt64:
    case TypeId::kDouble:
    case TypeId::kText:
    case TypeId::kBlob:
      return true;
    default:
      return false;
  }
}

bool add_value(sqlite3_stmt* row, int index, ColumnBuilder& column) {
  if (sqlite3_column_type(row, index) == SQLITE_NULL) {
    column.add_null();
    return true;
  }
  switch (column.type().id) {
    case TypeId::kBool:
      return add_integer<std::uint8_t>(row, index, column, 0, 1);
    case TypeId::kInt32:
      return add_integer<std::int32_t>(row, index, column, std::numeric_limits<std::int32_t>::min(),
                                       std::numeric_limits<std::int32_t>::max());
    case TypeId::kInt64:
      return add_integer<std::int64_t>(row, index, column, std::numeric_limits<std::int64_t>::min(),
                                       std::numeric_limits<std::int64_t>::max());
    case TypeId::kDouble:
      return add_double(row, index, column);
    case TypeId::kBlob:
      if (sqlite3_column_type(row, index) != SQLITE_BLOB) return false;
      column.add_text(bytes_of(row, index));
      return true;
    default:
      add_as_text(row, index, column);
      return true;
  }
}

Type widened(const Type& type, sqlite3_stmt* row, int index) {
  const int found = sqlite3_column_type(row, index);
  if (found == SQLITE_INTEGER && (type.id == TypeId::kBool || type.id == TypeId::kInt32)) {
    return Type{.id = TypeId::kInt64};
  }
  // Integers that a double does not hold are found when they are met, and make it text.
  if (found == SQLITE_FLOAT && (is_integer(type.id) || type.id == TypeId::kBool)) {
    return Type{.id = TypeId::kDouble};
  }
  return Type{.id = TypeId::kText};
}

}  // namespace sluice::engine::sqlite
