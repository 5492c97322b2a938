#pragma once

#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/collections/collection_spec.h"

namespace sluice::config {

// A folder, or a file that can be read as a table, which the command line names: a collection of its own with
// the scheme `data`.
Result<collections::CollectionSpec> collection_of_source(const std::string& path);

// Makes the collections' names unique; then those of their datasets, where there is more than one collection:
// each begins with its collection's name, but for those of the first collection whose pattern is a file's
// name (2023_BUDGET_LAW), which need none: they have no slash.
void make_names_unique(std::vector<collections::CollectionSpec>& collections);

}  // namespace sluice::config
