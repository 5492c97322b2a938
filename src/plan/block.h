#pragma once

#include <optional>

#include "sluice/plan/plan.h"

namespace sluice::plan {

// A plan that fits one SELECT: what each clause is made of. Pointers are into the plan.
struct Block {
  const Node* from = nullptr;                  // A Scan, or Joins of Scans, see joined_scans().
  const Condition* filter = nullptr;           // Over the columns of `from`.
  const Aggregate* aggregate = nullptr;        // At most one of these three.
  const Distinct* distinct = nullptr;          // Its input is the selected columns of `from`.
  const FirstOfEach* first_of_each = nullptr;  // Over the columns of `from`.
  const Filter* having = nullptr;              // Of groups.
  const Sort* sort = nullptr;        // Of groups and distinct rows: over their columns, else of `from`.
  const Project* project = nullptr;  // Of groups: over their columns, else of `from`.
  const Limit* limit = nullptr;

  const Columns& scanned() const { return from->columns; }
  bool is_join() const { return std::holds_alternative<Join>(from->op); }
};

// Nullopt if the nodes are in another order than the clauses of a SELECT.
std::optional<Block> block_of(const Node& plan);

}  // namespace sluice::plan
