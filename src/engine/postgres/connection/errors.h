#pragma once

#include <libpq-fe.h>

#include "sluice/base/error.h"

namespace sluice::engine::postgres {

// There is no connection, for whatever reason: those of libpq name hosts and roles, and are not told.
Error no_connection();

// What the server reports, by its SQLSTATE, as an Error. Its own words are used where they are about the
// statement.
Error error_of(const PGresult* result);

}  // namespace sluice::engine::postgres
