#pragma once

#include <map>

#include "sluice/expression/scan_filter.h"
#include "sluice/json/value.h"

namespace sluice::expression {

// The filters on each table of a statement, by its node in the tree, which owns the nodes. A table that is
// not in the map is not restricted.
using SqlScanFilters = std::map<const json::Object*, ScanFilters>;

// Finds the conditions in WHERE and ON that certainly restrict the tables of a statement: comparisons of one
// column with constants, combined by AND, OR and NOT. Every other part of a condition is kUnknown. A
// condition on a subquery or a WITH table does not restrict the tables in it.
//
// The names of columns are resolved without the columns of the tables: a condition is about a column of a
// table if the table has it. So the filters hold for statements that the engine binds.
SqlScanFilters scan_filters(const json::Value& tree);

}  // namespace sluice::expression
