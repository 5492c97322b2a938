#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "sluice/query/dataset.h"

namespace sluice::query {

// A table that a statement reads.
struct StatementPart {
  std::string name;  // Of the table in the question's SQL.
  DatasetPtr dataset;
  std::shared_ptr<const Table> table;  // Shared with the store of tables.
  // The statement needs no row that does not meet it. It applies its conditions itself as well.
  plan::Condition filter;
  std::vector<std::size_t> columns;  // The columns that the statement may read.
};

}  // namespace sluice::query
