#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/expression/key_link.h"

namespace sluice::expression {

// How values of a column become values of an answer. The later ones come first where several apply.
enum class Derivation : std::uint8_t {
  kCopy,        // As they are.
  kComputed,    // Each value of the answer by those of one row.
  kAggregated,  // By those of several rows.
};

std::string_view to_string(Derivation how);  // "copy", "computed", "aggregated"

// A column of a table that a column of an answer is made of.
struct Origin {
  TableColumn column;
  Derivation how = Derivation::kCopy;
};

// A column of an answer.
struct ColumnLineage {
  std::string name;
  std::vector<Origin> origins;  // Empty for a constant, or for a count of rows.
};

// Where the columns of an answer come from.
struct Lineage {
  std::vector<ColumnLineage> columns;
  std::vector<TableColumn> filters;  // Columns that decide which rows are part of the answer.
};

}  // namespace sluice::expression
