#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/engine/type.h"
#include "sluice/json/value.h"

namespace sluice::records {

// `value` as it is stored in a column of this type: JSON text that `engine::cast_sql` reads back without
// loss, appended to `out`. Refuses what the type cannot hold exactly (1.5 for an integer, more decimals than
// the column has); what only the engine can tell (a date out of range) is left to it. code `wrong_type`, with
// the column's name.
Status append_stored(std::string& out, const engine::Field& column, const json::Value& value);

// What is read of stored JSON before it is cast to the type: "VARCHAR", or "JSON" for nested types.
std::string_view operand_type(const engine::Type& type);

// Whether values of the type come back from what is stored of them as they were. Others can be read only.
bool is_storable(const engine::Type& type);

// The SQL type for a column that a value is the first of: BIGINT, DOUBLE, BOOLEAN, VARCHAR, lists and structs
// of them.
std::string inferred_type(const json::Value& value);

}  // namespace sluice::records
