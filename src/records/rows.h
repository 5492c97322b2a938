#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"

namespace sluice::records {

// All rows of a small result as text; null is empty.
using TextRow = std::vector<std::string>;
Result<std::vector<TextRow>> read_texts(engine::Engine& engine, const engine::Statement& statement,
                                        const engine::RunLimits& limits);

// A record that was read: its place, and a JSON object of its columns that are not null.
struct StoredRow {
  double row = 0;
  std::string id;  // JSON; "null" where there is no id column.
  std::string values;
};

// The rows of a statement whose first column is the row's place; the others become `values`, in order.
// `id_column` is also given apart.
Result<std::vector<StoredRow>> read_stored(engine::Engine& engine, const engine::Statement& statement,
                                           const engine::RunLimits& limits, const std::string& id_column,
                                           std::size_t rows_max);

// {"row": 1, "new": {…}}: a row as journals and statements carry it.
std::string row_json(double row, std::string_view values);

// A FROM item over a list of such texts in the parameter of this number: a column `u` with the members "row"
// and "new", whose members are text, or JSON where the column is nested; engine::cast_sql gives them their
// type. One text for each row: the engine works on those in vectors, on one large text it would not.
std::string rows_source(const std::vector<engine::Field>& columns, int parameter);

}  // namespace sluice::records
