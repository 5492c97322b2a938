#pragma once

#include <string>
#include <string_view>

#include "sluice/expression/question.h"

namespace sluice::query {

// Whether there is a column of that name, whatever its case: to the engine these are the same.
bool has_column(const expression::Columns& columns, std::string_view name);

// Their names as they stand in a SELECT.
std::string names_sql(const expression::Columns& columns);

// Whether a Parquet file gives every value of the type back as it was; the first looks at no inner types.
bool is_kept_by_parquet(engine::TypeId id);
bool is_kept_by_parquet(const engine::Type& type);

// What the engine calls the place of a row in a Parquet file.
inline constexpr std::string_view kFileRowNumber = "file_row_number";

}  // namespace sluice::query
