#pragma once

#include <string_view>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/expression/question.h"

namespace sluice::expression {

// Checks the SQL of a caller: exactly one SELECT over `data` and its own WITH tables, of allowed clauses and
// functions, which cannot make much more text than it reads. The engine parses it, the tree is checked node
// by node, and what the question holds is written from that tree, parses to it again, and binds to `columns`.
// The question can stand behind `WITH data AS (…)` and inside a subquery. Any thread.
//
// Fails with the codes `invalid_sql`, `invalid_column` and `expression_too_large`.
Result<Question> check_sql(engine::Engine& engine, std::string_view sql, const Columns& columns,
                           const engine::RunLimits& limits);

}  // namespace sluice::expression
