#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/engine/database.h"

namespace sluice::engine::postgres {

inline constexpr std::uint8_t kDecimalDigitsMax = 38;  // Of the engine's decimals.

// A type as pg_type has it; of a domain, that which it is made of.
struct ServerType {
  std::string name;        // typname; that of its items for an array.
  bool is_system = false;  // In pg_catalog.
  bool is_array = false;
  std::int32_t modifier = -1;  // atttypmod.
  bool is_blind = false;       // Its collation takes different texts for equal.
};

struct ColumnType {
  Type type;
  bool as_text = false;       // It is to be cast to text.
  bool needs_sample = false;  // A numeric that may have any number of digits.
  // SQL that gives it, with {} for the column, where the column's own comparisons are not those of its text.
  std::string_view form;
};

ColumnType column_type(const ServerType& type);

}  // namespace sluice::engine::postgres
