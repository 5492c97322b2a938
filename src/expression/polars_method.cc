#include <array>
#include <string>
#include <utility>

#include "polars_error.h"
#include "polars_expression.h"

namespace sluice::expression {

namespace {

constexpr std::array<std::string_view, 25> kMethods = {"alias",
                                                       "is_null",
                                                       "is_not_null",
                                                       "is_in",
                                                       "is_between",
                                                       "fill_null",
                                                       "abs",
                                                       "round",
                                                       "cast",
                                                       "over",
                                                       "sum",
                                                       "mean",
                                                       "min",
                                                       "max",
                                                       "median",
                                                       "std",
                                                       "var",
                                                       "count",
                                                       "len",
                                                       "n_unique",
                                                       "first",
                                                       "last",
                                                       "str.contains",
                                                       "str.to_lowercase",
                                                       "str.starts_with"};
constexpr std::array<std::string_view, 6> kTextMethods = {"contains",     "starts_with",  "ends_with",
                                                          "to_lowercase", "to_uppercase", "len_chars"};

struct CastType {
  std::string_view polars;
  std::string_view sql;
  ValueKind kind;
};
constexpr std::array kCastTypes = {
    CastType{"Int64", "BIGINT", ValueKind::kInteger}, CastType{"Int32", "INTEGER", ValueKind::kInteger},
    CastType{"Float64", "DOUBLE", ValueKind::kFloat}, CastType{"String", "VARCHAR", ValueKind::kText},
    CastType{"Utf8", "VARCHAR", ValueKind::kText},    CastType{"Date", "DATE", ValueKind::kTemporal},
    CastType{"Boolean", "BOOLEAN", ValueKind::kBool},
};

Status expect_text(const PolarsNode& node, const PolarsValue& value, std::string_view method) {
  if (may_be(value.kind, ValueKind::kText)) return {};
  return invalid_expression(
      node.position, "str." + std::string(method) + " takes text, not " + std::string(to_string(value.kind)),
      "Add .cast(pl.String) before it.");
}

Result<std::string> text_argument(const PolarsNode& node, const PolarsNode* argument,
                                  std::string_view method) {
  if (argument == nullptr || argument->kind != PolarsKind::kText) {
    return invalid_expression(node.position, std::string(method) + " takes one plain text");
  }
  return argument->text;
}

}  // namespace

Result<PolarsValue> PolarsExpressions::method(const PolarsNode& node, const std::string& name) {
  const PolarsNode& input = node.children[0].children[0];
  if (is_aggregate(name)) return aggregate(node, name, input);
  PolarsArguments arguments(node);
  if (name == "over") return over(node, arguments);
  SLUICE_TRY(PolarsValue value, compile(input));
  if (name == "alias") {
    SLUICE_TRY(value.name, text_argument(node, arguments.next_or_named("name"), name));
  } else if (name == "is_null" || name == "is_not_null") {
    value.sql = "(" + value.sql + (name == "is_null" ? " IS NULL)" : " IS NOT NULL)");
    value.kind = ValueKind::kBool;
  } else if (name == "is_in") {
    SLUICE_TRY(value, is_in(node, std::move(value), arguments));
  } else if (name == "is_between") {
    SLUICE_TRY(value, is_between(node, std::move(value), arguments));
  } else if (name == "fill_null") {
    const PolarsNode* filling = arguments.next_or_named("value");
    if (filling == nullptr) return invalid_expression(node.position, "fill_null takes a value");
    SLUICE_TRY(PolarsValue filler, compile(*filling));
    SLUICE_CHECK(make_comparable(node, value, filler));
    value.sql = "coalesce(" + value.sql + ", " + filler.sql + ")";
    if (value.kind == ValueKind::kInteger) value.kind = filler.kind;
  } else if (name == "abs") {
    if (!is_numeric(value.kind) && value.kind != ValueKind::kOther) {
      return invalid_expression(node.position, "abs takes a number");
    }
    value.sql = "abs(" + value.sql + ")";
  } else if (name == "round") {
    SLUICE_TRY(value, round(node, std::move(value), arguments));
  } else if (name == "cast") {
    SLUICE_TRY(value, cast(node, std::move(value), arguments));
  } else {
    return unknown_name(node.position, "the method", name, kMethods);
  }
  SLUICE_CHECK(arguments.finish());
  return value;
}

Result<PolarsValue> PolarsExpressions::is_in(const PolarsNode& node, PolarsValue value,
                                             PolarsArguments& arguments) {
  const PolarsNode* list = arguments.next_or_named("other");
  if (list == nullptr || list->kind != PolarsKind::kList) {
    return invalid_expression(node.position, "is_in takes a list of values", "Write .is_in([\"a\", \"b\"]).");
  }
  std::string items;
  for (const PolarsNode& item : list->children) {
    if (item.kind == PolarsKind::kNone) continue;  // Null equals nothing.
    SLUICE_TRY(PolarsValue one, literal(item));
    SLUICE_CHECK(make_comparable(item, value, one));
    items += (items.empty() ? "" : ", ") + one.sql;
  }
  // In an empty list there is nothing, but of null that is not known.
  value.sql =
      items.empty() ? "(" + value.sql + " <> " + value.sql + ")" : "(" + value.sql + " IN (" + items + "))";
  value.kind = ValueKind::kBool;
  return value;
}

// Text names a column if there is one, as in Polars; else it is a value, such as a date.
Result<PolarsValue> PolarsExpressions::bound(const PolarsNode& node) {
  if (node.kind != PolarsKind::kText) return compile(node);
  Result<PolarsValue> named = column(node.text);
  return named.ok() ? std::move(named) : literal(node);
}

Result<PolarsValue> PolarsExpressions::is_between(const PolarsNode& node, PolarsValue value,
                                                  PolarsArguments& arguments) {
  const PolarsNode* from = arguments.next_or_named("lower_bound");
  const PolarsNode* to = arguments.next_or_named("upper_bound");
  const PolarsNode* closed = arguments.next_or_named("closed");
  if (from == nullptr || to == nullptr)
    return invalid_expression(node.position, "is_between takes two bounds");
  std::string ends = "both";
  if (closed != nullptr) {
    SLUICE_TRY(ends, text_argument(node, closed, "closed"));
  }
  if (ends != "both" && ends != "left" && ends != "right" && ends != "none") {
    return invalid_expression(closed->position, "closed is both, left, right or none, not " + ends);
  }
  SLUICE_TRY(PolarsValue lower, bound(*from));
  SLUICE_TRY(PolarsValue upper, bound(*to));
  SLUICE_CHECK(make_comparable(*from, value, lower));
  SLUICE_CHECK(make_comparable(*to, value, upper));
  const std::string over_lower = ends == "both" || ends == "left" ? " >= " : " > ";
  const std::string under_upper = ends == "both" || ends == "right" ? " <= " : " < ";
  value.sql = "(" + value.sql + over_lower + lower.sql + " AND " + value.sql + under_upper + upper.sql + ")";
  value.kind = ValueKind::kBool;
  return value;
}

Result<PolarsValue> PolarsExpressions::round(const PolarsNode& node, PolarsValue value,
                                             PolarsArguments& arguments) {
  constexpr std::int64_t kDecimalsMax = 15;
  const PolarsNode* decimals = arguments.next_or_named("decimals");
  if (decimals != nullptr &&
      (decimals->kind != PolarsKind::kInteger || decimals->integer < 0 || decimals->integer > kDecimalsMax)) {
    return invalid_expression(decimals->position, "round takes a number of decimals from 0 to 15");
  }
  if (!is_numeric(value.kind) && value.kind != ValueKind::kOther) {
    return invalid_expression(node.position, "round takes a number");
  }
  if (value.kind == ValueKind::kInteger) return value;
  // Halves go to the even neighbour, as Polars has it. Written out as round_even is inside the engine, so
  // that the bound on the SQL counts the copies.
  const std::int64_t places = decimals == nullptr ? 0 : decimals->integer;
  const std::string x = "CAST(" + value.sql + " AS DOUBLE)";
  const std::string n = std::to_string(places);
  const std::string scale = "1e" + std::to_string(places + 1);
  value.sql = "CASE WHEN ((abs(" + x + ") * " + scale + ") % 10) = 5 THEN round(" + x + " / 2, " + n +
              ") * 2 ELSE round(" + x + ", " + n + ") END";
  value.kind = ValueKind::kFloat;
  return value;
}

Result<PolarsValue> PolarsExpressions::cast(const PolarsNode& node, PolarsValue value,
                                            PolarsArguments& arguments) {
  const PolarsNode* type = arguments.next_or_named("dtype");
  SLUICE_TRY(const bool is_strict, arguments.flag("strict", true));
  for (const CastType& known : kCastTypes) {
    if (type == nullptr || type->kind != PolarsKind::kAttribute || type->text != known.polars) continue;
    if (type->children[0].kind != PolarsKind::kName || type->children[0].text != "pl") continue;
    // The engine rounds where Polars cuts.
    if (known.kind == ValueKind::kInteger && value.kind == ValueKind::kFloat) {
      value.sql = "trunc(" + value.sql + ")";
    }
    value.sql = (is_strict ? "CAST(" : "TRY_CAST(") + value.sql + " AS " + std::string(known.sql) + ")";
    value.kind = known.kind;
    value.temporal_type = known.kind == ValueKind::kTemporal ? known.sql : std::string_view();
    return value;
  }
  return invalid_expression(type == nullptr ? node.position : type->position,
                            "cast takes one of the types offered",
                            "Types: pl.Int64, pl.Int32, pl.Float64, pl.String, pl.Date, pl.Boolean.");
}

Result<PolarsValue> PolarsExpressions::text_method(const PolarsNode& node, const std::string& name) {
  PolarsArguments arguments(node);
  SLUICE_TRY(PolarsValue value, compile(node.children[0].children[0].children[0]));
  SLUICE_CHECK(expect_text(node, value, name));
  if (name == "contains") {
    SLUICE_TRY(value, contains(node, std::move(value), arguments));
  } else if (name == "starts_with" || name == "ends_with") {
    const PolarsNode* affix = arguments.next_or_named(name == "starts_with" ? "prefix" : "suffix");
    SLUICE_TRY(std::string text, text_argument(node, affix, name));
    value.sql = name + "(" + value.sql + ", " + parameter(std::move(text), "VARCHAR") + ")";
    value.kind = ValueKind::kBool;
  } else if (name == "to_lowercase" || name == "to_uppercase") {
    value.sql = (name == "to_lowercase" ? "lower(" : "upper(") + value.sql + ")";
    value.kind = ValueKind::kText;
  } else if (name == "len_chars") {
    value.sql = "length(" + value.sql + ")";
    value.kind = ValueKind::kInteger;
  } else {
    return unknown_name(node.position, "the method str." + name, name, kTextMethods);
  }
  SLUICE_CHECK(arguments.finish());
  return value;
}

Result<PolarsValue> PolarsExpressions::contains(const PolarsNode& node, PolarsValue value,
                                                PolarsArguments& arguments) {
  SLUICE_TRY(std::string pattern, text_argument(node, arguments.next_or_named("pattern"), "contains"));
  SLUICE_TRY(const bool is_literal, arguments.flag("literal", false));
  SLUICE_CHECK(arguments.flag("strict", true));
  // Whether it is a regular expression is for the engine to say, when it runs.
  value.sql = (is_literal ? "contains(" : "regexp_matches(") + value.sql + ", " +
              parameter(std::move(pattern), "VARCHAR") + ")";
  value.kind = ValueKind::kBool;
  return value;
}

}  // namespace sluice::expression
