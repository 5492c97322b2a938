#pragma once

#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/json/value.h"
#include "sluice/records/mutation.h"
#include "sluice/records/operation.h"
#include "sluice/records/view.h"

#include "rows.h"

namespace sluice::records {

// The columns that records bring along, given types: by the schema file where it declares one, else by their
// first value.
struct Columns {
  std::vector<engine::Field> all;  // The view's, then new ones.
  std::vector<NewColumn> added;

  const engine::Field* find(std::string_view name) const;
};
Result<Columns> columns_for(const View& view, const SchemaFile* schema,
                            const std::vector<const json::Object*>& records);
Status add_column(Columns& columns, engine::Engine& engine, NewColumn column);

// Those that some record names.
std::vector<engine::Field> used_columns(const Columns& columns,
                                        const std::vector<const json::Object*>& records);

// Records as they will be stored: every value has its column's type and the text that a read gives. The first
// stands at `first_row`. code `wrong_type` names the record and the column.
Result<std::vector<StoredRow>> typed_rows(const View& view, const Columns& columns,
                                          const std::vector<const json::Object*>& records, double first_row,
                                          const std::string& id_column, const engine::RunLimits& limits);

}  // namespace sluice::records
