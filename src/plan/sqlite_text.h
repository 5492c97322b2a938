#pragma once

#include <string>
#include <string_view>

#include "sluice/plan/operand.h"

#include "database_condition.h"

namespace sluice::plan {

// A comparison of a column that callers see as text with the text behind `placeholder`. SQLite compares
// numbers, texts and blobs by their kind first; a caller sees the text of each. `text` is the text itself.
std::string sqlite_text_condition(Sign sign, const DatabaseColumn& column, std::string_view text,
                                  const std::string& placeholder);

// Whether a number or a blob in the column may be shown as this text, or be equal to it by its affinity.
bool is_ambiguous(const DatabaseColumn& column, std::string_view text);

// The column as callers see it, whatever kind of value a row holds.
std::string sqlite_shown(const DatabaseColumn& column);

// Whether a column declared so never keeps a number: SQLite makes text of it.
bool has_text_affinity(std::string_view declared);
// Whether a column declared so never keeps a text that looks like a number: SQLite makes a number of it.
bool has_numeric_affinity(std::string_view declared);

}  // namespace sluice::plan
