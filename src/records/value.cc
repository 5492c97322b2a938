#include "sluice/records/value.h"

#include <algorithm>

#include <fmt/format.h>

#include "sluice/base/base64.h"
#include "sluice/base/text.h"
#include "sluice/engine/sql.h"
#include "sluice/json/writer.h"

namespace sluice::records {

namespace {

using engine::TypeId;

constexpr std::size_t kExactDigits = 15;  // What every reader of JSON keeps of a number.

Error wrong_type(const engine::Field& column, const json::Value& value) {
  return invalid_input(fmt::format("the column {} is {}, which cannot hold {}", excerpt(column.name),
                                   engine::sql_name(column.type), excerpt(json::to_text(value))))
      .with_code("wrong_type")
      .with_hint("get_schema lists the columns and their types.");
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The text of a number or of text that may be one.
std::string_view number_text(const json::Value& value) {
  if (const json::Number* number = value.if_number()) return number->text;
  if (const std::string* text = value.if_string()) return *text;
  return {};
}

void append_number(std::string& out, std::string_view text) {
  if (text.size() <= kExactDigits && text != "-0") {
    out += text;
  } else {
    json::append_string(out, text);
  }
}

Status append_integer(std::string& out, const engine::Field& column, const json::Value& value) {
  const json::Number* number = value.if_number();
  const std::optional<std::int64_t> whole = number == nullptr ? std::nullopt : number->as_int64();
  const std::string text = whole ? std::to_string(*whole) : std::string(number_text(value));
  const std::string_view digits =
      text.starts_with('-') ? std::string_view(text).substr(1) : std::string_view(text);
  if (!all_digits(digits)) return wrong_type(column, value);
  append_number(out, text);
  return {};
}

Status append_decimal(std::string& out, const engine::Field& column, const json::Value& value) {
  const std::string_view text = number_text(value);
  std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  const std::size_t point = digits.find('.');
  std::string_view decimals = point == std::string_view::npos ? std::string_view() : digits.substr(point + 1);
  if (!all_digits(digits.substr(0, point)) || (point != std::string_view::npos && !all_digits(decimals)))
    return wrong_type(column, value);
  while (decimals.ends_with('0')) decimals.remove_suffix(1);
  if (decimals.size() > column.type.scale) return wrong_type(column, value);  // It would be rounded.
  json::append_string(out, text);
  return {};
}

Status append_floating(std::string& out, const engine::Field& column, const json::Value& value) {
  const std::string_view text = number_text(value);
  if (text.empty()) return wrong_type(column, value);
  if (value.is_number()) {
    append_number(out, text);
  } else {
    json::append_string(out, text);
  }
  return {};
}

Status append_boolean(std::string& out, const engine::Field& column, const json::Value& value) {
  const std::string* text = value.if_string();
  if (const bool* truth = value.if_bool()) {
    out += *truth ? "true" : "false";
  } else if (text != nullptr && (*text == "true" || *text == "false")) {
    out += *text;
  } else {
    return wrong_type(column, value);
  }
  return {};
}

Status append_text(std::string& out, const engine::Field& column, const json::Value& value) {
  std::string text;
  if (const std::string* given = value.if_string()) {
    text = *given;
  } else if (const json::Number* number = value.if_number()) {
    text = number->text;
  } else {
    text = json::to_text(value);
  }
  if (text.find('\0') != std::string::npos) return wrong_type(column, value);
  json::append_string(out, text);
  return {};
}

// A date may be given as a timestamp at midnight; another time of day would be lost.
bool drops_time(std::string_view text) {
  constexpr std::size_t kDateBytes = 10;
  if (text.size() <= kDateBytes || (text[kDateBytes] != 'T' && text[kDateBytes] != ' ')) return false;
  const std::string_view time = text.substr(kDateBytes + 1);
  return std::any_of(time.begin(), time.end(), [](char c) { return c >= '1' && c <= '9'; });
}

// Years of four digits: others are not read back as they are shown.
bool has_plain_year(std::string_view text) {
  if (text == "infinity" || text == "-infinity") return true;
  return text.size() > 4 && all_digits(text.substr(0, 4)) && text[4] == '-';
}

Status append_other(std::string& out, const engine::Field& column, const json::Value& value) {
  const std::string* text = value.if_string();
  if (text == nullptr || text->empty()) return wrong_type(column, value);
  if (column.type.id == TypeId::kBlob && !base64_decode(*text)) return wrong_type(column, value);
  const bool has_year = engine::is_temporal(column.type.id) && column.type.id != TypeId::kTime &&
                        column.type.id != TypeId::kTimeNs && column.type.id != TypeId::kTimeTz;
  if (has_year && !has_plain_year(*text)) return wrong_type(column, value);
  if (column.type.id == TypeId::kDate && drops_time(*text)) return wrong_type(column, value);
  json::append_string(out, *text);
  return {};
}

Status append_nested(std::string& out, const engine::Field& column, const json::Value& value) {
  const bool is_object = column.type.id == TypeId::kStruct || column.type.id == TypeId::kUnion;
  if (is_object ? !value.is_object() : !value.is_array()) return wrong_type(column, value);
  out += json::to_text(value);
  return {};
}

// The one type that holds values of both; what has nothing in common is text.
std::string common_type(const std::string& a, const std::string& b) {
  if (a == b || b.empty()) return a;
  if (a.empty()) return b;
  const auto is_number = [](const std::string& type) { return type == "BIGINT" || type == "DOUBLE"; };
  return is_number(a) && is_number(b) ? "DOUBLE" : "VARCHAR";
}

// "" where the value says nothing: null, an empty list.
std::string type_or_nothing(const json::Value& value) {
  if (value.is_bool()) return "BOOLEAN";
  if (const json::Number* number = value.if_number()) return number->as_int64() ? "BIGINT" : "DOUBLE";
  if (value.is_string()) return "VARCHAR";
  if (const json::Array* items = value.if_array()) {
    std::string item;
    for (const json::Value& one : *items) item = common_type(item, type_or_nothing(one));
    return (item.empty() ? "VARCHAR" : item) + "[]";
  }
  const json::Object* object = value.if_object();
  if (object == nullptr || object->empty()) return "";
  std::string out = "STRUCT(";
  for (const json::Member& member : *object) {
    if (!out.ends_with('(')) out += ", ";
    const std::string type = type_or_nothing(member.value);
    out += engine::quote_name(member.key) + ' ' + (type.empty() ? "VARCHAR" : type);
  }
  return out + ")";
}

}  // namespace

Status append_stored(std::string& out, const engine::Field& column, const json::Value& value) {
  if (value.is_null()) {
    out += "null";
    return {};
  }
  const TypeId id = column.type.id;
  if (engine::is_nested(id)) return append_nested(out, column, value);
  if (id == TypeId::kText) return append_text(out, column, value);
  if (id == TypeId::kBool) return append_boolean(out, column, value);
  if (engine::is_integer(id)) return append_integer(out, column, value);
  if (id == TypeId::kDecimal) return append_decimal(out, column, value);
  if (id == TypeId::kFloat || id == TypeId::kDouble) return append_floating(out, column, value);
  return append_other(out, column, value);
}

std::string_view operand_type(const engine::Type& type) {
  return engine::is_nested(type.id) ? "JSON" : "VARCHAR";
}

bool is_storable(const engine::Type& type) {
  switch (type.id) {
    case TypeId::kNull:
    case TypeId::kInterval:
    case TypeId::kUnion:
    case TypeId::kBit:
    case TypeId::kBignum:
    case TypeId::kEnum:
    case TypeId::kOther:
      return false;
    default:
      break;
  }
  return std::all_of(type.fields.begin(), type.fields.end(), [](const engine::Field& field) {
    return field.type.id != TypeId::kBlob && field.type.id != TypeId::kMap && is_storable(field.type);
  });
}

std::string inferred_type(const json::Value& value) {
  const std::string type = type_or_nothing(value);
  return type.empty() ? "VARCHAR" : type;
}

}  // namespace sluice::records
