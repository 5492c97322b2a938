#pragma once

#include <vector>

#include "sluice/expression/lineage.h"
#include "sluice/json/value.h"
#include "sluice/query/statement_part.h"

namespace sluice::query {

// {"columns":[{"column":"n","from":[{"dataset":…,"column":…,"how":"copy"}]}],"filtered_by":[{"dataset":…,
// "column":…}]}, with the names of datasets and their columns.
json::Object lineage_json(const expression::Lineage& lineage, const std::vector<StatementPart>& parts);

}  // namespace sluice::query
