#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/database.h"

#include "postgres/link.h"
#include "postgres/waiter.h"

namespace sluice::engine::postgres {

// Connects, makes the session read-only and its texts those that this program reads, and looks at the role.
Result<std::unique_ptr<Link>> open_session(const std::string& connection_text, const PostgresOptions& options,
                                           const RunLimits& limits);

// Reads what the server and the session are.
Result<DatabaseHealth> look_at_session(Link& link, const Waiter& waiter);

// What a statement is run as.
enum class Purpose : std::uint8_t { kRun, kExplain };

// Sends one SELECT in a transaction of its own that can only read. The server first parses it as that of a
// cursor, where its grammar has nothing but a SELECT; the rest is run only if that was so. A text that has
// passed is not parsed twice. The transaction is left in the same breath, unless something in it fails.
Status send_select(Link& link, const Statement& statement, Purpose purpose, const Waiter& waiter);
// Reads all answers that come before those of the SELECT itself.
Status receive_begin(Link& link, const Statement& statement, const Waiter& waiter);

}  // namespace sluice::engine::postgres
