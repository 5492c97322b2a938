#pragma once

#include "sluice/expression/question.h"
#include "sluice/json/value.h"

#include "sql_tree.h"

namespace sluice::expression {

// The plan of a checked statement, with its limit, if every part of it has an exact counterpart: tables
// joined by equal columns (inner and left), plain columns, what SqlScalars computes, aggregates of them,
// comparisons of columns and aggregates with constants, groups, DISTINCT, set operations, an order with nulls
// last, and a limit. Null for any other statement. `outputs` are the columns of the engine's answer, whose
// names and types those of the plan equal.
plan::NodePtr bind_plan(const json::Value& tree, const SqlFacts& facts, const Columns& outputs);

// The same of one SELECT, or of a set operation over several.
plan::NodePtr bind_query(const json::Value& query, const SqlFacts& facts, const Columns& outputs);

}  // namespace sluice::expression
