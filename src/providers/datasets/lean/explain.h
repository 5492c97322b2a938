#pragma once

#include <string>

#include "lean/statement.h"

namespace sluice::datasets::lean {

// What a checked statement would read, and from where: a line for each table, with the filters that its
// source applies. Nothing is run. At most 40 lines.
std::string explain(const Desk& desk, const CheckedStatement& statement);

}  // namespace sluice::datasets::lean
