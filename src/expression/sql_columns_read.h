#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "sluice/expression/sql.h"
#include "sluice/json/value.h"

namespace sluice::expression {

// Where a statement names tables that are not its own, and which they are. The tree owns the nodes.
using TablesByNode = std::map<const json::Object*, const SqlTables::Table*>;

// Columns of tables, by the names of the tables in the question's SQL. In ascending order.
using ColumnsRead = std::map<std::string, std::vector<std::size_t>>;

// The columns that a statement may read of its tables: those whose name it uses anywhere, and all if it has
// `*` or anything else that stands for columns without their names.
ColumnsRead columns_read(const json::Value& tree, const TablesByNode& tables);

}  // namespace sluice::expression
