#pragma once

#include "sluice/expression/question.h"

#include "sql_node.h"
#include "sql_tree.h"

namespace sluice::expression {

// The plan of UNION, EXCEPT or INTERSECT, whose sides have columns of exactly the types of `outputs`. Null if
// there is none.
plan::NodePtr bind_set_operation(SqlNode& node, const SqlFacts& facts, const Columns& outputs);

}  // namespace sluice::expression
