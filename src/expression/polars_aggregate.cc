#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "polars_error.h"
#include "polars_expression.h"

namespace sluice::expression {

namespace {

constexpr std::array<std::string_view, 12> kAggregateMethods = {
    "sum", "mean", "min", "max", "median", "std", "var", "count", "len", "n_unique", "first", "last"};

bool needs_number(std::string_view name) {
  return name == "sum" || name == "mean" || name == "median" || name == "std" || name == "var";
}

// Those of pl.col("x").std(…), and of pl.std("x", …) behind the column.
PolarsArguments arguments_of(const PolarsNode& call) {
  PolarsArguments arguments(call);
  if (call.children[0].children[0].kind == PolarsKind::kName) arguments.next();
  return arguments;
}

}  // namespace

bool is_aggregate(std::string_view method) {
  return std::find(kAggregateMethods.begin(), kAggregateMethods.end(), method) != kAggregateMethods.end();
}

std::string PolarsExpressions::over_clause(std::string_view order) {
  if (aggregates_ == Aggregates::kOfGroups) return {};
  has_window_ = true;
  std::string out = " OVER (" + partition_;
  if (!order.empty()) {
    out += " ORDER BY " + std::string(order) + " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING";
  }
  return out + ")";
}

PolarsValue PolarsExpressions::count_rows() {
  return {.sql = "count(*)" + over_clause(), .kind = ValueKind::kInteger, .name = "len"};
}

Result<PolarsValue> PolarsExpressions::aggregate(const PolarsNode& node, const std::string& name,
                                                 const PolarsNode& input) {
  if (is_in_aggregate_ || shape_of(input).has_aggregate) {
    return invalid_expression(node.position, "an aggregate of an aggregate: " + name,
                              "Compute the inner one in a step of its own, with with_columns or agg.");
  }
  is_in_aggregate_ = true;
  Result<PolarsValue> value = compile_or_column(input);
  is_in_aggregate_ = false;
  if (!value.ok()) return value;
  return aggregate_of(node, name, std::move(value).value());
}

Result<PolarsValue> PolarsExpressions::aggregate_of(const PolarsNode& node, const std::string& name,
                                                    PolarsValue input) {
  if (needs_number(name)) {
    if (input.kind == ValueKind::kBool) {
      input.sql = "CAST(" + input.sql + " AS INTEGER)";  // How many are true.
      input.kind = ValueKind::kInteger;
    }
    if (!is_numeric(input.kind) && input.kind != ValueKind::kOther) {
      return invalid_expression(node.position,
                                name + " takes numbers, not " + std::string(to_string(input.kind)));
    }
  }
  if (name == "std" || name == "var") return spread(node, name, std::move(input));
  SLUICE_CHECK(arguments_of(node).finish());
  const std::string x = std::move(input.sql);
  if (name == "sum") {
    input.sql = "coalesce(sum(" + x + ")" + over_clause() + ", 0)";  // Of nothing it is 0, not null.
  } else if (name == "mean") {
    input.sql = "avg(" + x + ")" + over_clause();
    input.kind = ValueKind::kFloat;
  } else if (name == "median") {
    // The engine's median of decimals is rounded to their scale.
    const std::string number = is_numeric(input.kind) ? "CAST(" + x + " AS DOUBLE)" : x;
    input.sql = "median(" + number + ")" + over_clause();
    input.kind = ValueKind::kFloat;
  } else if (name == "min" || name == "max") {
    input.sql = name + "(" + x + ")" + over_clause();
  } else if (name == "count") {
    input.sql = "count(" + x + ")" + over_clause();
    input.kind = ValueKind::kInteger;
  } else if (name == "len") {
    input.sql = count_rows().sql;
    input.kind = ValueKind::kInteger;
  } else if (name == "n_unique") {  // Null is a value of its own.
    input.sql = "(count(DISTINCT " + x + ")" + over_clause() + " + CASE WHEN count(*)" + over_clause() +
                " > count(" + x + ")" + over_clause() + " THEN 1 ELSE 0 END)";
    input.kind = ValueKind::kInteger;
  } else {
    needs_rows_ = true;
    const std::string& row = relation_.row_column;
    input.sql = aggregates_ == Aggregates::kOfGroups ? name + "(" + x + " ORDER BY " + row + ")"
                                                     : name + "(" + x + ")" + over_clause(row);
  }
  return input;
}

Result<PolarsValue> PolarsExpressions::spread(const PolarsNode& node, const std::string& name,
                                              PolarsValue input) {
  PolarsArguments arguments = arguments_of(node);
  const PolarsNode* freedom = arguments.next_or_named("ddof");
  if (freedom != nullptr &&
      (freedom->kind != PolarsKind::kInteger || freedom->integer < 0 || freedom->integer > 1)) {
    return invalid_expression(freedom->position, "ddof is 0 or 1");
  }
  SLUICE_CHECK(arguments.finish());
  const bool is_sample = freedom == nullptr || freedom->integer == 1;
  input.sql = (name == "std" ? "stddev_" : "var_") + std::string(is_sample ? "samp(" : "pop(") + input.sql +
              ")" + over_clause();
  input.kind = ValueKind::kFloat;
  return input;
}

Result<PolarsValue> PolarsExpressions::over(const PolarsNode& node, PolarsArguments& arguments) {
  const PolarsNode& input = node.children[0].children[0];
  if (aggregates_ == Aggregates::kOfGroups || is_in_over_ || is_in_aggregate_) {
    return invalid_expression(node.position, "over has no place inside agg, over or an aggregate",
                              "Use it in select, with_columns, filter or sort.");
  }
  if (!shape_of(input).has_aggregate) {
    return invalid_expression(node.position, "over takes an aggregate",
                              "Write pl.col(\"x\").sum().over(\"g\").");
  }
  const std::vector<const PolarsNode*> keys = arguments.rest();
  SLUICE_CHECK(arguments.finish());
  if (keys.empty()) return invalid_expression(node.position, "over takes at least one column");
  std::string partition;
  for (const PolarsNode* key : keys) {
    if (shape_of(*key).has_aggregate) {
      return invalid_expression(key->position, "over takes columns, not aggregates");
    }
    SLUICE_TRY(const PolarsValue value, compile_or_column(*key));
    partition += (partition.empty() ? "PARTITION BY " : ", ") + value.sql;
  }
  is_in_over_ = true;
  partition_ = std::move(partition);
  Result<PolarsValue> value = compile(input);
  partition_.clear();
  is_in_over_ = false;
  return value;
}

}  // namespace sluice::expression
