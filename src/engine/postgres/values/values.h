#pragma once

#include <string_view>

#include "sluice/engine/batch_builder.h"
#include "sluice/engine/type.h"

namespace sluice::engine::postgres {

// The types that values of PostgreSQL are decoded into.
bool is_decoded(const Type& type);

// Adds a value, given as the server's text of it, to a column; false where it does not fit the column's type.
// Then what was added to the column's child may stay, and the column must be cleared.
bool add_value(std::string_view text, ColumnBuilder& column);

}  // namespace sluice::engine::postgres
