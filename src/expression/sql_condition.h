#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/json/value.h"
#include "sluice/plan/condition.h"

namespace sluice::expression {

// The columns that names in a statement over one table mean.
class SqlColumnNames {
 public:
  // `columns` and `table` outlive this. `table` is the name that the statement gives its table.
  SqlColumnNames(const plan::Columns& columns, std::string_view table) : columns_(columns), table_(table) {}

  const plan::Columns& columns() const { return columns_; }
  bool is_table(std::string_view name) const;
  std::optional<std::size_t> named(std::string_view name) const;
  // Of `column` and `table.column`; nullopt for any other expression.
  std::optional<std::size_t> find(const json::Value& expression) const;

 private:
  const plan::Columns& columns_;
  const std::string_view table_;
};

// The condition of a WHERE clause, if it keeps exactly the rows that the engine would keep.
std::optional<plan::Condition> bind_condition(const json::Value& expression, const SqlColumnNames& names);

}  // namespace sluice::expression
