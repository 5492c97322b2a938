#include "block.h"

#include "joined_scans.h"

namespace sluice::plan {

namespace {

// Moves on to the input if the node is of that kind.
template <typename Op>
const Op* take(const Node*& at) {
  const Op* op = at != nullptr ? std::get_if<Op>(&at->op) : nullptr;
  if (op != nullptr) at = op->input.get();
  return op;
}

const Filter* take_having(const Node*& at) {
  const auto* filter = at != nullptr ? std::get_if<Filter>(&at->op) : nullptr;
  if (filter == nullptr || !std::holds_alternative<Aggregate>(filter->input->op)) return nullptr;
  at = filter->input.get();
  return filter;
}

}  // namespace

std::optional<Block> block_of(const Node& plan) {
  Block out;
  const Node* at = &plan;
  out.limit = take<Limit>(at);
  out.project = take<Project>(at);
  out.sort = take<Sort>(at);
  out.having = take_having(at);
  out.aggregate = take<Aggregate>(at);
  if (out.aggregate == nullptr) out.distinct = take<Distinct>(at);
  if (out.distinct != nullptr) {
    if (out.project != nullptr) return std::nullopt;
    out.project = take<Project>(at);
  }
  if (out.aggregate == nullptr && out.distinct == nullptr) out.first_of_each = take<FirstOfEach>(at);
  if (const Filter* filter = take<Filter>(at)) out.filter = &filter->condition;
  if (at == nullptr || joined_scans(*at).empty()) return std::nullopt;
  out.from = at;
  if (out.is_join() && (out.first_of_each != nullptr || (out.sort != nullptr && out.sort->then_by_row)))
    return std::nullopt;  // There is no order of the table.
  return out;
}

}  // namespace sluice::plan
