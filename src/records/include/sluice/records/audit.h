#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/fs/root.h"
#include "sluice/records/operation.h"

namespace sluice::records {

// What happened to one record.
struct AuditEntry {
  std::string data_type;
  std::string audit_id;
  std::string operation_id;  // Shared by the records that one operation changed.
  std::string time;
  std::string kind;
  std::int64_t version = 0;
  std::string record_id;        // JSON.
  std::string affected_fields;  // JSON array.
  std::string old_values;       // JSON object, or "null".
  std::string new_values;
  std::string user;
  std::string snapshot;
  std::string notes;
};

struct AuditQuery {
  std::string data_type;  // "" means all, likewise below.
  std::string operation;
  std::string record_id;
  std::string audit_id;  // Of another program's log only.
  std::size_t limit = 100;
  std::size_t offset = 0;
};

struct AuditPage {
  std::vector<AuditEntry> entries;  // Newest first.
  bool has_more = false;
  std::size_t total = 0;  // How many match; known where nothing more follows.
  bool has_log = false;   // Whether anything was ever written down.
};

// `data_types`: those with a journal.
Result<AuditPage> read_audit(const fs::Root& root, const std::vector<std::string>& data_types,
                             const AuditQuery& query);

// An operation by its own id or by the audit id of one of its records.
struct FoundOperation {
  std::string data_type;
  Operation operation;
  std::optional<std::size_t> row;  // Where the id is that of one record.
  bool is_foreign = false;         // From the log of another program: values are as that program wrote them.
};
// kNotFound, "Audit entry not found: X", code `unknown_audit_id`.
Result<FoundOperation> find_operation(const fs::Root& root, const std::vector<std::string>& data_types,
                                      std::string_view id);

// The version that a data type had at a time, given as operations have theirs.
Result<std::int64_t> version_at(const fs::Root& root, const std::string& data_type, std::string_view time);

// Where the records of an operation stand by now, or stood before they were deleted: files may have been
// written since. For the holder of the data type's lock.
Result<std::vector<double>> places_now(const fs::Root& root, const std::string& data_type,
                                       const Operation& operation);

// Data types that have a journal, by name.
Result<std::vector<std::string>> journaled_types(const fs::Root& root);

// What an operation did to one of its records; of one that has none, itself.
AuditEntry audit_entry(const std::string& data_type, const Operation& operation, std::size_t row);

}  // namespace sluice::records
