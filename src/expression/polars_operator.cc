#include <string>
#include <utility>

#include "polars_error.h"
#include "polars_expression.h"

namespace sluice::expression {

namespace {

bool is_comparison(std::string_view op) {
  return op == "==" || op == "!=" || op == "<" || op == "<=" || op == ">" || op == ">=";
}

std::string cast_to_double(const PolarsValue& value) { return "CAST(" + value.sql + " AS DOUBLE)"; }

// Rounds down, where the engine's // cuts towards zero. By zero, both give null.
std::string floor_division(const std::string& a, const std::string& b) {
  return "((" + a + " // " + b + ") - CASE WHEN (" + a + " % " + b + ") <> 0 AND ((" + a + " % " + b +
         ") < 0) <> (" + b + " < 0) THEN 1 ELSE 0 END)";
}

// Has the sign of the divisor, where the engine's % has that of the dividend.
std::string floor_remainder(const std::string& a, const std::string& b) {
  return "(((" + a + " % " + b + ") + " + b + ") % " + b + ")";
}

}  // namespace

Result<PolarsValue> PolarsExpressions::unary(const PolarsNode& node) {
  SLUICE_TRY(PolarsValue value, compile(node.children[0]));
  if (node.text == "~") {
    if (!may_be(value.kind, ValueKind::kBool)) {
      return invalid_expression(node.position,
                                "~ takes a condition, not " + std::string(to_string(value.kind)));
    }
    value.sql = "(NOT " + value.sql + ")";
    value.kind = ValueKind::kBool;
    return value;
  }
  if (!is_numeric(value.kind) && value.kind != ValueKind::kOther) {
    return invalid_expression(node.position, "- takes a number, not " + std::string(to_string(value.kind)));
  }
  value.sql = "(- " + value.sql + ")";
  return value;
}

Result<PolarsValue> PolarsExpressions::binary(const PolarsNode& node) {
  SLUICE_TRY(PolarsValue left, compile(node.children[0]));
  SLUICE_TRY(PolarsValue right, compile(node.children[1]));
  const std::string& op = node.text;
  if (op == "&" || op == "|") {
    if (!may_be(left.kind, ValueKind::kBool) || !may_be(right.kind, ValueKind::kBool)) {
      return invalid_expression(
          node.position, op + " takes two conditions",
          "Put each comparison in brackets: (a > 1) & (b < 2). & binds stronger than >.");
    }
    left.sql = "(" + left.sql + (op == "&" ? " AND " : " OR ") + right.sql + ")";
    left.kind = ValueKind::kBool;
    return left;
  }
  if (is_comparison(op)) {
    SLUICE_CHECK(make_comparable(node, left, right));
    const std::string_view sql_op = op == "==" ? "=" : op == "!=" ? "<>" : std::string_view(op);
    left.sql = "(" + left.sql + " " + std::string(sql_op) + " " + right.sql + ")";
    left.kind = ValueKind::kBool;
    return left;
  }
  return arithmetic(node, std::move(left), right);
}

Status PolarsExpressions::make_comparable(const PolarsNode& node, PolarsValue& left,
                                          PolarsValue& right) const {
  const auto is_open = [](ValueKind kind) { return kind == ValueKind::kNull || kind == ValueKind::kOther; };
  if (left.kind == right.kind || is_open(left.kind) || is_open(right.kind)) return {};
  if (is_numeric(left.kind) && is_numeric(right.kind)) return {};
  if (left.kind == ValueKind::kTemporal && right.kind == ValueKind::kText) {
    right.sql = "CAST(" + right.sql + " AS " + left.temporal_type + ")";
    return {};
  }
  if (left.kind == ValueKind::kText && right.kind == ValueKind::kTemporal) {
    left.sql = "CAST(" + left.sql + " AS " + right.temporal_type + ")";
    return {};
  }
  return invalid_expression(
      node.position,
      "cannot compare " + std::string(to_string(left.kind)) + " with " + std::string(to_string(right.kind)),
      "Write the value in the type of the column, or use cast.");
}

Result<PolarsValue> PolarsExpressions::arithmetic(const PolarsNode& node, PolarsValue left,
                                                  const PolarsValue& right) {
  const std::string& op = node.text;
  for (const PolarsValue* side : {&std::as_const(left), &right}) {
    if (is_numeric(side->kind) || side->kind == ValueKind::kOther || side->kind == ValueKind::kNull) continue;
    return invalid_expression(node.position, op + " takes numbers, not " + std::string(to_string(side->kind)),
                              side->kind == ValueKind::kText
                                  ? "Joining text is not offered; cast codes to pl.Int64 to count with them."
                                  : "Use cast to make it a number.");
  }
  const bool is_integral = left.kind == ValueKind::kInteger && right.kind == ValueKind::kInteger;
  const std::string a = std::move(left.sql);
  const std::string& b = right.sql;
  left.kind = is_integral ? ValueKind::kInteger : ValueKind::kFloat;
  if (op == "/") {
    left.sql = "(" + cast_to_double({.sql = a}) + " / " + cast_to_double({.sql = b}) + ")";
    left.kind = ValueKind::kFloat;
  } else if (op == "//") {
    left.sql = is_integral ? floor_division(a, b)
                           : "floor(" + cast_to_double({.sql = a}) + " / " + cast_to_double({.sql = b}) + ")";
  } else if (op == "%") {
    left.sql = floor_remainder(a, b);
  } else if (op == "**") {
    left.sql = "pow(" + a + ", " + b + ")";
    left.kind = ValueKind::kFloat;
  } else {
    left.sql = "(" + a + " " + op + " " + b + ")";
  }
  return left;
}

}  // namespace sluice::expression
