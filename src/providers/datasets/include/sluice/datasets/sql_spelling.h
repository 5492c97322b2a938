#pragma once

#include <string>
#include <string_view>

namespace sluice::datasets {

// A name as it can stand in SQL: in double quotes only if SQL needs them.
std::string sql_spelling(std::string_view name);

}  // namespace sluice::datasets
