#include "database_values.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace sluice::plan {

namespace {

using engine::Dialect;
using engine::Field;
using engine::Parameter;
using engine::TypeId;

constexpr std::size_t kPlaceholdersMax = 64;  // Longer lists are bound as one value.
constexpr std::size_t kNumericBytesMax = 200;
constexpr double kExactIntegers = 9'007'199'254'740'992;  // Up to here a double holds every integer.

template <typename T>
std::optional<T> number_of(std::string_view text) {
  T value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::string> scalar_text(const json::Value& value) {
  if (const std::string* text = value.if_string()) return *text;
  if (const json::Number* number = value.if_number()) return number->text;
  return std::nullopt;
}

// Databases have other words for moments before our era, after the year 9999 and at the end of time.
bool is_usual_date(std::string_view text) {
  return text.size() >= 10 && text[4] == '-' && text.find_first_not_of("0123456789-: .+") == text.npos;
}

// The name of the type that a value is compared in; empty where the databases differ.
std::string_view postgres_type(TypeId id) {
  switch (id) {
    case TypeId::kBool:
      return "boolean";
    case TypeId::kInt16:
    case TypeId::kInt32:
    case TypeId::kInt64:
    case TypeId::kUInt32:
      return "bigint";
    case TypeId::kDouble:
      return "double precision";
    case TypeId::kDecimal:
      return "numeric";
    case TypeId::kText:
      return "text";
    case TypeId::kDate:
      return "date";
    case TypeId::kTime:
      return "time";
    case TypeId::kTimestampUs:
      return "timestamp";
    case TypeId::kTimestampTz:
      return "timestamptz";
    case TypeId::kUuid:
      return "uuid";
    default:
      return "";
  }
}

// Whether PostgreSQL reads the text of an operand as the engine does.
bool is_read_alike(const std::string& text, TypeId id) {
  if (id == TypeId::kText) return is_plain_text(text);
  if (id == TypeId::kDouble) return std::isfinite(number_of<double>(text).value_or(NAN));
  if (id == TypeId::kTime) return !text.starts_with("24");
  return !engine::is_temporal(id) || is_usual_date(text);
}

class Binder {
 public:
  Binder(const engine::Type& type, std::vector<Parameter>& parameters)
      : type_(type), parameters_(parameters) {}

  std::optional<BoundComparison> postgres(Sign sign, const Constant& constant) {
    const std::string_view type = postgres_type(type_.id);
    if (type.empty()) return std::nullopt;
    // What is known of a numeric's digits may come from a sample: PostgreSQL compares the number itself.
    if (type_.id == TypeId::kDecimal) return numeric(sign, constant.given);
    const Operand& operand = constant.operand;
    if (operand.place == Operand::Place::kNumber) return std::nullopt;
    const Comparison left = comparison_with(sign, operand.place);
    if (left.kind != Comparison::Kind::kCompare)
      return BoundComparison{.kind = left.kind, .sign = {}, .placeholder = {}};
    if (!is_read_alike(operand.text, type_.id)) return std::nullopt;
    return compared(left.sign, postgres_placeholder(operand.text));
  }

  // Integers and reals stand side by side in SQLite, whatever was seen first, and compare exactly.
  std::optional<BoundComparison> sqlite(Sign sign, const Constant& constant) {
    if (type_.id == TypeId::kBool) {
      return compared(comparison_with(sign, Operand::Place::kEqual).sign,
                      bind(std::int64_t{constant.operand.text == "true" ? 1 : 0}));
    }
    const json::Value& value = constant.given;
    if (type_.id != TypeId::kInt64 && type_.id != TypeId::kDouble) return std::nullopt;
    const Result<Operand> integer = resolve_operand(Field{.name = {}, .type = {.id = TypeId::kInt64}}, value);
    if (!integer.ok()) return std::nullopt;
    if (integer->place == Operand::Place::kEqual)
      return compared(comparison_with(sign, Operand::Place::kEqual).sign,
                      bind(number_of<std::int64_t>(integer->text).value_or(0)));
    const Result<Operand> real = resolve_operand(Field{.name = {}, .type = {.id = TypeId::kDouble}}, value);
    const std::optional<double> number = real.ok() ? number_of<double>(real->text) : std::nullopt;
    if (!number || !std::isfinite(*number)) return std::nullopt;
    // Beyond this, integers lie between the doubles.
    const bool has_fraction =
        integer->place == Operand::Place::kAbove || integer->place == Operand::Place::kBelow;
    if (has_fraction && std::fabs(*number) >= kExactIntegers) return std::nullopt;
    const Comparison left = comparison_with(sign, real->place);
    if (left.kind != Comparison::Kind::kCompare)
      return BoundComparison{.kind = left.kind, .sign = {}, .placeholder = {}};
    return compared(left.sign, bind(*number));
  }

  std::optional<std::string> postgres_value(const Operand& value) {
    if (postgres_type(type_.id).empty() || !is_read_alike(value.text, type_.id)) return std::nullopt;
    if (type_.id == TypeId::kInt16)
      return bind(number_of<std::int64_t>(value.text).value_or(0)) + "::smallint";
    if (type_.id == TypeId::kInt32)
      return bind(number_of<std::int64_t>(value.text).value_or(0)) + "::integer";
    return postgres_placeholder(value.text);
  }

  std::optional<std::string> sqlite_value(const Operand& value) {
    switch (type_.id) {
      case TypeId::kBool:
        return bind(std::int64_t{value.text == "true" ? 1 : 0});
      case TypeId::kInt64:
        return bind(number_of<std::int64_t>(value.text).value_or(0));
      case TypeId::kDouble: {
        const double number = number_of<double>(value.text).value_or(NAN);
        return std::isfinite(number) ? std::optional(bind(number)) : std::nullopt;
      }
      case TypeId::kText:
        return is_plain_text(value.text) ? std::optional(bind(value.text)) : std::nullopt;
      default:
        return std::nullopt;
    }
  }

  std::optional<std::string> postgres_list(const std::vector<Operand>& values) {
    const std::string_view type = postgres_type(type_.id);
    if (type.empty()) return std::nullopt;
    std::vector<std::string> texts;
    for (const Operand& value : values) {
      if (!is_read_alike(value.text, type_.id)) return std::nullopt;
      texts.push_back(value.text);
    }
    if (texts.size() > kPlaceholdersMax) {
      if (type_.id == TypeId::kUInt32) return std::nullopt;
      return fmt::format("= ANY({}::{}[])", bind(std::move(texts)), type);
    }
    std::string list;
    for (const std::string& text : texts) (list += list.empty() ? "" : ", ") += postgres_placeholder(text);
    return fmt::format("IN ({})", list);
  }

  std::optional<std::string> sqlite_list(const std::vector<Operand>& values) {
    const TypeId id = type_.id;
    if (id != TypeId::kInt64 && id != TypeId::kDouble && id != TypeId::kBool && id != TypeId::kText)
      return std::nullopt;
    if (values.size() > kPlaceholdersMax) return sqlite_long_list(values);
    std::string list;
    for (const Operand& value : values) {
      if (!list.empty()) list += ", ";
      if (id == TypeId::kText) {
        if (!is_plain_text(value.text)) return std::nullopt;
        list += bind(value.text);
      } else if (id == TypeId::kBool) {
        list += bind(std::int64_t{value.text == "true" ? 1 : 0});
      } else if (const auto integer = number_of<std::int64_t>(value.text)) {
        list += bind(*integer);
      } else {
        const std::optional<double> number = number_of<double>(value.text);
        if (!number || !std::isfinite(*number)) return std::nullopt;
        list += bind(*number);
      }
    }
    return fmt::format("IN ({})", list);
  }

 private:
  std::string bind(Parameter parameter) {
    parameters_.push_back(std::move(parameter));
    return fmt::format("${}", parameters_.size());
  }

  static BoundComparison compared(std::string_view sign, std::string placeholder) {
    return {.kind = Comparison::Kind::kCompare, .sign = sign, .placeholder = std::move(placeholder)};
  }

  std::string postgres_placeholder(const std::string& text) {
    if (type_.id == TypeId::kBool) return bind(text == "true");
    if (engine::is_integer(type_.id)) return bind(number_of<std::int64_t>(text).value_or(0));
    if (type_.id == TypeId::kDouble) return bind(number_of<double>(text).value_or(0));
    return fmt::format("{}::{}", bind(text), postgres_type(type_.id));
  }

  std::optional<BoundComparison> numeric(Sign sign, const json::Value& value) {
    const std::optional<std::string> text = scalar_text(value);
    const Result<Operand> operand =
        resolve_operand(Field{.name = {}, .type = {.id = TypeId::kDouble}}, value);
    if (!text || text->size() > kNumericBytesMax || !operand.ok()) return std::nullopt;
    if (!std::isfinite(number_of<double>(*text).value_or(NAN))) return std::nullopt;
    return compared(comparison_with(sign, Operand::Place::kEqual).sign,
                    fmt::format("{}::numeric", bind(*text)));
  }

  // SQLite's own conversion of text to reals is not exact in every last digit.
  std::optional<std::string> sqlite_long_list(const std::vector<Operand>& values) {
    if (type_.id != TypeId::kInt64 && type_.id != TypeId::kText) return std::nullopt;
    std::vector<std::string> texts;
    for (const Operand& value : values) {
      if (!is_plain_text(value.text)) return std::nullopt;
      texts.push_back(value.text);
    }
    return fmt::format("IN (SELECT {} FROM json_each({}))",
                       type_.id == TypeId::kText ? "value" : "CAST(value AS INTEGER)",
                       bind(std::move(texts)));
  }

  const engine::Type& type_;
  std::vector<Parameter>& parameters_;
};

}  // namespace

bool is_plain_text(std::string_view text) {
  return text.find('\0') == std::string_view::npos && text.find("\xEF\xBF\xBD") == std::string_view::npos;
}

std::optional<BoundComparison> bind_comparison(Sign sign, const Constant& constant,
                                               const DatabaseColumn& column, Dialect dialect,
                                               std::vector<Parameter>& parameters) {
  Binder binder(column.ours->type, parameters);
  return dialect == Dialect::kPostgres ? binder.postgres(sign, constant) : binder.sqlite(sign, constant);
}

std::optional<std::string> bind_value(const Operand& value, const engine::Type& type, Dialect dialect,
                                      std::vector<Parameter>& parameters) {
  Binder binder(type, parameters);
  return dialect == Dialect::kPostgres ? binder.postgres_value(value) : binder.sqlite_value(value);
}

std::optional<std::string> bind_list(const std::vector<Operand>& values, const DatabaseColumn& column,
                                     Dialect dialect, std::vector<Parameter>& parameters) {
  Binder binder(column.ours->type, parameters);
  return dialect == Dialect::kPostgres ? binder.postgres_list(values) : binder.sqlite_list(values);
}

}  // namespace sluice::plan
