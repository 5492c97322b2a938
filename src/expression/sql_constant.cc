#include "sql_constant.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "sluice/base/text.h"

#include "sql_node.h"

namespace sluice::expression {

namespace {

using engine::Type;
using engine::TypeId;
using ConstantKind = SqlConstant::Kind;

constexpr std::uint32_t kDecimalDigitsMax = 38;
// The engine casts a decimal to the nearest double if both its digits and the power of ten are exact doubles.
constexpr std::uint32_t kExactDoubleDigits = 15;
constexpr double kExactDoubleIntegers = 9'007'199'254'740'992;

struct IntegerType {
  std::string_view name;
  std::uint32_t digits;
};
constexpr std::array kIntegerTypes = {IntegerType{"TINYINT", 3},   IntegerType{"SMALLINT", 5},
                                      IntegerType{"INTEGER", 10},  IntegerType{"BIGINT", 19},
                                      IntegerType{"UTINYINT", 3},  IntegerType{"USMALLINT", 5},
                                      IntegerType{"UINTEGER", 10}, IntegerType{"UBIGINT", 20}};

// `pattern` with 0 for any digit.
bool has_form(std::string_view text, std::string_view pattern) {
  return std::equal(text.begin(), text.end(), pattern.begin(), pattern.end(), [](char c, char expected) {
    return expected == '0' ? c >= '0' && c <= '9' : c == expected;
  });
}

constexpr std::string_view kDateForm = "0000-00-00";
constexpr std::string_view kClockForm = "00:00:00";

// A date and a time of day, with up to six digits of a second.
bool is_iso_timestamp(std::string_view text) {
  const std::size_t clock_end = kDateForm.size() + 1 + kClockForm.size();
  if (text.size() < clock_end || !is_iso_date(text.substr(0, kDateForm.size()))) return false;
  const char separator = text[kDateForm.size()];
  const std::string_view clock = text.substr(kDateForm.size() + 1, kClockForm.size());
  if ((separator != ' ' && separator != 'T') || !has_form(clock, kClockForm) || clock.starts_with("24"))
    return false;
  const std::string_view fraction = text.substr(clock_end);
  return fraction.empty() ||
         (fraction.size() >= 2 && has_form(fraction, std::string_view(".000000").substr(0, fraction.size())));
}

std::optional<double> parsed_double(std::string_view text) {
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_integer_text(std::string_view text) {
  std::int64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size();
}

// The number that a decimal constant holds as an integer, with its point.
std::string decimal_text(std::string unscaled, std::uint32_t scale) {
  const bool is_negative = unscaled.starts_with('-');
  std::string digits = unscaled.substr(is_negative ? 1 : 0);
  if (digits.size() <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
  if (scale > 0) digits.insert(digits.size() - scale, ".");
  return (is_negative ? "-" : "") + digits;
}

std::optional<SqlConstant> decimal(const json::Value& type, const json::Number& unscaled) {
  const json::Value* info = type.find("type_info");
  const json::Value* width = info == nullptr ? nullptr : info->find("width");
  const json::Value* scale = info == nullptr ? nullptr : info->find("scale");
  if (width == nullptr || scale == nullptr || !width->is_number() || !scale->is_number()) return std::nullopt;
  const std::int64_t all = width->if_number()->as_int64().value_or(0);
  const std::int64_t behind = scale->if_number()->as_int64().value_or(-1);
  if (all < 1 || behind < 0 || behind > all || !is_integer_text(unscaled.text)) return std::nullopt;
  return SqlConstant{.kind = ConstantKind::kDecimal,
                     .text = decimal_text(unscaled.text, static_cast<std::uint32_t>(behind)),
                     .digits = static_cast<std::uint32_t>(all - behind),
                     .decimals = static_cast<std::uint32_t>(behind)};
}

// A value that stands in the statement as it is.
std::optional<SqlConstant> plain_constant(const json::Value* held) {
  if (held == nullptr) return std::nullopt;
  const json::Value* type = held->find("type");
  const json::Value* id = type == nullptr ? nullptr : type->find("id");
  const json::Value* value = held->find("value");
  if (id == nullptr || !id->is_string() || value == nullptr) return std::nullopt;
  const std::string& name = *id->if_string();
  if (name == "VARCHAR" && value->is_string())
    return SqlConstant{.kind = ConstantKind::kText, .text = *value->if_string()};
  const json::Number* number = value->if_number();
  if (number == nullptr) return std::nullopt;
  if (name == "DOUBLE") return SqlConstant{.kind = ConstantKind::kDouble, .text = number->text};
  if (name == "DECIMAL") return decimal(*type, *number);
  const auto* const found = std::find_if(kIntegerTypes.begin(), kIntegerTypes.end(),
                                         [&](const IntegerType& one) { return one.name == name; });
  if (found == kIntegerTypes.end()) return std::nullopt;
  return SqlConstant{.kind = ConstantKind::kInteger, .text = number->text, .digits = found->digits};
}

// DATE '2024-05-17', true, and values of parameters: a cast of a text.
std::optional<SqlConstant> cast_constant(SqlNode& node) {
  const json::Value* type = node.value("cast_type");
  const json::Value* id = type == nullptr ? nullptr : type->find("id");
  const json::Value* child = node.value("child");
  if (node.flag("try_cast") || id == nullptr || !id->is_string() || child == nullptr) return std::nullopt;
  std::optional<SqlConstant> inner = constant_of(*child);
  if (!inner || inner->kind != ConstantKind::kText) return std::nullopt;
  const std::string& name = *id->if_string();
  const std::string& text = inner->text;
  if (name == "BOOLEAN") {
    const std::string lower = to_lower_ascii(text);
    if (lower == "t" || lower == "true") return SqlConstant{.kind = ConstantKind::kBool, .text = "true"};
    if (lower == "f" || lower == "false") return SqlConstant{.kind = ConstantKind::kBool, .text = "false"};
  }
  if (name == "DATE" && is_iso_date(text)) return SqlConstant{.kind = ConstantKind::kDate, .text = text};
  if (name == "TIMESTAMP" && (is_iso_date(text) || is_iso_timestamp(text)))
    return SqlConstant{.kind = ConstantKind::kTimestamp, .text = text};
  if (name == "BIGINT" && is_integer_text(text))
    return SqlConstant{.kind = ConstantKind::kInteger, .text = text, .digits = 19, .is_cast = true};
  if (name == "DOUBLE" && parsed_double(text))
    return SqlConstant{.kind = ConstantKind::kDouble, .text = text};
  return std::nullopt;
}

// Integers and decimals are compared as a decimal that holds the digits of both sides, if there is one.
std::optional<json::Array> fixed_values(const Type& column, const std::vector<SqlConstant>& constants) {
  const bool is_decimal = column.id == TypeId::kDecimal;
  std::uint32_t digits = is_decimal ? column.width - column.scale : integer_digits(column.id);
  std::uint32_t decimals = is_decimal ? column.scale : 0;
  json::Array out;
  for (const SqlConstant& one : constants) {
    if (one.kind != ConstantKind::kInteger && one.kind != ConstantKind::kDecimal) return std::nullopt;
    digits = std::max(digits, one.digits);
    decimals = std::max(decimals, one.decimals);
    out.emplace_back(json::Number{one.text});
  }
  const bool is_whole = decimals == 0 && !is_decimal;
  if (!is_whole && digits + decimals > kDecimalDigitsMax) return std::nullopt;
  return out;
}

std::optional<double> as_double(const SqlConstant& constant) {
  const bool is_number = constant.kind == ConstantKind::kInteger || constant.kind == ConstantKind::kDecimal ||
                         constant.kind == ConstantKind::kDouble;
  if (!is_number) return std::nullopt;
  if (constant.kind == ConstantKind::kDecimal && constant.digits + constant.decimals > kExactDoubleDigits)
    return std::nullopt;
  const std::optional<double> value = parsed_double(constant.text);
  // SQLite may hold integers in such a column that no double is equal to. They all lie beyond these bounds.
  if (!value || !(std::fabs(*value) < kExactDoubleIntegers)) return std::nullopt;
  return value;
}

// The engine compares with the nearest double.
std::optional<json::Array> double_values(const std::vector<SqlConstant>& constants) {
  json::Array out;
  for (const SqlConstant& one : constants) {
    const std::optional<double> value = as_double(one);
    if (!value) return std::nullopt;
    std::array<char, 64> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), *value).ptr;
    out.emplace_back(json::Number{std::string(buffer.data(), end)});
  }
  return out;
}

bool is_comparable(TypeId column, const SqlConstant& constant) {
  const bool is_text = constant.kind == ConstantKind::kText;
  switch (column) {
    case TypeId::kText:
      return is_text;
    case TypeId::kDate:
      return constant.kind == ConstantKind::kDate || (is_text && is_iso_date(constant.text));
    case TypeId::kTimestampUs:
      return constant.kind == ConstantKind::kDate || constant.kind == ConstantKind::kTimestamp ||
             (is_text && (is_iso_date(constant.text) || is_iso_timestamp(constant.text)));
    case TypeId::kTimestampTz:  // Without an offset, the time would be one of the session's time zone.
      return is_text && constant.text.ends_with('Z') &&
             is_iso_timestamp(std::string_view(constant.text).substr(0, constant.text.size() - 1));
    default:
      return false;
  }
}

}  // namespace

std::uint32_t integer_digits(TypeId id) {
  switch (id) {
    case TypeId::kInt8:
    case TypeId::kUInt8:
      return 3;
    case TypeId::kInt16:
    case TypeId::kUInt16:
      return 5;
    case TypeId::kInt32:
    case TypeId::kUInt32:
      return 10;
    case TypeId::kInt64:
      return 19;
    case TypeId::kUInt64:
      return 20;
    default:
      return kDecimalDigitsMax;
  }
}

bool is_iso_date(std::string_view text) { return has_form(text, kDateForm); }

std::optional<SqlConstant> decimal_constant(const json::Value& held) {
  std::optional<SqlConstant> constant = plain_constant(&held);
  return constant && constant->kind == ConstantKind::kDecimal ? constant : std::nullopt;
}

std::optional<SqlConstant> constant_of(const json::Value& expression) {
  Result<SqlNode> node = SqlNode::of(&expression);
  if (!node.ok()) return std::nullopt;
  const std::string_view node_class = node->text("class");
  if (node_class == "CONSTANT") return plain_constant(node->value("value"));
  if (node_class == "CAST") return cast_constant(*node);
  return std::nullopt;
}

std::optional<json::Array> values_for(const Type& column, const std::vector<SqlConstant>& constants) {
  if (column.id == TypeId::kDouble) return double_values(constants);
  if (column.id == TypeId::kDecimal || (engine::is_integer(column.id) && column.id != TypeId::kUInt128))
    return fixed_values(column, constants);
  json::Array out;
  for (const SqlConstant& one : constants) {
    if (column.id == TypeId::kBool && one.kind == ConstantKind::kBool) {
      out.emplace_back(one.text == "true");
    } else if (is_comparable(column.id, one)) {
      out.emplace_back(one.text);
    } else {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace sluice::expression
