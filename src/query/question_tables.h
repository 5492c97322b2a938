#pragma once

#include <optional>
#include <string_view>

#include "sluice/query/dataset.h"

namespace sluice::query {

// The dataset that a table of a question is, by its name in the SQL; null for a name that is none.
const Dataset* table_of_question(const Dataset& dataset, std::string_view name);

// Whether a database has to send rows of a table of a question.
bool reads_database(const Dataset& dataset, const Table& table);

// At most so many rows, by what is known without looking. Nullopt: nothing is.
std::optional<double> rows_at_most(const Dataset& dataset);

}  // namespace sluice::query
