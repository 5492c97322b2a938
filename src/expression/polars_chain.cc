#include "polars_chain.h"

#include <algorithm>

#include "sluice/base/limits.h"

#include "polars_error.h"

namespace sluice::expression {

namespace {

bool is_frame(const PolarsNode& node) {
  return node.kind == PolarsKind::kName && (node.text == "df" || node.text == "lf" || node.text == "data");
}

}  // namespace

Result<std::vector<PolarsStep>> chain_of(const PolarsNode& root) {
  std::vector<PolarsStep> steps;
  const PolarsNode* node = &root;
  while (!is_frame(*node)) {
    if (node->kind != PolarsKind::kCall) {
      return invalid_expression(node->position, "it is no chain of steps", {});
    }
    const PolarsNode& callee = node->children[0];
    if (callee.kind != PolarsKind::kName && callee.kind != PolarsKind::kAttribute) {
      return invalid_expression(node->position, "it is no chain of steps", {});
    }
    const bool says_nothing = (callee.text == "lazy" || callee.text == "collect") && node->names.empty();
    if (!says_nothing) steps.push_back({.name = callee.text, .call = node});
    if (steps.size() > kExpressionStepsMax) return expression_too_large("steps", kExpressionStepsMax);
    if (callee.kind == PolarsKind::kName) break;  // The first step, without a frame before it.
    node = &callee.children[0];
  }
  if (steps.empty()) return invalid_expression(root.position, "it has no step", {});
  std::reverse(steps.begin(), steps.end());
  return steps;
}

}  // namespace sluice::expression
