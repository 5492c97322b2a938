#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sluice/plan/fragment.h"

#include "block.h"

namespace sluice::plan {

// What the columns of a block belong to.
struct From {
  std::string sql;
  std::string where;        // " WHERE …" of what stands in `sql`; may be empty.
  engine::TableName table;  // If all columns are those of one table.
  std::vector<engine::Parameter> parameters;
  // Rows are the answer itself, so that values that do not fit their types are found when they are read.
  bool is_answer = true;
};

// The block as one SELECT of the database. `target` has the columns of `from`.
std::optional<engine::Select> block_select(const Block& block, const Target& target, Ties ties, From from);

}  // namespace sluice::plan
