#pragma once

#include <cstddef>
#include <vector>

#include "sluice/plan/plan.h"

namespace sluice::plan {

// A table of a plan. Pointers are into the plan.
struct JoinedScan {
  const Node* scan = nullptr;
  const Condition* filter = nullptr;  // Over its own columns. Null: all rows.
  const Join* join = nullptr;         // With the tables before it. Null for the first.
  std::size_t first = 0;              // The position of its first column among those of all tables.

  const std::string& table() const { return std::get<Scan>(scan->op).table; }
};

// The tables of a Scan or of Joins, from left to right: every right side is a Scan or a Filter over one, and
// so is the first left side of a Join. Empty for other nodes.
std::vector<JoinedScan> joined_scans(const Node& from);

}  // namespace sluice::plan
