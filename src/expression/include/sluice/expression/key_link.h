#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sluice::expression {

// A column of a table of a statement, by the table's name in the question's SQL.
struct TableColumn {
  std::string table;
  std::size_t column = 0;

  friend bool operator==(const TableColumn&, const TableColumn&) = default;
};

// Rows of one table whose value is no value of the other column, NULL included, have no effect on the answer,
// whatever rows the tables have. The types of both are such that equal values have equal texts, or are both
// integers.
struct KeyLink {
  TableColumn restricted;
  TableColumn keys;

  friend bool operator==(const KeyLink&, const KeyLink&) = default;
};

}  // namespace sluice::expression
