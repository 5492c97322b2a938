#pragma once

#include "sluice/json/value.h"

#include "sql_tree.h"

namespace sluice::expression {

// The tree with the tables that were found in it under the names that the question gives them. What the
// caller called a table stays its alias.
json::Value with_table_names(const json::Value& tree, const SqlFacts& facts);

}  // namespace sluice::expression
