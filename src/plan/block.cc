#include "block.h"

#include <string_view>

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

// Whether rows of it have no order that a database would have to keep.
// NOLINTNEXTLINE(misc-no-recursion): as deep as set operations are nested.
bool is_side(const Node& node) {
  const std::optional<Block> block = block_of(node);
  return block && block->sort == nullptr && block->limit == nullptr && block->first_of_each == nullptr;
}

}  // namespace

std::string set_operator(const SetOperation& set) {
  const std::string_view name = set.kind == SetKind::kUnion    ? "UNION"
                                : set.kind == SetKind::kExcept ? "EXCEPT"
                                                               : "INTERSECT";
  return std::string(name) + (set.all ? " ALL" : "");
}

std::set<std::size_t> Block::outputs() const {
  std::set<std::size_t> out;
  if (aggregate != nullptr) {
    out.insert(aggregate->keys.begin(), aggregate->keys.end());
    for (const AggregateCall& call : aggregate->calls) {
      if (call.function != AggregateFunction::kCountRows) out.insert(call.column);
    }
  } else if (project != nullptr) {
    out.insert(project->columns.begin(), project->columns.end());
  } else {
    for (std::size_t i = 0; i < scanned().size(); ++i) out.insert(i);
  }
  return out;
}

std::set<std::size_t> Block::used() const {
  std::set<std::size_t> out = outputs();
  if (filter != nullptr) {
    for (const std::size_t column : columns_of(*filter)) out.insert(column);
  }
  if (sort != nullptr && aggregate == nullptr && distinct == nullptr) {
    for (const SortKey& key : sort->keys) out.insert(key.column);
  }
  if (first_of_each != nullptr) out.insert(first_of_each->keys.begin(), first_of_each->keys.end());
  return out;
}

// NOLINTNEXTLINE(misc-no-recursion): see is_side().
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
  if (at != nullptr && std::holds_alternative<Compute>(at->op)) {
    out.compute = at;
    take<Compute>(at);
    if (const Filter* filter = take<Filter>(at)) out.inner_filter = &filter->condition;
  }
  if (at == nullptr) return std::nullopt;
  const auto* set = std::get_if<SetOperation>(&at->op);
  if (set != nullptr ? !is_side(*set->left) || !is_side(*set->right) : joined_scans(*at).empty())
    return std::nullopt;
  out.from = at;
  if (!out.is_table() && (out.first_of_each != nullptr || (out.sort != nullptr && out.sort->then_by_row)))
    return std::nullopt;  // There is no order of the table.
  return out;
}

}  // namespace sluice::plan
