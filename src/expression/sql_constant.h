#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/engine/type.h"
#include "sluice/json/value.h"

namespace sluice::expression {

// A constant of a statement, by the type that the engine gives it.
struct SqlConstant {
  enum class Kind : std::uint8_t { kInteger, kDecimal, kDouble, kText, kBool, kDate, kTimestamp };

  Kind kind = Kind::kText;
  std::string text;            // -5, 1.50, 1e3, the text itself, "true", or an ISO date or time.
  std::uint32_t digits = 0;    // Of integers and decimals: before the point, as many as the type has,
  std::uint32_t decimals = 0;  // and behind it.
  bool is_cast = false;        // Of an integer: a number without a cast takes any integer type that holds it.
};

// Nullopt for expressions, nulls, and constants whose value the engine would still have to compute.
std::optional<SqlConstant> constant_of(const json::Value& expression);

// How many digits numbers of an integer type have at most.
std::uint32_t integer_digits(engine::TypeId id);

// The fixed-point number that a constant holds; nullopt if it holds something else.
std::optional<SqlConstant> decimal_constant(const json::Value& held);

// YYYY-MM-DD. The engine reads other forms too; they are not sent.
bool is_iso_date(std::string_view text);

// The constants that one comparison, BETWEEN or IN compares a column with, as values for plan::compare(). The
// engine casts both sides to a common type; nullopt unless that comparison decides as one of the exact values
// does.
std::optional<json::Array> values_for(const engine::Type& column, const std::vector<SqlConstant>& constants);

}  // namespace sluice::expression
