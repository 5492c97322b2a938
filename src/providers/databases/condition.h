#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sluice/engine/database.h"
#include "sluice/expression/knobs.h"

namespace sluice::databases {

// A column of the table, as the database and as callers know it.
struct PushedColumn {
  const engine::TableColumn* theirs = nullptr;
  const engine::Field* ours = nullptr;
};

// A filter as a condition of the database, with its values bound, if it keeps exactly the rows that the
// engine would keep. Otherwise nullopt, and no value was bound.
std::optional<std::string> condition_of(const expression::Filter& filter, const PushedColumn& column,
                                        engine::Dialect dialect, std::vector<engine::Parameter>& parameters);

// The column as text is compared and ordered: byte by byte, whatever collation it was declared with.
std::string by_bytes(const PushedColumn& column, engine::Dialect dialect);

}  // namespace sluice::databases
