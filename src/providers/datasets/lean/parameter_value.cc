#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/datasets/defined_tool.h"

namespace sluice::datasets {

namespace {

using expression::SqlType;

constexpr std::size_t kValueBytesMax = 4'096;

std::string_view expected(SqlType type) {
  switch (type) {
    case SqlType::kText:
      return "a text";
    case SqlType::kInteger:
      return "an integer of 64 bits";
    case SqlType::kNumber:
      return "a number";
    case SqlType::kBoolean:
      return "true or false";
    case SqlType::kDate:
      return "a date such as 2024-01-31";
  }
  return "a text";
}

Error wrong(SqlType type, std::string_view text) {
  return invalid_input(fmt::format("expected {}, got {}", expected(type), excerpt(text)))
      .with_code("invalid_arguments");
}

template <typename T>
std::optional<T> parsed(std::string_view text) {
  T number{};
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

// Four digits of the year, two of the month and two of the day, and such a day exists.
bool is_date(std::string_view text) {
  constexpr std::size_t kDateBytes = 10;
  if (text.size() != kDateBytes || text[4] != '-' || text[7] != '-') return false;
  const auto year = parsed<unsigned>(text.substr(0, 4));
  const auto month = parsed<unsigned>(text.substr(5, 2));
  const auto day = parsed<unsigned>(text.substr(8, 2));
  return year && month && day &&
         std::chrono::year_month_day(std::chrono::year(static_cast<int>(*year)), std::chrono::month(*month),
                                     std::chrono::day(*day))
             .ok();
}

}  // namespace

Result<std::string> parse_value(SqlType type, std::string_view text) {
  const bool is_valid = [&] {
    switch (type) {
      case SqlType::kText:
        return text.size() <= kValueBytesMax && is_valid_utf8(text) &&
               text.find('\0') == std::string_view::npos;
      case SqlType::kInteger:
        return parsed<std::int64_t>(text).has_value();
      case SqlType::kNumber: {
        const std::optional<double> number = parsed<double>(text);
        return number.has_value() && std::isfinite(*number);
      }
      case SqlType::kBoolean:
        return text == "true" || text == "false";
      case SqlType::kDate:
        return is_date(text);
    }
    return false;
  }();
  if (is_valid) return std::string(text);
  if (type == SqlType::kText)
    return invalid_input(fmt::format("expected a text of at most {} bytes without U+0000", kValueBytesMax))
        .with_code("invalid_arguments");
  return wrong(type, text);
}

Result<std::string> value_from_json(SqlType type, const json::Value& value) {
  switch (type) {
    case SqlType::kText:
    case SqlType::kDate:
      if (value.if_string() != nullptr) return parse_value(type, *value.if_string());
      break;
    case SqlType::kInteger:
      if (value.if_number() != nullptr && value.if_number()->as_int64())
        return std::to_string(*value.if_number()->as_int64());
      break;
    case SqlType::kNumber:
      if (value.if_number() != nullptr) return parse_value(type, value.if_number()->text);
      break;
    case SqlType::kBoolean:
      if (value.if_bool() != nullptr) return std::string(*value.if_bool() ? "true" : "false");
      break;
  }
  return wrong(type, json::to_text(value));
}

json::Value value_as_json(SqlType type, const std::string& text) {
  switch (type) {
    case SqlType::kText:
    case SqlType::kDate:
      return text;
    case SqlType::kInteger:
      return parsed<std::int64_t>(text).value_or(0);
    case SqlType::kNumber:
      return parsed<double>(text).value_or(0);
    case SqlType::kBoolean:
      return text == "true";
  }
  return text;
}

}  // namespace sluice::datasets
