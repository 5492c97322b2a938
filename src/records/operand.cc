#include "operand.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/cast.h"
#include "sluice/engine/type.h"
#include "sluice/json/reader.h"
#include "sluice/records/value.h"

#include "rows.h"

namespace sluice::records {

namespace {

using engine::Field;
using engine::TypeId;

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

bool is_naive(TypeId id) { return id >= TypeId::kTimestampS && id <= TypeId::kTimestampNs; }

constexpr std::string_view kUtc = "make_timestamp(epoch_us(CAST(t AS TIMESTAMPTZ)))";

// A cast to a timestamp without zone would drop the offset.
bool has_dropped_offset(TypeId id, std::string_view text) {
  return is_naive(id) && text.size() > 10 && text.find_first_of("+-", 10) != std::string_view::npos;
}

plan::Constant exactly(const json::Value& given, std::string text) {
  return {.given = given, .operand = {.place = plan::Operand::Place::kEqual, .text = std::move(text)}};
}

// A number among those of FLOAT or DOUBLE, which it is compared with as a double.
plan::Operand among_floats(const engine::Type& type, const json::Number& number) {
  using Place = plan::Operand::Place;
  const double limit = std::numeric_limits<double>::max();
  const double value = std::clamp(number.as_double(), -limit, limit);
  if (type.id == TypeId::kDouble) return {.place = Place::kEqual, .text = fmt::format("{}", value)};
  const auto nearest = static_cast<float>(std::clamp<double>(value, -FLT_MAX, FLT_MAX));
  const double held = nearest;
  return {.place = held < value   ? Place::kAbove
                   : held > value ? Place::kBelow
                                  : Place::kEqual,
          .text = fmt::format("{}", nearest)};
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as filters are.
void to_utc(plan::Condition& condition, std::span<const Field> columns,
            const std::map<std::string, std::string>& in_utc) {
  for (plan::Condition& part : condition.parts) to_utc(part, columns, in_utc);
  if (condition.constants.empty()) return;
  const engine::Type& type = columns[condition.column].type;
  const bool has_elements = condition.kind == plan::Condition::Kind::kHasElement;
  const TypeId id = has_elements ? type.fields.front().type.id : type.id;
  for (plan::Constant& constant : condition.constants) {
    std::string& text = constant.operand.text;
    const auto found = has_dropped_offset(id, text) ? in_utc.find(text) : in_utc.end();
    if (found != in_utc.end()) text = found->second;
  }
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

bool is_compared_as_text(TypeId id) { return is_text_like(id) && id != TypeId::kText; }

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
    doubt(column, has_dropped_offset(id, *text) ? std::string(kUtc) : engine::cast_sql("t", column.type),
          *text);
    return text;
  }
  const bool is_float = id == TypeId::kFloat || id == TypeId::kDouble;
  if (is_float && (*text == "NaN" || *text == "Infinity" || *text == "-Infinity")) return text;
  const std::optional<json::Number> number = json_number_of(value);
  if (!number) return wrong_type(column, value);
  if (engine::is_integer(id) && !number->is_integer()) return wrong_type(column, value);
  if (!is_float) {
    Result<plan::Operand> placed = plan::resolve_operand(column, value);
    const bool is_held = placed.ok() && placed->place == plan::Operand::Place::kEqual;
    return is_held ? std::optional(std::move(placed->text)) : std::nullopt;
  }
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
  doubt(column, engine::cast_sql("t", column.type), stored);
  return std::optional(std::move(stored));
}

Result<std::optional<plan::Constant>> Operands::equal_to(const Field& column, const json::Value& value) {
  SLUICE_TRY(std::optional<std::string> text,
             engine::is_nested(column.type.id) ? nested(column, value) : text_of(column, value));
  if (!text) return std::optional<plan::Constant>();
  plan::Constant out = exactly(value, *std::move(text));
  const bool is_float = column.type.id == TypeId::kFloat || column.type.id == TypeId::kDouble;
  const std::optional<json::Number> number = is_float ? json_number_of(value) : std::nullopt;
  out.operand.is_float_zero = number && number->as_double() == 0;
  if (out.operand.is_float_zero) out.operand.text = "0";
  return std::optional(std::move(out));
}

Result<plan::Constant> Operands::ordered_with(const Field& column, const json::Value& value) {
  if (engine::is_nested(column.type.id)) return wrong_type(column, value);
  const std::optional<json::Number> number =
      engine::is_number(column.type.id) ? json_number_of(value) : std::optional<json::Number>();
  if (!number) {
    SLUICE_TRY(std::optional<plan::Constant> constant, equal_to(column, value));
    return constant ? Result<plan::Constant>(*std::move(constant)) : wrong_type(column, value);
  }
  if (column.type.id == TypeId::kFloat || column.type.id == TypeId::kDouble)
    return plan::Constant{.given = value, .operand = among_floats(column.type, *number)};
  Result<plan::Operand> placed = plan::resolve_operand(column, value);
  if (!placed.ok()) return wrong_type(column, value);
  return plan::Constant{.given = value, .operand = *std::move(placed)};
}

Status Operands::settle(engine::Engine& engine, std::span<const Field> columns,
                        plan::Condition& condition) const {
  std::map<std::string, std::string> in_utc;
  for (const Doubt& one : doubts_) {
    const engine::Statement statement{
        .sql = fmt::format("SELECT t FROM (SELECT unnest($1) AS t) WHERE TRY({}) IS NULL LIMIT 1", one.sql),
        .parameters = {one.texts}};
    SLUICE_TRY(const std::vector<TextRow> wrong, read_texts(engine, statement, {}));
    if (!wrong.empty()) {
      return invalid_input(fmt::format("filter on {}: cannot read as {}: {}", excerpt(one.column),
                                       excerpt(one.type), excerpt(wrong.front().front())))
          .with_code("wrong_type")
          .with_hint("Dates and times are text in ISO 8601, as in 2025-01-31.");
    }
    if (one.sql != kUtc) continue;
    SLUICE_TRY(const std::vector<TextRow> read,
               read_texts(engine,
                          {.sql = fmt::format("SELECT t, {} FROM (SELECT unnest($1) AS t)", kUtc),
                           .parameters = {one.texts}},
                          {}));
    for (const TextRow& row : read) in_utc.emplace(row[0], row[1]);
  }
  if (!in_utc.empty()) to_utc(condition, columns, in_utc);
  return {};
}

}  // namespace sluice::records
