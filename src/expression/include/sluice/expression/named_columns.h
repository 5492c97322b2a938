#pragma once

#include <set>
#include <string>
#include <string_view>

#include "sluice/json/value.h"

namespace sluice::expression {

// The columns that a statement may read of its tables, by name: a superset, as a name may belong to any
// table.
struct NamedColumns {
  std::set<std::string, std::less<>> names;  // In lower case.
  bool has_star = false;                     // Any column may be read.
  // Those that rows are sorted by, that are compared as less or greater, or whose least or greatest value is
  // asked for. In lower case.
  std::set<std::string, std::less<>> ordered;

  bool may_read(std::string_view column) const;
};

// Of a checked statement, from the tree that the engine makes of it.
NamedColumns named_columns(const json::Value& tree);

}  // namespace sluice::expression
