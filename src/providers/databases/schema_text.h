#pragma once

#include <string>

#include "sluice/engine/database.h"

namespace sluice::databases {

// What is known of a table, for people: a line for each column, key and index.
std::string schema_text(const engine::TableLayout& layout);
// The same for programs.
std::string schema_json(const engine::TableLayout& layout);

}  // namespace sluice::databases
