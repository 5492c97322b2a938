#include "joined_scans.h"

#include <algorithm>
#include <optional>

namespace sluice::plan {

namespace {

std::optional<JoinedScan> leaf_of(const Node& node) {
  JoinedScan out{.scan = &node};
  if (const auto* filter = std::get_if<Filter>(&node.op)) {
    out.filter = &filter->condition;
    out.scan = filter->input.get();
  }
  return std::holds_alternative<Scan>(out.scan->op) ? std::optional(out) : std::nullopt;
}

}  // namespace

std::vector<JoinedScan> joined_scans(const Node& from) {
  if (std::holds_alternative<Filter>(from.op)) return {};  // Of a single table, it is the filter of the plan.
  std::vector<JoinedScan> out;
  const Node* at = &from;
  while (const auto* join = std::get_if<Join>(&at->op)) {
    std::optional<JoinedScan> right = leaf_of(*join->right);
    if (!right) return {};
    right->join = join;
    right->first = join->left->columns.size();
    out.push_back(*right);
    at = join->left.get();
  }
  const std::optional<JoinedScan> first = leaf_of(*at);
  if (!first) return {};
  out.push_back(*first);
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace sluice::plan
