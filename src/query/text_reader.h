#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sluice/query/dataset.h"

#include "column_forms.h"

namespace sluice::query {

using NamedTypes = std::vector<std::pair<std::string, std::string>>;

// How the engine reads a text file: found once, and used for every question.
struct TextReader {
  struct Column {
    std::string name;
    std::string expression;  // Over the columns that are read; empty: the column as it is read.
  };

  std::string arguments;           // Of the engine's reader, behind those that say how the file is stored.
  std::vector<Column> columns;     // What to select of it, in order.
  std::vector<std::string> notes;  // For whoever asks for the schema.
};

// columns = {'name': 'TYPE', …}
std::string columns_argument(const NamedTypes& columns);
// What the collection says of a column, or what was found.
std::string type_of_column(const Collection& collection, const std::string& name, const std::string& found);

// Columns that need an expression are read as text.
NamedTypes types_to_read(const std::vector<TextColumn>& columns, const ColumnForms& forms);
// The names with their expressions.
std::vector<TextReader::Column> columns_to_select(const std::vector<TextColumn>& columns,
                                                  const ColumnForms& forms);

inline constexpr std::size_t kSniffRows = 200'000;  // That decide on types, where not all do.

}  // namespace sluice::query
