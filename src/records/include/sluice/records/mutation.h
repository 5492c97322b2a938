#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/json/value.h"
#include "sluice/records/audit.h"
#include "sluice/records/data_type.h"
#include "sluice/records/schema_file.h"

namespace sluice::records {

struct MutationOptions {
  bool dry_run = false;
  bool all_rows = false;  // An empty filter means every record; else it is refused.
  bool force = false;     // Roll back although the record has changed since.
  std::optional<std::int64_t> expected_version;
  std::string user;
  std::string source = "mcp_manual_entry";  // For the column import_source_file.
  std::string notes;  // For the audit log, where records are added; "" for the usual words.
};

// What a mutation did, or would do where it was a dry run.
struct Mutated {
  Operation operation;
  std::uint64_t records_after = 0;
  std::int64_t version_before = 0;
  std::vector<std::string> warnings;  // What was stored though it looks like a slip.
};

// What update_schema does.
struct SchemaChange {
  json::Object add_fields;  // {field: declared type}
  std::optional<std::string> description;
  std::optional<std::string> version;
  bool adds_columns = true;  // To the records; else to the schema file alone.
};
struct SchemaChanged {
  bool is_changed = false;  // False: everything is so already, and nothing was written.
  Mutated mutated;
  json::Object content;                 // Of the schema file.
  std::vector<std::string> redeclared;  // Fields that were declared in other words before.
};

// All of them or none. A missing id is made up; `schema` may be null.
Result<Mutated> add_records(DataType& type, const SchemaFile* schema,
                            const std::vector<const json::Object*>& records, const MutationOptions& options,
                            const engine::RunLimits& limits);

// kNotFound, "No records matched the filters", code `no_match`.
Result<Mutated> update_records(DataType& type, const SchemaFile* schema, const json::Object& filters,
                               const json::Object& updates, const MutationOptions& options,
                               const engine::RunLimits& limits);
Result<Mutated> delete_records(DataType& type, const json::Object& filters, const MutationOptions& options,
                               const engine::RunLimits& limits);

// Updates what the filters match, or adds the record where they match nothing: the operation's kind tells.
Result<Mutated> upsert_record(DataType& type, const SchemaFile* schema, const json::Object& filters,
                              const json::Object& record, const MutationOptions& options,
                              const engine::RunLimits& limits);

// Changes the schema file and adds columns, empty in every record, as one operation. A field whose type would
// become another is kConflict, code `field_exists`.
Result<SchemaChanged> change_schema(DataType& type, const SchemaChange& change,
                                    const MutationOptions& options, const engine::RunLimits& limits);

// The inverse of an operation, or of what it did to one record. kConflict, code `changed_since`, where a
// record or the schema is not as the operation left it, unless it is forced.
Result<Mutated> roll_back(DataType& type, const FoundOperation& found, const MutationOptions& options,
                          const engine::RunLimits& limits);

}  // namespace sluice::records
