#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/engine/type.h"
#include "sluice/json/value.h"

namespace sluice::plan {

// The value of a filter, placed exactly among the values that the type of its column can hold.
struct Operand {
  enum class Place : std::uint8_t {
    kEqual,     // The type holds the value: `text`.
    kAbove,     // The value lies between `text` and the next larger value of the type.
    kBelow,     // The value lies between the next smaller value of the type and `text`.
    kBelowAll,  // Every value of the type is larger.
    kAboveAll,  // Every value of the type is smaller.
    kNumber,    // A number for a column of text: `text` is its number_key().
  };

  Place place = Place::kEqual;
  // In the form that the engine casts to the type. A blob in base64.
  std::string text;

  bool is_float_zero = false;  // Minus zero is equal to it, although its bits differ.
};

// Resolves a scalar value against the column. Fails with "invalid_filter" if the column cannot be compared
// with a value of this kind, and with "invalid_value" if a text does not denote a value of the column's type.
Result<Operand> resolve_operand(const engine::Field& column, const json::Value& value);

enum class Sign : std::uint8_t { kEq, kNeq, kGt, kGte, kLt, kLte };

// What remains of `column sign value` once the value is placed. A null is never part of the result.
struct Comparison {
  enum class Kind : std::uint8_t { kNever, kNotNull, kCompare };
  Kind kind = Kind::kCompare;
  std::string_view sign;  // With kCompare: between the column and the text of the operand.
};

Comparison comparison_with(Sign sign, Operand::Place place);

}  // namespace sluice::plan
