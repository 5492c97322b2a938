#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/database.h"
#include "sluice/engine/postgres.h"

#include "connection/link.h"
#include "connection/waiter.h"

namespace sluice::engine::postgres {

// Connects, makes the session read-only and its texts those that this program reads, and looks at the role.
Result<std::unique_ptr<Link>> open_session(const std::string& connection_text, const PostgresOptions& options,
                                           const RunLimits& limits);

// Reads what the server and the session are.
Result<DatabaseHealth> look_at_session(Link& link, const Waiter& waiter);

// What a statement is run as.
enum class Purpose : std::uint8_t { kRun, kExplain };

// Which transaction a statement runs in, and so at which moment it sees the database.
enum class Moment : std::uint8_t {
  kOwn,       // A new one, whose end is sent with the statement.
  kImported,  // A new one with the snapshot of another transaction. It stays open.
  kJoined,    // The one that the connection is in. It stays open.
};

struct Sending {
  Purpose purpose = Purpose::kRun;
  Moment moment = Moment::kOwn;
  std::string snapshot;  // For kImported.
};

// Sends one SELECT in a transaction that can only read. The server first parses it as that of a cursor, where
// its grammar has nothing but a SELECT; the rest is run only if that was so. A text that has passed is not
// parsed twice.
Status send_select(Link& link, const Statement& statement, const Sending& sending, const Waiter& waiter);
// Reads all answers that come before those of the SELECT itself.
Status receive_begin(Link& link, const Statement& statement, const Waiter& waiter);

// Begins a transaction that can only read and sees the database at one moment, and returns the id of its
// snapshot. Others can import it as long as the transaction is open.
Result<std::string> export_snapshot(Link& link, const Waiter& waiter);

}  // namespace sluice::engine::postgres
