#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/engine/database.h"
#include "sluice/json/value.h"
#include "sluice/query/operand.h"

#include "condition.h"

namespace sluice::databases {

// One side of a comparison in the database: `sign`, and a placeholder whose value is bound.
struct BoundComparison {
  query::Comparison::Kind kind = query::Comparison::Kind::kCompare;
  std::string_view sign;
  std::string placeholder;
};

// Whether a database compares the text as the engine does: PostgreSQL has no text with U+0000 and SQLite's
// functions stop at it, and U+FFFD may be shown in place of bytes that are no text.
bool is_plain_text(std::string_view text);

// The value of a filter, for a comparison in which the database decides as the engine would. Returns nullopt
// if there is none; then nothing was bound. Not for columns of text in SQLite, see text_condition.h.
std::optional<BoundComparison> bind_comparison(query::Sign sign, const json::Value& value,
                                               const PushedColumn& column, engine::Dialect dialect,
                                               std::vector<engine::Parameter>& parameters);

// Binds a list of values that are all equal to values of the column's type, for `column IN (list)` or
// `column = ANY(list)`: returns what follows the column. Likewise nullopt.
std::optional<std::string> bind_list(const std::vector<query::Operand>& values, const PushedColumn& column,
                                     engine::Dialect dialect, std::vector<engine::Parameter>& parameters);

}  // namespace sluice::databases
