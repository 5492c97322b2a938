#pragma once

#include <functional>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/database.h"
#include "sluice/engine/type_memory.h"

#include "connection/link.h"

namespace sluice::engine::postgres {

// Runs one SELECT of ours and gives all its rows.
using Ask = std::function<Result<Answer>(const Statement& statement, const RunLimits& limits)>;

Result<std::vector<TableSummary>> list_tables(const Ask& ask, const RunLimits& limits);
Result<TableLayout> describe_table(const Ask& ask, const TypeMemory& memory, const TableName& table,
                                   const RunLimits& limits);

}  // namespace sluice::engine::postgres
