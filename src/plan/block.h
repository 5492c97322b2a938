#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "sluice/plan/plan.h"

namespace sluice::plan {

// A plan that fits one SELECT: what each clause is made of. Pointers are into the plan.
struct Block {
  const Node* from = nullptr;               // A Scan, a SetOperation, or Joins of Scans, see joined_scans().
  const Condition* inner_filter = nullptr;  // Below `compute`, over the columns of `from`.
  const Node* compute = nullptr;            // A Compute over `from`.
  const Condition* filter = nullptr;        // Over the columns of scanned(), as all that follows.
  const Aggregate* aggregate = nullptr;     // At most one of these three.
  const Distinct* distinct = nullptr;       // Its input is the selected columns.
  const FirstOfEach* first_of_each = nullptr;
  const Filter* having = nullptr;    // Of groups.
  const Sort* sort = nullptr;        // Of groups and distinct rows: over their columns.
  const Project* project = nullptr;  // Of groups: over their columns.
  const Limit* limit = nullptr;

  const Columns& scanned() const { return compute == nullptr ? from->columns : compute->columns; }
  // The positions in scanned() that the plan uses.
  std::set<std::size_t> used() const;
  // Without those of filters and sorts.
  std::set<std::size_t> outputs() const;
  bool is_table() const { return std::holds_alternative<Scan>(from->op); }
  bool is_join() const { return std::holds_alternative<Join>(from->op); }
  const SetOperation* set_operation() const { return std::get_if<SetOperation>(&from->op); }
};

// UNION ALL, EXCEPT, …
std::string set_operator(const SetOperation& set);

// Nullopt if the nodes are in another order than the clauses of a SELECT, here or in a side of a
// SetOperation.
std::optional<Block> block_of(const Node& plan);

}  // namespace sluice::plan
