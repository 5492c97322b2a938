#pragma once

#include <cstdint>
#include <optional>
#include <vector>

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

// The question in the words of the database, if it has the same meaning there: same rows, same order, same
// types. From the offset on, up to one row more than the limit. Otherwise nullopt; then the engine answers it
// over the rows of `scan`.
enum class Ties : std::uint8_t { kRefuse, kAnyOrder };  // Of an order, in a table without a key.
std::optional<engine::Select> push_down(const expression::Knobs& knobs, const Target& target,
                                        Ties ties = Ties::kRefuse);

struct ScanOptions {
  // Filters of the question that mean the same in the database leave out rows there. May be null.
  const expression::Knobs* knobs = nullptr;
  bool is_ordered = false;  // In the order of the table's key, if it has one.
};

// The rows of the table, with the columns at `wanted`, under the names that the table itself gives them.
engine::Select scan(const ScanOptions& options, const Target& target, const std::vector<std::size_t>& wanted);

// The places of the columns that groups, aggregates and selected columns of the question use.
std::vector<std::size_t> used_columns(const expression::Knobs& knobs, const Target& target);

}  // namespace sluice::databases
