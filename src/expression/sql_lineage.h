#pragma once

#include "sluice/expression/lineage.h"
#include "sluice/expression/sql.h"
#include "sluice/json/value.h"

#include "sql_columns_read.h"

namespace sluice::expression {

// The lineage of an answer with these columns. Of a statement with clauses that are not followed (PIVOT,
// NATURAL JOIN, COLUMNS), every column counts as computed of all columns that the statement may read. Empty
// if that is too much.
Lineage lineage_of(const json::Value& tree, const TablesByNode& tables, const ColumnsRead& read,
                   const Columns& outputs);

}  // namespace sluice::expression
