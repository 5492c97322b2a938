#pragma once

#include <optional>

#include "sluice/engine/database.h"
#include "sluice/expression/question.h"
#include "sluice/query/dataset.h"

namespace sluice::databases {

// Which table of which kind of database is asked.
struct Target {
  engine::Dialect dialect = engine::Dialect::kSqlite;
  const engine::TableLayout& layout;
  const expression::Columns& columns;  // As callers know them, in the order of the layout's.
};

// The question in the words of the database, where it has the same meaning there: same rows, same order, same
// types. From the offset on, up to one row more than the limit. Nothing where it has not; then the engine
// answers it over the rows of `scan`.
std::optional<engine::Select> push_down(const expression::Knobs& knobs, const Target& target);

// The rows of the table, with the columns at `wanted`. Those of the filters that mean the same in the
// database leave out what the question leaves out anyway; `knobs` may be null.
engine::Select scan(const expression::Knobs* knobs, const Target& target,
                    const std::vector<std::size_t>& wanted);

}  // namespace sluice::databases
