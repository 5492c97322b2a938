#pragma once

#include <cstddef>
#include <optional>

#include "sluice/json/value.h"
#include "sluice/plan/plan.h"

namespace sluice::expression {

// The columns that the expressions of a clause may mean.
class SqlColumns {
 public:
  virtual ~SqlColumns() = default;
  virtual const plan::Columns& columns() const = 0;
  // The column that the expression is; nullopt for any other expression.
  virtual std::optional<std::size_t> find(const json::Value& expression) const = 0;
};

}  // namespace sluice::expression
