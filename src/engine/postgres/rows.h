#pragma once

#include <memory>
#include <string>

#include "sluice/base/result.h"
#include "sluice/engine/database.h"
#include "sluice/engine/type_memory.h"

#include "connection/reaper.h"
#include "connection/session.h"
#include "connection/statement_connections.h"

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
