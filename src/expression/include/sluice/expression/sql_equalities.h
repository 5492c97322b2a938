#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/engine/engine.h"

namespace sluice::expression {

// A comparison `column = 'text'` in a statement.
struct TextEquality {
  std::string column;
  std::string value;
};

// All such comparisons of a statement, those of IN lists included, in the order of the text. Empty if the
// statement does not parse. For statements that `check_sql` has accepted.
std::vector<TextEquality> text_equalities(engine::Engine& engine, std::string_view sql,
                                          const engine::RunLimits& limits);

// Whether the rows of a statement are groups: its outermost SELECT has a GROUP BY. False if the statement
// does not parse. For statements that `check_sql` has accepted.
bool has_group_by(engine::Engine& engine, std::string_view sql, const engine::RunLimits& limits);

}  // namespace sluice::expression
