#include "sluice/plan/operand.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/base64.h"
#include "sluice/base/text.h"
#include "sluice/plan/decimal_number.h"

#include "instant.h"

namespace sluice::plan {

namespace {

using engine::Field;
using engine::Type;
using engine::TypeId;
using Place = Operand::Place;

Error wrong_kind(const Field& column, const json::Value& value) {
  return invalid_input(fmt::format("filter on {}: cannot compare {} with a {}", excerpt(column.name),
                                   engine::polars_name(column.type), json::to_string(value.type())))
      .with_code("invalid_filter")
      .with_hint("Dates and times are text in ISO 8601; use is_null for missing values.");
}

Error wrong_value(const Field& column, std::string_view text, std::string_view hint) {
  return invalid_input(fmt::format("filter on {}: not a value of type {}: {}", excerpt(column.name),
                                   engine::polars_name(column.type), excerpt(text)))
      .with_code("invalid_value")
      .with_hint(hint);
}

// The largest absolute values of an integer type, below and above zero.
struct IntegerBounds {
  std::string_view negative;
  std::string_view positive;
};

std::optional<IntegerBounds> bounds_of(TypeId id) {
  switch (id) {
    case TypeId::kInt8:
      return IntegerBounds{"128", "127"};
    case TypeId::kInt16:
      return IntegerBounds{"32768", "32767"};
    case TypeId::kInt32:
      return IntegerBounds{"2147483648", "2147483647"};
    case TypeId::kInt64:
      return IntegerBounds{"9223372036854775808", "9223372036854775807"};
    case TypeId::kInt128:
      return IntegerBounds{"170141183460469231731687303715884105728",
                           "170141183460469231731687303715884105727"};
    case TypeId::kUInt8:
      return IntegerBounds{"0", "255"};
    case TypeId::kUInt16:
      return IntegerBounds{"0", "65535"};
    case TypeId::kUInt32:
      return IntegerBounds{"0", "4294967295"};
    case TypeId::kUInt64:
      return IntegerBounds{"0", "18446744073709551615"};
    case TypeId::kUInt128:
      return IntegerBounds{"0", "340282366920938463463374607431768211455"};
    default:
      return std::nullopt;
  }
}

bool is_larger(std::string_view digits, std::string_view bound) {
  return digits.size() != bound.size() ? digits.size() > bound.size() : digits > bound;
}

// Integers and decimals: multiples of 10^-scale within bounds.
Operand place_fixed(const DecimalNumber& number, const Type& type) {
  const std::uint32_t scale = type.id == TypeId::kDecimal ? type.scale : 0;
  const DecimalNumber::Truncated cut = number.truncated(scale);
  const std::string nines(type.width, '9');
  const IntegerBounds bounds = bounds_of(type.id).value_or(IntegerBounds{nines, nines});
  if (cut.digits.empty() || is_larger(cut.digits, number.is_negative() ? bounds.negative : bounds.positive))
    return {.place = number.is_negative() ? Place::kBelowAll : Place::kAboveAll, .text = {}};
  std::string text = cut.digits;
  if (scale > 0) {
    if (text.size() <= scale) text.insert(0, scale + 1 - text.size(), '0');
    text.insert(text.size() - scale, ".");
  }
  if (number.is_negative() && text.find_first_not_of("0.") != std::string::npos) text.insert(0, "-");
  // What was cut off lies further from zero.
  const Place beyond = number.is_negative() ? Place::kBelow : Place::kAbove;
  return {.place = cut.has_rest ? beyond : Place::kEqual, .text = std::move(text)};
}

template <typename T>
std::string shortest_text(T value) {
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

// The value rounded to so many significant digits; with many, exactly.
DecimalNumber rounded(double value, std::size_t digits) {
  constexpr std::size_t kDigitsMax = 800;  // A double has at most 767.
  std::array<char, kDigitsMax + 32> buffer{};
  const int precision = static_cast<int>(std::clamp<std::size_t>(digits, 1, kDigitsMax)) - 1;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::scientific, precision)
                       .ptr;
  return DecimalNumber::parse({buffer.data(), static_cast<std::size_t>(end - buffer.data())})
      .value_or(DecimalNumber());
}

// A number denotes the nearest floating point value if that value, with as many digits, reads the same: 0.1
// does, 9007199254740993 does not.
template <typename T>
Operand place_float(const DecimalNumber& number) {
  const std::string text = number.text();
  T value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  const Place beyond = number.is_negative() ? Place::kBelow : Place::kAbove;
  if (parsed.ec == std::errc::result_out_of_range) {
    if (number.truncated(0).digits == "0") return {.place = beyond, .text = "0"};
    const T largest = std::numeric_limits<T>::max();  // Infinity lies beyond the number.
    return {.place = beyond, .text = shortest_text(number.is_negative() ? -largest : largest)};
  }
  Operand out{.place = Place::kEqual, .text = shortest_text(value), .is_float_zero = value == 0};
  if (value == 0) out.text = "0";
  if (rounded(value, number.digits()) == number || DecimalNumber::parse(out.text) == number) return out;
  out.place =
      rounded(value, std::numeric_limits<std::size_t>::max()) < number ? Place::kAbove : Place::kBelow;
  return out;
}

std::optional<std::string_view> special_float(std::string_view text) {
  const std::string lower = to_lower_ascii(text);
  if (lower == "nan") return "nan";
  if (lower == "inf" || lower == "infinity" || lower == "+infinity") return "inf";
  if (lower == "-inf" || lower == "-infinity") return "-inf";
  return std::nullopt;
}

Result<Operand> resolve_number(const Field& column, const json::Value& value) {
  const json::Number* given = value.if_number();
  const std::string* written = value.if_string();
  if (given == nullptr && written == nullptr) return wrong_kind(column, value);
  const std::string& text = given != nullptr ? given->text : *written;
  const TypeId id = column.type.id;
  const bool is_float = id == TypeId::kFloat || id == TypeId::kDouble;
  if (const auto special = special_float(text); special && (is_float || *special != "nan")) {
    if (is_float) return Operand{.place = Place::kEqual, .text = std::string(*special)};
    return Operand{.place = *special == "inf" ? Place::kAboveAll : Place::kBelowAll, .text = {}};
  }
  const std::optional<DecimalNumber> number = DecimalNumber::parse(text);
  if (!number) return wrong_value(column, text, "Pass a number.");
  if (id == TypeId::kFloat) return place_float<float>(*number);
  if (id == TypeId::kDouble) return place_float<double>(*number);
  return place_fixed(*number, column.type);
}

// How many digits a second has behind its point; days for a date.
struct TimeUnit {
  std::int64_t nanos = 1;
  unsigned digits = 0;
};

TimeUnit unit_of(TypeId id) {
  switch (id) {
    case TypeId::kTimestampS:
      return {.nanos = 1'000'000'000, .digits = 0};
    case TypeId::kTimestampMs:
      return {.nanos = 1'000'000, .digits = 3};
    case TypeId::kTimestampNs:
    case TypeId::kTimeNs:
      return {.nanos = 1, .digits = 9};
    default:
      return {.nanos = 1'000, .digits = 6};
  }
}

// What 64 bits hold as nanoseconds since 1970: from 1677-09-22 to 2262-04-11 23:47:16.854775806.
constexpr std::int64_t kNanosecondDaysMax = 106'751;
constexpr std::int64_t kNanosOfLastDayMax = 85'636'854'775'806;

bool is_beyond_nanoseconds(const Instant& instant) {
  return instant.days > kNanosecondDaysMax ||
         (instant.days == kNanosecondDaysMax && instant.nanos > kNanosOfLastDayMax);
}

Operand place_instant(const Instant& instant, TypeId id) {
  if (id == TypeId::kDate) {
    const bool is_midnight = instant.nanos == 0 && !instant.has_rest;
    return {.place = is_midnight ? Place::kEqual : Place::kAbove, .text = date_text(instant.days)};
  }
  if (id == TypeId::kTimestampNs && is_beyond_nanoseconds(instant))
    return {.place = Place::kAboveAll, .text = {}};
  if (id == TypeId::kTimestampNs && instant.days < -kNanosecondDaysMax)
    return {.place = Place::kBelowAll, .text = {}};
  const TimeUnit unit = unit_of(id);
  const bool has_rest = instant.has_rest || instant.nanos % unit.nanos != 0;
  std::string text = date_text(instant.days) + " " + clock_text(instant.nanos, unit.digits);
  if (id == TypeId::kTimestampTz) text += "+00";
  return {.place = has_rest ? Place::kAbove : Place::kEqual, .text = std::move(text)};
}

Result<Operand> resolve_time(const Field& column, const json::Value& value) {
  const std::string* text = value.if_string();
  if (text == nullptr) return wrong_kind(column, value);
  const TypeId id = column.type.id;
  if (id == TypeId::kTimeTz) return Operand{.place = Place::kEqual, .text = *text};
  if (id == TypeId::kTime || id == TypeId::kTimeNs) {
    const std::optional<Instant> time = parse_time_of_day(*text);
    if (!time) return wrong_value(column, *text, "Times are text like 10:30:00.");
    const TimeUnit unit = unit_of(id);
    const bool has_rest = time->has_rest || time->nanos % unit.nanos != 0;
    return Operand{.place = has_rest ? Place::kAbove : Place::kEqual,
                   .text = clock_text(time->nanos, unit.digits)};
  }
  const std::string lower = to_lower_ascii(*text);
  if (lower == "infinity" || lower == "-infinity") return Operand{.place = Place::kEqual, .text = lower};
  const std::optional<Instant> instant = parse_instant(*text);
  if (!instant)
    return wrong_value(column, *text, "Dates and times are text in ISO 8601, like 2024-05-17T10:30:00Z.");
  return place_instant(*instant, id);
}

bool is_uuid(std::string_view text) {
  std::size_t digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_hyphen_place = text.size() == 36 && (i == 8 || i == 13 || i == 18 || i == 23);
    if (is_hyphen_place ? text[i] != '-'
                        : std::string_view("0123456789abcdefABCDEF").find(text[i]) == std::string_view::npos)
      return false;
    if (!is_hyphen_place) ++digits;
  }
  return digits == 32;
}

Result<Operand> resolve_text(const Field& column, const std::string& text) {
  const auto equal = [](std::string value) {
    return Operand{.place = Place::kEqual, .text = std::move(value)};
  };
  switch (column.type.id) {
    case TypeId::kBool:
      if (text != "true" && text != "false") return wrong_value(column, text, "Pass true or false.");
      return equal(text);
    case TypeId::kUuid:
      if (!is_uuid(text)) return wrong_value(column, text, "A UUID has 32 hexadecimal digits.");
      return equal(text);
    case TypeId::kBlob: {
      const std::optional<std::string> bytes = base64_decode(text);
      if (!bytes) return wrong_value(column, text, "Binary values are base64, as answers show them.");
      return equal(base64_encode(*bytes));
    }
    default:  // What is left is checked by the engine's cast.
      return equal(text);
  }
}

}  // namespace

Result<Operand> resolve_operand(const Field& column, const json::Value& value) {
  const TypeId id = column.type.id;
  if (engine::is_nested(id)) {
    return invalid_input(fmt::format("filter on {}: {} can only be tested with is_null", excerpt(column.name),
                                     engine::polars_name(column.type)))
        .with_code("invalid_filter")
        .with_hint("get_schema lists the columns and their types.");
  }
  if (engine::is_number(id)) return resolve_number(column, value);
  if (engine::is_temporal(id)) return resolve_time(column, value);
  if (const std::string* text = value.if_string()) return resolve_text(column, *text);
  if (const bool* flag = value.if_bool(); flag != nullptr && (id == TypeId::kBool || id == TypeId::kText))
    return Operand{.place = Place::kEqual, .text = *flag ? "true" : "false"};
  const json::Number* number = value.if_number();
  if (number == nullptr || id == TypeId::kBool) return wrong_kind(column, value);
  if (id != TypeId::kText) return Operand{.place = Place::kEqual, .text = number->text};
  std::string key = number_key(number->text);
  if (key.empty()) return wrong_value(column, number->text, "Pass a number with fewer digits.");
  return Operand{.place = Place::kNumber, .text = std::move(key)};
}

Comparison comparison_with(Sign sign, Place place) {
  using Kind = Comparison::Kind;
  const bool is_upward = sign == Sign::kGt || sign == Sign::kGte;
  if (place == Place::kEqual || place == Place::kNumber) {
    constexpr std::array<std::string_view, 6> kSigns = {"=", "<>", ">", ">=", "<", "<="};
    return {.kind = Kind::kCompare, .sign = kSigns.at(static_cast<std::size_t>(sign))};
  }
  if (sign == Sign::kEq) return {.kind = Kind::kNever, .sign = {}};
  if (sign == Sign::kNeq) return {.kind = Kind::kNotNull, .sign = {}};
  switch (place) {
    case Place::kAbove:
      return {.kind = Kind::kCompare, .sign = is_upward ? ">" : "<="};
    case Place::kBelow:
      return {.kind = Kind::kCompare, .sign = is_upward ? ">=" : "<"};
    case Place::kBelowAll:
      return {.kind = is_upward ? Kind::kNotNull : Kind::kNever, .sign = {}};
    default:
      return {.kind = is_upward ? Kind::kNever : Kind::kNotNull, .sign = {}};
  }
}

}  // namespace sluice::plan
