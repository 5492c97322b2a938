#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/plan/plan.h"

#include "polars_condition.h"
#include "polars_value.h"

namespace sluice::expression {

// The plan of a chain, which grows step by step beside its SQL. A step without an exact counterpart ends it:
// what then remains is the filter that restricts the rows of the table.
class PolarsPlan {
 public:
  explicit PolarsPlan(plan::Columns columns);

  struct SortTerm {
    const PolarsValue* value = nullptr;
    bool descending = false;
    bool nulls_first = false;
  };

  // Each of these is given what the step was compiled from, and the values that it was compiled to.
  void filter(const std::vector<const PolarsNode*>& conditions);
  void select(const std::vector<PolarsValue>& values);
  // A call that is null counts the rows of each group.
  void group(const std::vector<PolarsValue>& keys, const std::vector<const PolarsNode*>& calls,
             const std::vector<PolarsValue>& results);
  void sort(const std::vector<SortTerm>& terms);
  void head(std::uint64_t rows);
  void keep(const std::vector<PolarsColumn>& columns);  // Some of the columns, by their names.
  void end() { is_whole_ = false; }

  // `sql` is the SELECT of the whole chain. Null if only the engine can compute it, and needs all rows.
  plan::NodePtr finish(const std::string& sql) &&;

 private:
  std::optional<std::size_t> column_of(const PolarsValue& value) const;
  std::optional<plan::AggregateCall> call_of(const PolarsNode& node) const;
  std::size_t place_of(plan::AggregateCall call);  // Among the calls, to which it is added if it is new.
  plan::NodePtr whole(plan::NodePtr rows) &&;
  bool is_grouped() const { return !keys_.empty() || !calls_.empty(); }

  const plan::Columns columns_;
  std::vector<PolarsOutput> outputs_;  // Of the columns, or of the groups.
  std::vector<plan::Condition> conditions_;
  std::vector<std::size_t> keys_;
  std::vector<plan::AggregateCall> calls_;
  std::vector<plan::SortKey> order_;
  std::optional<std::uint64_t> rows_max_;
  bool is_whole_ = true;
};

}  // namespace sluice::expression
