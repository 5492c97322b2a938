#include "block.h"

namespace sluice::plan {

namespace {

// Moves on to the input if the node is of that kind.
template <typename Op>
const Op* take(const Node*& at) {
  const Op* op = at != nullptr ? std::get_if<Op>(&at->op) : nullptr;
  if (op != nullptr) at = op->input.get();
  return op;
}

}  // namespace

std::optional<Block> block_of(const Node& plan) {
  Block out;
  const Node* at = &plan;
  out.limit = take<Limit>(at);
  out.project = take<Project>(at);
  out.sort = take<Sort>(at);
  out.aggregate = take<Aggregate>(at);
  if (out.aggregate == nullptr) out.distinct = take<Distinct>(at);
  if (out.distinct != nullptr) {
    if (out.project != nullptr) return std::nullopt;
    out.project = take<Project>(at);
  }
  if (out.aggregate == nullptr && out.distinct == nullptr) out.first_of_each = take<FirstOfEach>(at);
  if (const Filter* filter = take<Filter>(at)) out.filter = &filter->condition;
  if (at == nullptr || !std::holds_alternative<Scan>(at->op)) return std::nullopt;
  out.scan = at;
  return out;
}

}  // namespace sluice::plan
