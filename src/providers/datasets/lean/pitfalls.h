#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lean/table_profile.h"

namespace sluice::datasets::lean {

// A SELECT with one row of counts over the first `rows` rows, which show what in the columns would spoil a
// query: text that holds dates or numbers, quotes or blanks around text. Empty if no column can have any.
std::string pitfall_sql(const std::vector<ColumnProfile>& columns, std::uint64_t rows);

// Sets the pitfall of each column from the counts that the statement gave, in its order.
void tell_pitfalls(std::vector<ColumnProfile>& columns, const std::vector<std::uint64_t>& counts);

}  // namespace sluice::datasets::lean
