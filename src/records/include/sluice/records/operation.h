#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"

namespace sluice::records {

struct NewColumn {
  std::string name;
  std::string type;  // As SQL names it.
};

// What an operation did to one record. Values are JSON objects as text; a column that is not named is null.
struct RowChange {
  std::string audit_id;
  std::string record_id;  // A JSON value as text; "null" where the data type has no id column.
  double row = 0;
  std::string old_values;  // What it had: of an update the columns in `set`, of a deletion all.
  std::string new_values;  // What it has now, all of it; "" once it is deleted.
};

// One commit: everything in it happened, or nothing. A line of the journal, and the source of audit rows.
struct Operation {
  std::int64_t sequence = 0;  // Of the data type: its version afterwards.
  std::string time;           // UTC, ISO 8601 with microseconds.
  std::string kind;           // "add", "update", "delete", "restore", "create", "schema".
  std::string id;
  std::string user;
  std::string snapshot;  // The state before, with the operations between: "snapshots/tasks-….parquet".
  std::string notes;
  std::string undoes;  // The id that this operation rolls back; else "".
  std::vector<NewColumn> new_columns;
  std::vector<std::string> set;  // Of an update: the columns it set.
  std::vector<RowChange> rows;
  // Of an operation that changed the schema file: its content before and after as JSON text, "null" where
  // there was or is no such file; "" for operations that left it alone.
  std::string schema_before;
  std::string schema_after;
  // Of an operation that removed ids which are numbers: the largest of them. No new record gets it again.
  std::int64_t last_id = 0;
  std::vector<std::string> used;  // Columns that the rows name, where that is known; not written down.
};

std::string to_json(const Operation& operation);
Result<Operation> operation_of(std::string_view json);
// With its last rows alone, up to so many: an operation on many records is not read whole for the newest of
// them.
Result<Operation> operation_of(std::string_view json, std::size_t rows_max);

}  // namespace sluice::records
