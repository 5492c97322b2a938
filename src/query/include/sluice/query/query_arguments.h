#pragma once

#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/expression/query_arguments.h"
#include "sluice/expression/question.h"
#include "sluice/json/value.h"
#include "sluice/query/dataset.h"

namespace sluice::query {

using expression::Aggregate;
using expression::AggregateFn;
using expression::Filter;
using expression::FilterOp;
using expression::Order;
using expression::QueryArguments;

// From the arguments `columns`, `filters`, `group_by`, `aggs`, `distinct`, `deduplicate`, `null_policy`,
// `order_by`, `limit` and `offset`. Their types have been checked against the tool's schema.
Result<QueryArguments> read_query_arguments(const json::Object& arguments);

// The SELECT that answers the question, checked against the table. Deterministic: without an order, rows come
// as in the file and groups by their keys; ties go by row or key.
Result<expression::Question> compile(const QueryArguments& query_arguments, const Table& table,
                                     const Collection& collection, const plan::Guard& guard);

// What the answer calls an aggregate if no other column has that name: `amount_sum`, or `count`.
std::string output_name(const Aggregate& aggregate);

// The aggregates of a grouped question with their names in the answer, each once. A name that a group or
// another aggregate already has, whatever its case, gets `_2`, `_3`, …: grouped by a column `count`, the
// number of rows is `count_2`.
struct NamedAggregate {
  Aggregate aggregate;
  std::string name;
};
std::vector<NamedAggregate> named_aggregates(const QueryArguments& query_arguments);

// The column of that name, or an error with the nearest one.
Result<const engine::Field*> find_column(const expression::Columns& columns, std::string_view name);

}  // namespace sluice::query
