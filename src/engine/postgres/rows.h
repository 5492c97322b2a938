#pragma once

#include <memory>
#include <string>

#include "sluice/base/result.h"
#include "sluice/engine/database.h"

#include "postgres/reaper.h"
#include "postgres/session.h"
#include "postgres/statement_connections.h"
#include "type_memory.h"

namespace sluice::engine::postgres {

// Which transaction the query runs in, see Moment.
struct RowsMoment {
  Moment moment = Moment::kOwn;
  std::string snapshot;
  // Takes the connection when the rows have ended, in its transaction. Shared by the reads of a statement;
  // null for kOwn.
  std::shared_ptr<StatementConnections> connections;
};

// Starts the query, and waits until its first row, its end or its failure. The lease ends with the rows.
// `reaper` and `memory` must outlive them.
Result<std::unique_ptr<Rows>> start_rows(Lease lease, Reaper& reaper, TypeMemory& memory,
                                         const Select& select, const RunLimits& limits,
                                         const RowsMoment& moment = {});

}  // namespace sluice::engine::postgres
