#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "sluice/expression/scan_filter.h"
#include "sluice/json/value.h"

namespace sluice::expression {

using ScanKind = ScanCondition::Kind;

inline bool is_null(const ScanValue& value) { return std::holds_alternative<std::monostate>(value); }

// The value of a constant in a statement's tree. A parameter is one: a text that is cast to its type.
// Nullopt: the expression is no constant, or of a type that conditions of scans do not know.
std::optional<ScanValue> scan_constant(const json::Value& expression);

// Gives the constants of one comparison the type that the engine casts them to, if one of them is a
// fixed-point number: the fixed-point type that holds them all. False if there is none.
bool unify_decimals(std::vector<ScanValue>& constants);

}  // namespace sluice::expression
