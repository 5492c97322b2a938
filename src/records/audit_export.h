#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/fs/root.h"
#include "sluice/records/audit.h"

namespace sluice::records {

// Writes `logs/audit_log.parquet` with every operation that the journals hold, oldest first, in the eleven
// columns that readers of this layout know. A log that another program has written there is kept as
// `logs/audit_log_before.parquet`, and what it says comes first. `folder` is the root's, absolute.
Status export_audit_log(const fs::Root& root, const std::string& folder, engine::Engine& engine,
                        const std::vector<std::string>& data_types, const engine::RunLimits& limits);

// Entries of a log that another program has written, newest first; none where there is none, or it is not
// such a log.
Result<std::vector<AuditEntry>> read_foreign_audit(const fs::Root& root, engine::Engine& engine,
                                                   const AuditQuery& query, const engine::RunLimits& limits);

// The operation with this audit id in that log; nothing where there is none.
Result<std::optional<FoundOperation>> find_foreign_operation(const fs::Root& root, engine::Engine& engine,
                                                             std::string_view id,
                                                             const engine::RunLimits& limits);

}  // namespace sluice::records
