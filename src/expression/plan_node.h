#pragma once

#include <cstddef>
#include <utility>

#include "sluice/base/result.h"
#include "sluice/plan/plan.h"

namespace sluice::expression {

inline constexpr std::size_t kNameBytesMax = 63;  // Of a column of a plan: PostgreSQL cuts longer names.

// An error means that a column was bound to a position that the input does not have: there is no plan.
inline plan::NodePtr node_or_null(Result<plan::NodePtr> node) {
  return node.ok() ? *std::move(node) : nullptr;
}

}  // namespace sluice::expression
