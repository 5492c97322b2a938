#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/json/value.h"
#include "sluice/plan/plan.h"

#include "sql_columns.h"
#include "sql_node.h"

namespace sluice::expression {

// Columns, and what a statement computes of them: an expression that a plan can have becomes a column of its
// own behind them. Equal expressions are one column.
class SqlScalars final : public SqlColumns {
 public:
  explicit SqlScalars(const SqlColumns& input) : input_(input), columns_(input.columns()) {}

  const plan::Columns& columns() const override { return columns_; }
  std::optional<std::size_t> find(const json::Value& expression) const override;

  // The column, or true without one, where the condition is true, and null in the other rows.
  std::optional<std::size_t> restricted(std::optional<std::size_t> column, plan::Condition condition) const;

  const std::vector<plan::ScalarCall>& calls() const { return calls_; }

 private:
  struct Choice;  // What a value is chosen from.

  std::optional<std::size_t> bind_function(SqlNode& node) const;
  std::optional<std::size_t> date_function(plan::ScalarFunction function, plan::DatePart part,
                                           const json::Value& argument) const;
  std::optional<std::size_t> null_if(const json::Value& value, const json::Value& other) const;
  std::optional<std::size_t> bind_coalesce(SqlNode& node) const;
  std::optional<std::size_t> bind_case(SqlNode& node) const;
  bool add_to(Choice& choice, const json::Value* expression) const;
  std::optional<std::size_t> bind_choice(const Choice& choice, plan::ScalarCall call) const;
  std::optional<std::size_t> add(plan::ScalarCall call) const;

  const SqlColumns& input_;
  // Expressions are found while clauses are bound, which only read columns.
  mutable plan::Columns columns_;
  mutable std::vector<plan::ScalarCall> calls_;
  mutable std::map<std::string, std::size_t> places_;  // Of calls, by their JSON.
};

}  // namespace sluice::expression
