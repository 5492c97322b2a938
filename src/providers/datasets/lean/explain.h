#pragma once

#include <string>

#include "sluice/json/value.h"

#include "lean/statement.h"

namespace sluice::datasets::lean {

// What a checked statement would do, in at most 40 lines: what each table is read for and from where, what
// its source computes, which keys are sent to databases and which are not, what the engine computes, and
// what the columns of the answer are made of. Nothing is run.
std::string explain(const DatasetTools& tools, const CheckedStatement& statement);

// The same with all details: `tables`, each with the SQL that its source gets, `keys`, `not_sent`, `plan`,
// `lineage` and `estimate`.
json::Object explain_json(const DatasetTools& tools, const CheckedStatement& statement);

}  // namespace sluice::datasets::lean
