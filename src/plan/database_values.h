#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/engine/database.h"

#include "database_condition.h"

namespace sluice::plan {

// One side of a comparison in the database: `sign`, and a placeholder whose value is bound.
struct BoundComparison {
  Comparison::Kind kind = Comparison::Kind::kCompare;
  std::string_view sign;
  std::string placeholder;
};

// Whether a database compares the text as the engine does: PostgreSQL has no text with U+0000 and SQLite's
// functions stop at it, and U+FFFD may be shown in place of bytes that are no text.
bool is_plain_text(std::string_view text);

// The value of a filter, for a comparison in which the database decides as the engine would. Returns nullopt
// if there is none; then nothing was bound. Not for columns of text in SQLite, see text_condition.h.
std::optional<BoundComparison> bind_comparison(Sign sign, const Constant& constant,
                                               const DatabaseColumn& column, engine::Dialect dialect,
                                               std::vector<engine::Parameter>& parameters);

// A value that is equal to one of the type, as a value of that type; nullopt if there is none.
std::optional<std::string> bind_value(const Operand& value, const engine::Type& type, engine::Dialect dialect,
                                      std::vector<engine::Parameter>& parameters);

// Binds a list of values that are all equal to values of the column's type, for `column IN (list)` or
// `column = ANY(list)`: returns what follows the column, or nullopt as above.
std::optional<std::string> bind_list(const std::vector<Operand>& values, const DatabaseColumn& column,
                                     engine::Dialect dialect, std::vector<engine::Parameter>& parameters);

}  // namespace sluice::plan
