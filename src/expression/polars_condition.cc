#include "polars_condition.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "condition_truth.h"
#include "polars_expression.h"
#include "sql_constant.h"

namespace sluice::expression {

namespace {

using plan::Condition;
using plan::Sign;

constexpr std::uint32_t kInt64Digits = 19;
constexpr std::uint32_t kInt128Digits = 38;

constexpr std::array kPolarsSigns = {
    SignName{"==", Sign::kEq, Sign::kEq, Sign::kNeq},  SignName{"!=", Sign::kNeq, Sign::kNeq, Sign::kEq},
    SignName{"<", Sign::kLt, Sign::kGt, Sign::kGte},   SignName{">", Sign::kGt, Sign::kLt, Sign::kLte},
    SignName{"<=", Sign::kLte, Sign::kGte, Sign::kGt}, SignName{">=", Sign::kGte, Sign::kLte, Sign::kLt},
};

std::string double_text(double value) {
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

// A literal by the type that its parameter has in the engine.
std::optional<SqlConstant> literal_constant(const PolarsNode& node) {
  switch (node.kind) {
    case PolarsKind::kInteger:
      return SqlConstant{
          .kind = SqlConstant::Kind::kInteger, .text = std::to_string(node.integer), .digits = kInt64Digits};
    case PolarsKind::kWideInteger:
      return SqlConstant{.kind = SqlConstant::Kind::kInteger, .text = node.text, .digits = kInt128Digits};
    case PolarsKind::kFloat:
      return SqlConstant{.kind = SqlConstant::Kind::kDouble, .text = double_text(node.number)};
    case PolarsKind::kText:
      return SqlConstant{.kind = SqlConstant::Kind::kText, .text = node.text};
    case PolarsKind::kBool:
      return SqlConstant{.kind = SqlConstant::Kind::kBool, .text = node.integer != 0 ? "true" : "false"};
    case PolarsKind::kCall:  // pl.lit(3)
      if (is_of_polars(node.children[0]) && node.children[0].text == "lit" && node.children.size() == 2 &&
          node.children[1].kind != PolarsKind::kCall)
        return literal_constant(node.children[1]);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// Whether a regular expression finds this text and nothing else.
bool is_plain_pattern(std::string_view pattern) {
  return pattern.find_first_of("\\^$.|?*+()[]{}") == std::string_view::npos;
}

// Recursion is bounded by the depth of the tree, which its parser bounds.
class PolarsConditionBinder {
 public:
  explicit PolarsConditionBinder(const PolarsInput& input) : input_(input) {}

  // NOLINTNEXTLINE(misc-no-recursion)
  std::optional<Condition> bind(const PolarsNode& node, Truth truth) const {
    if (node.kind == PolarsKind::kUnary && node.text == "~") return bind(node.children[0], opposite(truth));
    if (node.kind == PolarsKind::kBinary && (node.text == "&" || node.text == "|"))
      return conjunction(node, truth);
    if (node.kind == PolarsKind::kBinary) return comparison(node, truth);
    if (node.kind != PolarsKind::kCall) return std::nullopt;
    if (const std::optional<std::size_t> column = column_of(node, input_)) return flag(*column, truth);
    const PolarsNode& callee = node.children[0];
    if (callee.kind != PolarsKind::kAttribute) return std::nullopt;
    const PolarsNode& subject = callee.children[0];
    const bool is_of_text = subject.kind == PolarsKind::kAttribute && subject.text == "str";
    const std::optional<std::size_t> column = column_of(is_of_text ? subject.children[0] : subject, input_);
    if (!column) return std::nullopt;
    return is_of_text ? text_method(node, *column, truth) : method(node, *column, truth);
  }

  // A column of booleans by itself.
  std::optional<Condition> flag(std::size_t column, Truth truth) const {
    if (input_.columns[column].type.id != engine::TypeId::kBool) return std::nullopt;
    return compare(column, Sign::kEq, truth == Truth::kAsIs);
  }

 private:
  // NOLINTNEXTLINE(misc-no-recursion)
  std::optional<Condition> conjunction(const PolarsNode& node, Truth truth) const {
    std::vector<Condition> parts;
    for (const PolarsNode& child : node.children) {
      std::optional<Condition> part = bind(child, truth);
      if (!part) return std::nullopt;
      parts.push_back(*std::move(part));
    }
    const bool is_and = (node.text == "&") == (truth == Truth::kAsIs);
    return is_and ? plan::all_of(std::move(parts)) : plan::any_of(std::move(parts));
  }

  std::optional<Condition> compare(std::size_t column, Sign sign, const json::Value& value) const {
    Result<Condition> condition = plan::compare(input_.columns, column, sign, value);
    return condition.ok() ? std::optional(*std::move(condition)) : std::nullopt;
  }

  std::optional<Condition> compare(std::size_t column, Sign sign, const PolarsNode& literal) const {
    const std::optional<SqlConstant> constant = literal_constant(literal);
    if (!constant) return std::nullopt;
    const std::optional<json::Array> values = values_for(input_.columns[column].type, {*constant});
    return values ? compare(column, sign, values->front()) : std::nullopt;
  }

  std::optional<Condition> comparison(const PolarsNode& node, Truth truth) const {
    const auto* const known = std::find_if(kPolarsSigns.begin(), kPolarsSigns.end(),
                                           [&](const SignName& one) { return one.name == node.text; });
    if (known == kPolarsSigns.end()) return std::nullopt;
    Sign sign = known->sign;
    std::optional<std::size_t> column = column_of(node.children[0], input_);
    const PolarsNode* literal = &node.children[1];
    if (!column) {
      column = column_of(node.children[1], input_);
      literal = &node.children[0];
      sign = known->flipped;
    }
    if (!column) return std::nullopt;
    return compare(*column, truth == Truth::kNegated ? negated(sign) : sign, *literal);
  }

  static Sign negated(Sign sign) {
    return std::find_if(kPolarsSigns.begin(), kPolarsSigns.end(),
                        [sign](const SignName& one) { return one.sign == sign; })
        ->negated;
  }

  std::optional<Condition> method(const PolarsNode& node, std::size_t column, Truth truth) const {
    const std::string& name = node.children[0].text;
    PolarsArguments arguments(node);
    if (name == "is_null" || name == "is_not_null") {
      const bool wants_null = (name == "is_null") == (truth == Truth::kAsIs);
      return wants_null ? plan::is_null(column) : plan::is_not_null(column);
    }
    if (name == "is_in") return in_list(arguments.next_or_named("other"), column, truth);
    if (name == "is_between") return between(arguments, column, truth);
    return std::nullopt;
  }

  std::optional<Condition> in_list(const PolarsNode* list, std::size_t column, Truth truth) const {
    std::vector<SqlConstant> constants;
    for (const PolarsNode& item : list->children) {
      if (item.kind == PolarsKind::kNone) continue;  // The engine is not given it either.
      const std::optional<SqlConstant> constant = literal_constant(item);
      if (!constant) return std::nullopt;
      constants.push_back(*constant);
    }
    if (constants.empty()) return std::nullopt;
    const std::optional<json::Array> values = values_for(input_.columns[column].type, constants);
    if (!values) return std::nullopt;
    if (truth == Truth::kAsIs) {
      Result<Condition> condition = plan::in_list(input_.columns, column, *values);
      return condition.ok() ? std::optional(*std::move(condition)) : std::nullopt;
    }
    std::vector<Condition> parts;
    for (const json::Value& value : *values) {
      std::optional<Condition> part = compare(column, Sign::kNeq, value);
      if (!part) return std::nullopt;
      parts.push_back(*std::move(part));
    }
    return plan::all_of(std::move(parts));
  }

  std::optional<Condition> between(PolarsArguments& arguments, std::size_t column, Truth truth) const {
    const PolarsNode* from = arguments.next_or_named("lower_bound");
    const PolarsNode* to = arguments.next_or_named("upper_bound");
    const PolarsNode* closed = arguments.next_or_named("closed");
    // Text names a column if there is one.
    for (const PolarsNode* bound : {from, to}) {
      if (bound->kind == PolarsKind::kText && input_.find(bound->text)) return std::nullopt;
    }
    const std::string ends = closed == nullptr ? "both" : closed->text;
    Sign above = ends == "both" || ends == "left" ? Sign::kGte : Sign::kGt;
    Sign below = ends == "both" || ends == "right" ? Sign::kLte : Sign::kLt;
    if (truth == Truth::kNegated) {
      above = negated(above);
      below = negated(below);
    }
    std::optional<Condition> lower = compare(column, above, *from);
    std::optional<Condition> upper = compare(column, below, *to);
    if (!lower || !upper) return std::nullopt;
    std::vector<Condition> both = {*std::move(lower), *std::move(upper)};
    return truth == Truth::kAsIs ? plan::all_of(std::move(both)) : plan::any_of(std::move(both));
  }

  std::optional<Condition> text_method(const PolarsNode& node, std::size_t column, Truth truth) const {
    const std::string& name = node.children[0].text;
    PolarsArguments arguments(node);
    // There is no negation of these.
    if (input_.columns[column].type.id != engine::TypeId::kText || truth == Truth::kNegated)
      return std::nullopt;
    if (name == "starts_with")
      return part_of_text(Condition::Kind::kStartsWith, column, arguments.next_or_named("prefix")->text);
    if (name == "ends_with")
      return part_of_text(Condition::Kind::kEndsWith, column, arguments.next_or_named("suffix")->text);
    if (name != "contains") return std::nullopt;
    const std::string& pattern = arguments.next_or_named("pattern")->text;
    const Result<bool> is_literal = arguments.flag("literal", false);
    if (!is_literal.ok() || (!*is_literal && !is_plain_pattern(pattern))) return std::nullopt;
    return part_of_text(Condition::Kind::kContains, column, pattern);
  }

  static Condition part_of_text(Condition::Kind kind, std::size_t column, const std::string& text) {
    if (text.empty()) return plan::is_not_null(column);  // Every text has an empty part.
    return {.kind = kind, .column = column, .text = text};
  }

  const PolarsInput& input_;
};

}  // namespace

std::optional<std::size_t> PolarsInput::find(std::string_view name) const {
  const auto found = std::find_if(outputs.begin(), outputs.end(),
                                  [name](const PolarsOutput& output) { return output.name == name; });
  return found == outputs.end() ? std::nullopt : std::optional(found->at);
}

std::optional<std::size_t> column_of(const PolarsNode& node, const PolarsInput& input) {
  if (node.kind != PolarsKind::kCall || !is_of_polars(node.children[0]) || node.children[0].text != "col")
    return std::nullopt;
  if (node.children.size() != 2 || node.children[1].kind != PolarsKind::kText) return std::nullopt;
  return input.find(node.children[1].text);
}

std::optional<Condition> condition_of(const PolarsNode& node, const PolarsInput& input) {
  const PolarsConditionBinder binder(input);
  if (node.kind != PolarsKind::kText) return binder.bind(node, Truth::kAsIs);
  const std::optional<std::size_t> column = input.find(node.text);  // filter("flag")
  return column ? binder.flag(*column, Truth::kAsIs) : std::nullopt;
}

}  // namespace sluice::expression
