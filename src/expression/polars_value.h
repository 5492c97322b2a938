#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/engine/type.h"

namespace sluice::expression {

// As much of a type as decides what an operator means.
enum class ValueKind : std::uint8_t {
  kNull,
  kBool,
  kInteger,
  kFloat,  // Decimals as well.
  kText,
  kTemporal,
  kOther,  // What the engine makes of it is its own affair.
};

ValueKind kind_of(const engine::Type& type);
std::string_view to_string(ValueKind kind);
inline bool is_numeric(ValueKind kind) { return kind == ValueKind::kInteger || kind == ValueKind::kFloat; }
// Whether the kind is the expected one or not known before it runs.
inline bool may_be(ValueKind kind, ValueKind expected) {
  return kind == expected || kind == ValueKind::kNull || kind == ValueKind::kOther;
}

// A column of the relation that a step reads.
struct PolarsColumn {
  std::string name;
  ValueKind kind = ValueKind::kOther;
  std::string temporal_type;  // Its name in SQL, of kTemporal.
};

// An expression as SQL.
struct PolarsValue {
  std::string sql;
  ValueKind kind = ValueKind::kOther;
  std::string temporal_type;
  std::string name;  // Of the column that it becomes.
};

}  // namespace sluice::expression
