#pragma once

#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/databases/databases.h"
#include "sluice/wiring/source_check.h"

namespace sluice::wiring {

// Of each database what it is and how many tables it has, or why it cannot be asked.
std::vector<CheckLine> check_databases(const config::Config& config);

// The same of one database, as a sentence: "PostgreSQL 15.18 as reader, 12 tables".
CheckLine line_of(const databases::Databases::Health& health);

}  // namespace sluice::wiring
