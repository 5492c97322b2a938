#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/engine/type.h"
#include "sluice/json/value.h"

namespace sluice::records {

// `value` as it is stored in a column of this type: JSON text that `typed_expression` reads back without
// loss, appended to `out`. Refuses what the type cannot hold exactly (1.5 for an integer, more decimals than
// the column has); what only the engine can tell (a date out of range) is left to it. code `wrong_type`, with
// the column's name.
Status append_stored(std::string& out, const engine::Field& column, const json::Value& value);

// SQL that makes a value of the type from what append_stored has written, once `operand` has it as
// `operand_type` says.
enum class Cast : std::uint8_t { kMust, kTry };  // kTry: null where the value does not fit.
std::string typed_expression(const std::string& operand, const engine::Type& type, Cast cast = Cast::kMust);
std::string_view operand_type(const engine::Type& type);  // "VARCHAR", or "JSON" for nested types.

// Whether values of the type come back from what is stored of them as they were. Others can be read only.
bool is_storable(const engine::Type& type);

// The SQL type for a column that a value is the first of: BIGINT, DOUBLE, BOOLEAN, VARCHAR, lists and structs
// of them.
std::string inferred_type(const json::Value& value);

}  // namespace sluice::records
