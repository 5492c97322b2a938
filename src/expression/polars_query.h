#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/expression/question.h"

#include "polars_chain.h"
#include "polars_expression.h"
#include "polars_plan.h"
#include "polars_value.h"

namespace sluice::expression {

// A query that grows by one step at a time, each a SELECT over the one before. The engine keeps the order of
// rows through filters, projections and subqueries; where a step does not, its rows are numbered first.
class PolarsQuery {
 public:
  explicit PolarsQuery(const Columns& columns);

  // `next` is the step behind `step`, or null: group_by and agg are one. Returns how many were taken.
  Result<std::size_t> apply(const PolarsStep& step, const PolarsStep* next);
  Result<Question> finish(const plan::Guard& guard) &&;

 private:
  struct Output {  // The columns that a step gives.
    std::string list;
    std::vector<PolarsColumn> columns;
  };

  Status filter(const PolarsNode& call);
  Status select(const PolarsNode& call);
  Status with_columns(const PolarsNode& call);
  Status group(const PolarsNode& keys, const PolarsStep& aggregation);
  Status sort(const PolarsNode& call);
  Status head(const PolarsNode& call);
  Status unique(const PolarsNode& call);
  Status drop(const PolarsNode& call);

  PolarsExpressions expressions(PolarsExpressions::Aggregates aggregates);
  Result<std::vector<std::string>> column_names(const std::vector<const PolarsNode*>& nodes);
  Status add(Output& output, const PolarsNode& at, PolarsValue value) const;
  // All expressions of a call: those without a name first.
  Result<std::vector<PolarsValue>> values(const PolarsNode& call, PolarsArguments& arguments,
                                          PolarsExpressions& expressions);

  std::string all_columns() const;
  std::string source() const;           // What the next SELECT reads.
  std::string numbered_source() const;  // The same with the number of each row.
  std::string row_column() const;       // The quoted name of that number.
  void replace(std::string sql);

  std::string sql_;  // Empty: `data` itself.
  PolarsPlan plan_;
  std::vector<PolarsColumn> columns_;
  std::vector<engine::Parameter> parameters_;
  std::optional<std::uint64_t> rows_max_;
  bool has_limit_ = false;
};

}  // namespace sluice::expression
