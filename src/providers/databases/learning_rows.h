#pragma once

#include <memory>

#include "sluice/engine/database.h"

#include "column_looks.h"
#include "database_connection.h"

namespace sluice::databases {

// The error with the name of the database if it is that one that does not answer: a statement may read
// several.
Error with_name(Error error, const DatabaseConnection& database);

// Runs a SELECT. Tells the database's owner when a value refutes what was thought of its column, after
// `on_misfit`, which may be empty.
Result<std::unique_ptr<engine::Rows>> run_select(const std::shared_ptr<DatabaseConnection>& database,
                                                 const engine::Select& select,
                                                 const engine::RunLimits& limits, const OnMisfit& on_misfit,
                                                 std::shared_ptr<engine::Reservation> reservation = nullptr);

}  // namespace sluice::databases
