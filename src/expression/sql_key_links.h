#pragma once

#include <vector>

#include "sluice/expression/key_link.h"
#include "sluice/expression/sql.h"
#include "sluice/json/value.h"

#include "sql_columns_read.h"

namespace sluice::expression {

// Finds the equalities between columns of two tables that certainly restrict one of them: in WHERE, ON and
// USING of joins that do not keep its rows, and `column IN (SELECT column FROM …)` in both directions.
// Equalities below OR and NOT, and those of a table that the statement reads more than once, are left out.
std::vector<KeyLink> key_links(const json::Value& tree, const TablesByNode& tables);

}  // namespace sluice::expression
