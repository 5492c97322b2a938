#include "operand.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/type.h"
#include "sluice/json/reader.h"
#include "sluice/records/value.h"

namespace sluice::records {

namespace {

using engine::Field;
using engine::TypeId;

constexpr std::size_t kSpelledMembersMax = 64;  // Longer lists are joined, not spelled out.
constexpr std::size_t kExactDigitsMax = 18;  // A decimal of so many digits compares exactly with any integer.
constexpr std::string_view kUInt64Max = "18446744073709551615";
constexpr std::size_t kInt128DigitsMax = 39;

bool is_text_like(TypeId id) {
  return id == TypeId::kText || id == TypeId::kEnum || id == TypeId::kNull || id == TypeId::kOther;
}

// A number, or a text that is one: large numbers travel as text.
std::optional<json::Number> json_number_of(const json::Value& value) {
  if (const json::Number* number = value.if_number()) return *number;
  const std::string* text = value.if_string();
  if (text == nullptr || text->empty() || text->size() > 400) return std::nullopt;
  const Result<json::Value> read = json::read(*text);
  if (!read.ok() || !read->is_number()) return std::nullopt;
  return *read->if_number();
}

std::pair<std::int64_t, std::int64_t> range_of(TypeId id) {
  switch (id) {
    case TypeId::kInt8:
      return {INT8_MIN, INT8_MAX};
    case TypeId::kInt16:
      return {INT16_MIN, INT16_MAX};
    case TypeId::kInt32:
      return {INT32_MIN, INT32_MAX};
    case TypeId::kUInt8:
      return {0, UINT8_MAX};
    case TypeId::kUInt16:
      return {0, UINT16_MAX};
    case TypeId::kUInt32:
      return {0, UINT32_MAX};
    default:
      return {INT64_MIN, INT64_MAX};
  }
}

// Whether a whole number written in digits can stand in a column whose numbers do not all fit 64 bits.
bool fits_wide(TypeId id, std::string_view digits) {
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  if (id == TypeId::kInt128) return digits.size() <= kInt128DigitsMax;
  if (negative && digits != "0") return false;
  if (id == TypeId::kUInt128) return digits.size() <= kInt128DigitsMax;
  return digits.size() < kUInt64Max.size() || (digits.size() == kUInt64Max.size() && digits <= kUInt64Max);
}

// The digits of a whole number as the column has them; nothing where it does not fit the column.
std::optional<std::string> whole_text(TypeId id, const json::Number& number) {
  const bool is_wide = id == TypeId::kUInt64 || id == TypeId::kInt128 || id == TypeId::kUInt128;
  if (const std::optional<std::int64_t> value = number.as_int64()) {
    const auto [least, most] = range_of(id);
    const bool fits = is_wide ? *value >= 0 || id == TypeId::kInt128 : *value >= least && *value <= most;
    return fits ? std::optional(std::to_string(*value)) : std::nullopt;
  }
  const bool plain = number.text.find_first_of(".eE") == std::string::npos;
  return is_wide && plain && fits_wide(id, number.text) ? std::optional(number.text) : std::nullopt;
}

// "12.50" has four digits, two of them behind the point. Nothing for numbers with an exponent.
struct Digits {
  std::size_t all = 0;
  std::size_t behind = 0;
};
std::optional<Digits> digits_of(std::string_view text) {
  if (text.find_first_of("eE") != std::string_view::npos) return std::nullopt;
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return Digits{.all = text.size(), .behind = 0};
  return Digits{.all = text.size() - 1, .behind = text.size() - point - 1};
}

std::optional<std::string> decimal_text(const engine::Type& type, std::string text) {
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  const std::optional<Digits> digits = digits_of(text);
  if (!digits || digits->behind > type.scale) return std::nullopt;
  return digits->all - digits->behind <= std::max<std::size_t>(1, type.width - type.scale)
             ? std::optional(text)
             : std::nullopt;
}

bool is_naive(TypeId id) { return id >= TypeId::kTimestampS && id <= TypeId::kTimestampNs; }

// What a cell that is no number, text or truth value is read from: {} stands for its text.
std::string form_of(const engine::Type& type, std::string_view text) {
  if (type.id == TypeId::kBlob) return "from_base64({})";
  // A cast to a timestamp without zone would drop the offset.
  if (is_naive(type.id) && text.size() > 10 && text.find_first_of("+-", 10) != std::string_view::npos) {
    return "make_timestamp(epoch_us(CAST({} AS TIMESTAMPTZ)))";
  }
  return fmt::format("CAST({{}} AS {})", engine::sql_name(type));
}

std::string filled(const std::string& form, const std::string& operand) {
  return fmt::vformat(form, fmt::make_format_args(operand));
}

// A value with every member that its type has: one that is not given is null. Nothing where it has others.
std::optional<json::Value> completed(const json::Value& value, const engine::Type& type) {
  const json::Object* object = value.if_object();
  const json::Array* array = value.if_array();
  if (type.id == TypeId::kStruct && object != nullptr) {
    json::Object out;
    for (const Field& field : type.fields) {
      const json::Value* given = object->find(field.name);
      std::optional<json::Value> part = given == nullptr ? json::Value() : completed(*given, field.type);
      if (!part) return std::nullopt;
      out.append_unchecked(field.name, *std::move(part));
    }
    const auto is_known = [&](const json::Member& member) { return out.contains(member.key); };
    if (!std::all_of(object->begin(), object->end(), is_known)) return std::nullopt;
    return json::Value(std::move(out));
  }
  if ((type.id == TypeId::kList || type.id == TypeId::kArray) && array != nullptr) {
    json::Array out;
    for (const json::Value& item : *array) {
      std::optional<json::Value> part = completed(item, type.fields.front().type);
      if (!part) return std::nullopt;
      out.push_back(*std::move(part));
    }
    return json::Value(std::move(out));
  }
  return value;
}

}  // namespace

std::string compared(const Field& column) {
  const std::string name = engine::quote_name(column.name);
  const bool is_cast = is_text_like(column.type.id) && column.type.id != TypeId::kText;
  return is_cast ? fmt::format("CAST({} AS VARCHAR)", name) : name;
}

std::string as_text(const Field& column) {
  std::string name = engine::quote_name(column.name);
  if (column.type.id == TypeId::kText) return name;
  const std::string_view form =
      engine::is_nested(column.type.id) ? "CAST(to_json({}) AS VARCHAR)" : "CAST({} AS VARCHAR)";
  return fmt::format(fmt::runtime(form), name);
}

std::optional<std::string> scalar_text(const json::Value& value) {
  if (const std::string* text = value.if_string()) return *text;
  if (const json::Number* number = value.if_number()) return number->text;
  if (const bool* flag = value.if_bool()) return *flag ? "true" : "false";
  return std::nullopt;
}

Error wrong_type(const Field& column, const json::Value& value) {
  const std::optional<std::string> text = scalar_text(value);
  std::string_view hint = "get_schema lists the types of the columns.";
  if (engine::is_temporal(column.type.id)) hint = "Dates and times are text in ISO 8601, as in 2025-01-31.";
  if (engine::is_nested(column.type.id)) {
    hint =
        "Lists and objects are compared as a whole: [[\"a\",\"b\"]] names the list a, b. {\"$has\": \"a\"} "
        "asks for one "
        "element, $contains searches their text.";
  }
  return invalid_input(fmt::format("filter on {}: cannot compare {} with {}", excerpt(column.name),
                                   excerpt(engine::sql_name(column.type)),
                                   text ? excerpt(*text)
                                        : "a value of type " + std::string(json::to_string(value.type()))))
      .with_code("wrong_type")
      .with_hint(hint);
}

std::string Operands::bind(engine::Parameter parameter) {
  parameters_.push_back(std::move(parameter));
  return fmt::format("${}", next_++);
}

void Operands::doubt(const Field& column, const std::string& sql, const std::string& text) {
  const auto same = [&](const Doubt& one) { return one.column == column.name && one.sql == sql; };
  auto found = std::find_if(doubts_.begin(), doubts_.end(), same);
  if (found == doubts_.end()) {
    found = doubts_.insert(
        doubts_.end(),
        {.column = column.name, .type = engine::sql_name(column.type), .sql = sql, .texts = {}});
  }
  found->texts.push_back(text);
}

// The text that the column's type is cast from.
Result<std::optional<std::string>> Operands::text_of(const Field& column, const json::Value& value) {
  const TypeId id = column.type.id;
  std::optional<std::string> text = scalar_text(value);
  if (!text) return wrong_type(column, value);
  if (is_text_like(id)) return text;
  if (id == TypeId::kBool) {
    if (*text != "true" && *text != "false") return wrong_type(column, value);
    return text;
  }
  if (!engine::is_number(id)) {
    if (!value.is_string()) return wrong_type(column, value);
    doubt(column, filled(form_of(column.type, *text), "t"), *text);
    return text;
  }
  const bool is_float = id == TypeId::kFloat || id == TypeId::kDouble;
  if (is_float && (*text == "NaN" || *text == "Infinity" || *text == "-Infinity")) return text;
  const std::optional<json::Number> number = json_number_of(value);
  if (!number) return wrong_type(column, value);
  if (engine::is_integer(id)) {
    if (!number->is_integer()) return wrong_type(column, value);
    return whole_text(id, *number);
  }
  if (id == TypeId::kDecimal) return decimal_text(column.type, number->text);
  const double most = id == TypeId::kFloat ? FLT_MAX : DBL_MAX;
  if (std::abs(number->as_double()) > most) return std::optional<std::string>();
  return std::optional(number->text);
}

Result<std::optional<std::string>> Operands::nested(const Field& column, const json::Value& value) {
  if (!value.is_array() && !value.is_object()) return wrong_type(column, value);
  const std::optional<json::Value> whole = completed(value, column.type);
  if (!whole) return wrong_type(column, value);
  std::string stored;
  SLUICE_CHECK(append_stored(stored, column, *whole));
  const auto typed = [&](const std::string& operand) {
    return typed_expression(fmt::format("CAST({} AS {})", operand, operand_type(column.type)), column.type);
  };
  doubt(column, typed("t"), stored);
  return std::optional(typed(bind(std::move(stored))));
}

Result<std::optional<std::string>> Operands::equal_to(const Field& column, const json::Value& value) {
  if (engine::is_nested(column.type.id)) return nested(column, value);
  SLUICE_TRY(std::optional<std::string> text, text_of(column, value));
  if (!text) return text;
  const std::string form = is_text_like(column.type.id) ? "{}" : form_of(column.type, *text);
  return std::optional(filled(form, bind(*std::move(text))));
}

Result<std::string> Operands::ordered_with(const Field& column, const json::Value& value) {
  if (engine::is_nested(column.type.id)) return wrong_type(column, value);
  const std::optional<json::Number> number =
      engine::is_number(column.type.id) ? json_number_of(value) : std::optional<json::Number>();
  if (!number) {
    SLUICE_TRY(std::optional<std::string> operand, equal_to(column, value));
    return operand ? Result<std::string>(*std::move(operand)) : wrong_type(column, value);
  }
  if (engine::is_integer(column.type.id) && number->is_integer()) {
    if (std::optional<std::string> whole = whole_text(column.type.id, *number)) {
      return fmt::format("CAST({} AS {})", bind(*std::move(whole)), engine::sql_name(column.type));
    }
  }
  const std::optional<Digits> digits = digits_of(number->text);
  const bool is_float = column.type.id == TypeId::kFloat || column.type.id == TypeId::kDouble;
  if (!is_float && digits && digits->all <= kExactDigitsMax) {
    return fmt::format("CAST({} AS DECIMAL({}, {}))", bind(number->text), digits->all, digits->behind);
  }
  const double limit = std::numeric_limits<double>::max();
  return fmt::format("CAST({} AS DOUBLE)", bind(std::clamp(number->as_double(), -limit, limit)));
}

Result<std::string> Operands::members(const Field& column, const std::vector<const json::Value*>& values) {
  // Texts with and without an offset are read in two ways.
  const bool spelled =
      engine::is_nested(column.type.id) || is_naive(column.type.id) || values.size() <= kSpelledMembersMax;
  std::string list;
  std::vector<std::string> texts;
  std::string form = "{}";
  for (const json::Value* value : values) {
    if (spelled) {
      SLUICE_TRY(const std::optional<std::string> operand, equal_to(column, *value));
      if (operand) (list += list.empty() ? "" : ", ") += *operand;
      continue;
    }
    SLUICE_TRY(std::optional<std::string> text, text_of(column, *value));
    if (!text) continue;
    if (!is_text_like(column.type.id)) form = form_of(column.type, "");
    texts.push_back(*std::move(text));
  }
  if (!texts.empty()) {
    list = fmt::format("SELECT {} FROM (SELECT unnest({}) AS v)", filled(form, "v"), bind(std::move(texts)));
  }
  return list;
}

Status Operands::check(engine::Engine& engine) const {
  for (const Doubt& one : doubts_) {
    const engine::Statement statement{
        .sql = fmt::format("SELECT t FROM (SELECT unnest($1) AS t) WHERE TRY({}) IS NULL LIMIT 1", one.sql),
        .parameters = {one.texts}};
    SLUICE_TRY(const std::unique_ptr<engine::Rows> rows, engine.query(statement, {}));
    SLUICE_TRY(const engine::Batch* batch, rows->next());
    if (batch == nullptr) continue;
    return invalid_input(fmt::format("filter on {}: cannot read as {}: {}", excerpt(one.column),
                                     excerpt(one.type), excerpt(batch->columns.front().text(0))))
        .with_code("wrong_type")
        .with_hint("Dates and times are text in ISO 8601, as in 2025-01-31.");
  }
  return {};
}

}  // namespace sluice::records
