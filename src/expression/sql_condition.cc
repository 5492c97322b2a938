#include "sql_condition.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "sluice/base/text.h"

#include "condition_truth.h"
#include "sql_constant.h"
#include "sql_node.h"

namespace sluice::expression {

namespace {

using engine::TypeId;
using plan::Condition;
using plan::Sign;

constexpr std::array kSqlSigns = {
    SignName{"COMPARE_EQUAL", Sign::kEq, Sign::kEq, Sign::kNeq},
    SignName{"COMPARE_NOTEQUAL", Sign::kNeq, Sign::kNeq, Sign::kEq},
    SignName{"COMPARE_LESSTHAN", Sign::kLt, Sign::kGt, Sign::kGte},
    SignName{"COMPARE_GREATERTHAN", Sign::kGt, Sign::kLt, Sign::kLte},
    SignName{"COMPARE_LESSTHANOREQUALTO", Sign::kLte, Sign::kGte, Sign::kGt},
    SignName{"COMPARE_GREATERTHANOREQUALTO", Sign::kGte, Sign::kLte, Sign::kLt},
};

Sign negated_sign(Sign sign) {
  const auto* const found = std::find_if(kSqlSigns.begin(), kSqlSigns.end(),
                                         [sign](const SignName& one) { return one.sign == sign; });
  return found->negated;
}

struct TextFunction {
  std::string_view name;
  Condition::Kind kind;
};
constexpr std::array kTextFunctions = {
    TextFunction{"starts_with", Condition::Kind::kStartsWith},
    TextFunction{"prefix", Condition::Kind::kStartsWith},
    TextFunction{"ends_with", Condition::Kind::kEndsWith},
    TextFunction{"suffix", Condition::Kind::kEndsWith},
    TextFunction{"contains", Condition::Kind::kContains},
};

// Recursion is bounded by the depth of the tree, which its reader bounds.
class SqlConditionBinder {
 public:
  explicit SqlConditionBinder(const SqlColumns& names) : names_(names) {}

  // NOLINTNEXTLINE(misc-no-recursion)
  std::optional<Condition> bind(const json::Value* expression, Truth truth) const {
    Result<SqlNode> node = SqlNode::of(expression);
    if (!node.ok()) return std::nullopt;
    const std::string_view node_class = node->text("class");
    const std::string_view type = node->text("type");
    if (node_class == "CONJUNCTION") return conjunction(*node, type, truth);
    if (node_class == "COMPARISON") return comparison(*node, type, truth);
    if (node_class == "BETWEEN") return between(*node, truth);
    if (node_class == "OPERATOR") return operation(*node, type, truth);
    if (node_class == "FUNCTION") return function(*node, truth);
    if (node_class == "COLUMN_REF") return flag(*expression, truth);
    return std::nullopt;
  }

 private:
  const engine::Type& type_of(std::size_t column) const { return names_.columns()[column].type; }

  // NOLINTNEXTLINE(misc-no-recursion)
  std::optional<Condition> conjunction(SqlNode& node, std::string_view type, Truth truth) const {
    if (type != "CONJUNCTION_AND" && type != "CONJUNCTION_OR") return std::nullopt;
    std::vector<Condition> parts;
    for (const json::Value& child : node.items("children")) {
      std::optional<Condition> part = bind(&child, truth);
      if (!part) return std::nullopt;
      parts.push_back(*std::move(part));
    }
    const bool is_and = (type == "CONJUNCTION_AND") == (truth == Truth::kAsIs);
    return is_and ? plan::all_of(std::move(parts)) : plan::any_of(std::move(parts));
  }

  std::optional<Condition> compare(std::size_t column, Sign sign, const json::Value& value) const {
    Result<Condition> condition = plan::compare(names_.columns(), column, sign, value);
    return condition.ok() ? std::optional(*std::move(condition)) : std::nullopt;
  }

  std::optional<Condition> comparison(SqlNode& node, std::string_view type, Truth truth) const {
    if (type == "COMPARE_DISTINCT_FROM") return distinct_from(node, truth);
    if (type == "COMPARE_NOT_DISTINCT_FROM") return distinct_from(node, opposite(truth));
    const auto* const known = std::find_if(kSqlSigns.begin(), kSqlSigns.end(),
                                           [type](const SignName& one) { return one.name == type; });
    const json::Value* left = node.value("left");
    const json::Value* right = node.value("right");
    if (known == kSqlSigns.end() || left == nullptr || right == nullptr) return std::nullopt;
    Sign sign = known->sign;
    std::optional<std::size_t> column = names_.find(*left);
    if (!column) {
      column = names_.find(*right);
      sign = known->flipped;
      right = left;
    }
    const std::optional<SqlConstant> constant = constant_of(*right);
    if (!column || !constant) return std::nullopt;
    const std::optional<json::Array> values = values_for(type_of(*column), {*constant});
    if (!values) return std::nullopt;
    return compare(*column, truth == Truth::kNegated ? negated_sign(sign) : sign, values->front());
  }

  // A column and a constant that is not null: true or false for every row.
  std::optional<Condition> distinct_from(SqlNode& node, Truth truth) const {
    std::optional<Condition> compared = comparison(node, "COMPARE_EQUAL", opposite(truth));
    if (!compared || truth == Truth::kNegated) return compared;
    const std::size_t column = compared->column;
    return plan::any_of({*std::move(compared), plan::is_null(column)});
  }

  std::optional<Condition> between(SqlNode& node, Truth truth) const {
    const json::Value* input = node.value("input");
    const json::Value* lower = node.value("lower");
    const json::Value* upper = node.value("upper");
    if (input == nullptr || lower == nullptr || upper == nullptr) return std::nullopt;
    const std::optional<std::size_t> column = names_.find(*input);
    const std::optional<SqlConstant> low = constant_of(*lower);
    const std::optional<SqlConstant> high = constant_of(*upper);
    if (!column || !low || !high) return std::nullopt;
    const std::optional<json::Array> values = values_for(type_of(*column), {*low, *high});
    if (!values) return std::nullopt;
    const bool is_inside = truth == Truth::kAsIs;
    std::optional<Condition> from = compare(*column, is_inside ? Sign::kGte : Sign::kLt, values->front());
    std::optional<Condition> to = compare(*column, is_inside ? Sign::kLte : Sign::kGt, values->back());
    if (!from || !to) return std::nullopt;
    std::vector<Condition> both = {*std::move(from), *std::move(to)};
    return is_inside ? plan::all_of(std::move(both)) : plan::any_of(std::move(both));
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  std::optional<Condition> operation(SqlNode& node, std::string_view type, Truth truth) const {
    const json::Array& children = node.items("children");
    if (children.empty()) return std::nullopt;
    if (type == "COMPARE_IN") return in_list(children, truth);
    if (type == "COMPARE_NOT_IN") return in_list(children, opposite(truth));
    if (children.size() != 1) return std::nullopt;
    if (type == "OPERATOR_NOT") return bind(&children.front(), opposite(truth));
    const bool is_test = type == "OPERATOR_IS_NULL" || type == "OPERATOR_IS_NOT_NULL";
    const std::optional<std::size_t> column = names_.find(children.front());
    if (!is_test || !column) return std::nullopt;
    const bool wants_null = (type == "OPERATOR_IS_NULL") == (truth == Truth::kAsIs);
    return wants_null ? plan::is_null(*column) : plan::is_not_null(*column);
  }

  std::optional<Condition> in_list(const json::Array& children, Truth truth) const {
    const std::optional<std::size_t> column = names_.find(children.front());
    if (!column || children.size() < 2) return std::nullopt;
    std::vector<SqlConstant> constants;
    for (std::size_t i = 1; i < children.size(); ++i) {
      std::optional<SqlConstant> constant = constant_of(children[i]);
      if (!constant) return std::nullopt;
      constants.push_back(*std::move(constant));
    }
    const std::optional<json::Array> values = values_for(type_of(*column), constants);
    if (!values) return std::nullopt;
    if (truth == Truth::kAsIs) {
      Result<Condition> condition = plan::in_list(names_.columns(), *column, *values);
      return condition.ok() ? std::optional(*std::move(condition)) : std::nullopt;
    }
    std::vector<Condition> parts;
    for (const json::Value& value : *values) {
      std::optional<Condition> part = compare(*column, Sign::kNeq, value);
      if (!part) return std::nullopt;
      parts.push_back(*std::move(part));
    }
    return plan::all_of(std::move(parts));
  }

  // A column of booleans by itself.
  std::optional<Condition> flag(const json::Value& expression, Truth truth) const {
    const std::optional<std::size_t> column = names_.find(expression);
    if (!column || type_of(*column).id != TypeId::kBool) return std::nullopt;
    return compare(*column, Sign::kEq, truth == Truth::kAsIs);
  }

  std::optional<Condition> function(SqlNode& node, Truth truth) const {
    const std::string name = to_lower_ascii(node.text("function_name"));
    const json::Array& children = node.items("children");
    if (children.size() != 2) return std::nullopt;
    const std::optional<std::size_t> column = names_.find(children.front());
    const std::optional<SqlConstant> constant = constant_of(children.back());
    if (!column || !constant || constant->kind != SqlConstant::Kind::kText) return std::nullopt;
    if (type_of(*column).id != TypeId::kText) return std::nullopt;
    if (name == "~~") return like(*column, constant->text, truth);
    if (name == "!~~") return like(*column, constant->text, opposite(truth));
    const auto* const known = std::find_if(kTextFunctions.begin(), kTextFunctions.end(),
                                           [&](const TextFunction& one) { return one.name == name; });
    // There is no negation of these.
    if (known == kTextFunctions.end() || truth == Truth::kNegated) return std::nullopt;
    return text_condition(known->kind, *column, constant->text);
  }

  static Condition text_condition(Condition::Kind kind, std::size_t column, std::string text) {
    if (text.empty()) return plan::is_not_null(column);  // Every text has an empty part.
    return {.kind = kind, .column = column, .text = std::move(text)};
  }

  std::optional<Condition> like(std::size_t column, std::string_view pattern, Truth truth) const {
    const bool is_open_before = pattern.starts_with('%');
    if (is_open_before) pattern.remove_prefix(1);
    const bool is_open_behind = pattern.ends_with('%');
    if (is_open_behind) pattern.remove_suffix(1);
    if (pattern.find_first_of("%_\\") != std::string_view::npos) return std::nullopt;
    if (!is_open_before && !is_open_behind)
      return compare(column, truth == Truth::kAsIs ? Sign::kEq : Sign::kNeq, pattern);
    if (truth == Truth::kNegated) return std::nullopt;
    const Condition::Kind kind = !is_open_before   ? Condition::Kind::kStartsWith
                                 : !is_open_behind ? Condition::Kind::kEndsWith
                                                   : Condition::Kind::kContains;
    // `%` alone was taken for the beginning.
    return text_condition(kind, column, std::string(pattern));
  }

  const SqlColumns& names_;
};

}  // namespace

std::optional<Condition> bind_condition(const json::Value& expression, const SqlColumns& columns) {
  return SqlConditionBinder(columns).bind(&expression, Truth::kAsIs);
}

}  // namespace sluice::expression
