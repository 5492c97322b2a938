#include "scan_constant.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "sql_constant.h"
#include "sql_member.h"

namespace sluice::expression {

namespace {

std::optional<ScanValue> integer_value(const std::string& text) {
  std::int64_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<ScanValue> double_value(const std::string& text) {
  double number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

// The value of a constant. Nullopt: it is of a type that is not understood here.
std::optional<ScanValue> held_value(const json::Value& held) {
  const json::Value* null = held.find("is_null");
  if (null != nullptr && null->if_bool() != nullptr && *null->if_bool()) return ScanValue();
  const json::Value* type = held.find("type");
  const json::Value* value = held.find("value");
  const std::string_view id = type == nullptr ? std::string_view() : member_text(*type, "id");
  if (value == nullptr) return std::nullopt;
  if (id == "VARCHAR" && value->is_string()) return *value->if_string();
  if (!value->is_number()) return std::nullopt;
  if (id == "INTEGER" || id == "BIGINT" || id == "INTEGER_LITERAL") {
    const std::optional<std::int64_t> number = value->if_number()->as_int64();
    return number ? std::optional<ScanValue>(*number) : std::nullopt;
  }
  if (id == "DOUBLE") return value->if_number()->as_double();
  if (id == "DECIMAL") {
    if (std::optional<SqlConstant> decimal = decimal_constant(held))
      return ScanDecimal{
          .text = std::move(decimal->text), .digits = decimal->digits, .decimals = decimal->decimals};
  }
  return std::nullopt;
}

}  // namespace

std::optional<ScanValue> scan_constant(const json::Value& node) {
  const json::Value* held = node.find("value");
  if (member_text(node, "class") == "CONSTANT" && held != nullptr) return held_value(*held);
  const json::Value* child = node.find("child");
  const json::Value* type = node.find("cast_type");
  if (member_text(node, "class") != "CAST" || child == nullptr || type == nullptr) return std::nullopt;
  const json::Value* inner = member_text(*child, "class") == "CONSTANT" ? child->find("value") : nullptr;
  const std::optional<ScanValue> value = inner == nullptr ? std::nullopt : held_value(*inner);
  if (!value || std::holds_alternative<std::monostate>(*value)) return value;
  const auto* text = std::get_if<std::string>(&*value);
  const std::string_view id = member_text(*type, "id");
  if (text == nullptr) return std::nullopt;
  if (id == "VARCHAR") return value;
  if (id == "BIGINT" || id == "INTEGER") return integer_value(*text);
  return id == "DOUBLE" ? double_value(*text) : std::nullopt;
}

bool unify_decimals(std::vector<ScanValue>& constants) {
  constexpr std::uint32_t kDecimalsMax = 15;  // Beside integers of 64 bits: 19 digits, 38 in all.
  ScanDecimal type;
  bool has_others = false;
  for (const ScanValue& one : constants) {
    const auto* decimal = std::get_if<ScanDecimal>(&one);
    has_others = has_others || (decimal == nullptr && one.index() != 0);
    type.digits = std::max(type.digits, decimal != nullptr ? decimal->digits : 0);
    type.decimals = std::max(type.decimals, decimal != nullptr ? decimal->decimals : 0);
  }
  if (type.digits + type.decimals == 0) return true;
  if (has_others && type.decimals > kDecimalsMax) return false;
  for (ScanValue& one : constants) {
    if (const auto* integer = std::get_if<std::int64_t>(&one)) {
      type.digits = std::max(type.digits, *integer == static_cast<std::int32_t>(*integer) ? 10U : 19U);
      one = ScanDecimal{.text = std::to_string(*integer)};
    }
    if (std::holds_alternative<double>(one) || std::holds_alternative<std::string>(one)) return false;
  }
  for (ScanValue& one : constants) {
    if (auto* decimal = std::get_if<ScanDecimal>(&one))
      one = ScanDecimal{.text = decimal->text, .digits = type.digits, .decimals = type.decimals};
  }
  return true;
}

}  // namespace sluice::expression
