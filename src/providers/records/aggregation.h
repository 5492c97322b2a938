#pragma once

#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/json/value.h"
#include "sluice/records/view.h"

namespace sluice::records_provider {

// One result column of an aggregation.
struct Aggregate {
  std::string name;  // amount_sum
  std::string sql;   // sum("amount")
};

// {column: function or [functions]}: sum, count, avg and mean (both called mean), min, max, std, first, last.
// Columns that do not exist are `unknown_column`; functions that do not, or that the type does not have, are
// `invalid_aggregate`.
Result<std::vector<Aggregate>> compile_aggregations(const json::Object& aggregations,
                                                    const records::View& view);

// A view with one row for each key, ordered by the keys as records are by their place: what compile_sort and
// read_page work on. Keys are names with the SQL of their values.
struct Grouping {
  std::vector<Aggregate> keys;
  std::vector<Aggregate> aggregates;
  bool keys_last = false;  // Of the result's columns.
};
Result<records::View> grouped_view(const records::View& view, const Grouping& grouping);

}  // namespace sluice::records_provider
