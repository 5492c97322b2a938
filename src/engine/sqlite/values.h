#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <sqlite3.h>

#include "sluice/engine/batch_builder.h"
#include "sluice/engine/type.h"

namespace sluice::engine::sqlite {

// Up to here a double holds every integer.
inline constexpr std::int64_t kExactIntegerMax = std::int64_t{1} << 53U;

// The types that values of SQLite are decoded into: kBool, kInt32, kInt64, kDouble, kText and kBlob.
bool is_decoded(TypeId type);

// Adds the value of a row to a column; false where it does not fit the column's type, and nothing is added.
// Text takes everything: numbers as their shortest exact digits, a blob as x'00ff'.
bool add_value(sqlite3_stmt* row, int index, ColumnBuilder& column);

// How a text column shows them: a real as its shortest exact digits, a blob as x'00ff'.
std::string real_text(double value);
std::string blob_text(std::string_view bytes);

// The type that holds the value as well as those of `type`.
Type widened(const Type& type, sqlite3_stmt* row, int index);

}  // namespace sluice::engine::sqlite
