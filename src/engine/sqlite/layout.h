#pragma once

#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/database.h"
#include "sluice/engine/type_memory.h"

#include "session.h"

namespace sluice::engine::sqlite {

// The session must be watched.
Result<std::vector<TableSummary>> list_tables(Session& session);
Result<TableLayout> describe_table(Session& session, const TypeMemory& memory, const TableName& table,
                                   const RunLimits& limits);

}  // namespace sluice::engine::sqlite
