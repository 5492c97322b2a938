#pragma once

#include <string>

#include "sluice/base/result.h"
#include "sluice/engine/database.h"
#include "sluice/engine/postgres.h"

namespace sluice::engine::postgres {

// `options.url` with every setting that libpq knows, so that it finds none to look up elsewhere: not in the
// environment, not in a service file, not in the home folder.
Result<std::string> connection_text(const PostgresOptions& options);

}  // namespace sluice::engine::postgres
