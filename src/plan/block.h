#pragma once

#include <optional>

#include "sluice/plan/plan.h"

namespace sluice::plan {

// A plan over one table that fits one SELECT: what each clause is made of. Pointers are into the plan.
struct Block {
  const Node* scan = nullptr;
  const Condition* filter = nullptr;           // Over the columns of the scan.
  const Aggregate* aggregate = nullptr;        // At most one of these three.
  const Distinct* distinct = nullptr;          // Its input is the selected columns of the scan.
  const FirstOfEach* first_of_each = nullptr;  // Over the columns of the scan.
  const Sort* sort = nullptr;        // Of groups and distinct rows: over their columns, else of the scan.
  const Project* project = nullptr;  // Of groups: over their columns, else of the scan.
  const Limit* limit = nullptr;

  const Columns& scanned() const { return scan->columns; }
};

// Nullopt if the nodes are in another order than the clauses of a SELECT.
std::optional<Block> block_of(const Node& plan);

}  // namespace sluice::plan
