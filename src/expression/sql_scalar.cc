#include "sql_scalar.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sluice/base/text.h"

#include "sql_condition.h"
#include "sql_constant.h"
#include "sql_member.h"

namespace sluice::expression {

namespace {

using engine::Type;
using engine::TypeId;
using plan::Argument;
using plan::Condition;
using plan::ScalarCall;
using plan::ScalarFunction;

struct DateFunction {
  std::string_view name;
  ScalarFunction function;
};
constexpr std::array kDateFunctions = {
    DateFunction{"year", ScalarFunction::kYear},      DateFunction{"quarter", ScalarFunction::kQuarter},
    DateFunction{"month", ScalarFunction::kMonth},    DateFunction{"day", ScalarFunction::kDay},
    DateFunction{"dayofmonth", ScalarFunction::kDay}, DateFunction{"isodow", ScalarFunction::kIsodow}};

std::optional<ScalarFunction> date_function_named(std::string_view name) {
  const auto* const found = std::find_if(kDateFunctions.begin(), kDateFunctions.end(),
                                         [&](const DateFunction& one) { return one.name == name; });
  return found == kDateFunctions.end() ? std::nullopt : std::optional(found->function);
}

bool is_null(const json::Value& expression) {
  const json::Value* held = has_class(expression, "CONSTANT") ? expression.find("value") : nullptr;
  const json::Value* flag = held == nullptr ? nullptr : held->find("is_null");
  return flag != nullptr && json::equal(*flag, true);
}

// Whether the engine gives all the values the type `type` if one of them is this constant.
bool keeps_type(const SqlConstant& constant, const Type& type) {
  if (engine::is_integer(type.id))
    return constant.kind == SqlConstant::Kind::kInteger &&
           (!constant.is_cast || constant.digits <= integer_digits(type.id));
  if (type.id == TypeId::kDecimal)
    return constant.digits <= static_cast<std::uint32_t>(type.width - type.scale) &&
           constant.decimals <= type.scale;
  // A plan knows one zero.
  return type.id != TypeId::kDouble || !constant.text.starts_with('-') ||
         constant.text.find_first_of("123456789") != std::string::npos;
}

std::optional<Argument> argument_of(const SqlConstant& constant, const Type& type) {
  if (!keeps_type(constant, type)) return std::nullopt;
  std::optional<json::Array> values = values_for(type, {constant});
  if (!values) return std::nullopt;
  Result<plan::Operand> operand = plan::resolve_operand({.name = {}, .type = type}, values->front());
  if (!operand.ok() || operand->place != plan::Operand::Place::kEqual) return std::nullopt;
  return Argument{.column = {},
                  .constant = plan::Constant{.given = values->front(), .operand = *std::move(operand)}};
}

// The type of values that are all constants.
std::optional<Type> type_of_constants(const std::vector<SqlConstant>& constants) {
  const SqlConstant::Kind kind = constants.front().kind;
  bool is_long = false;
  for (const SqlConstant& one : constants) {
    if (one.kind != kind) return std::nullopt;
    is_long = is_long || one.digits > integer_digits(TypeId::kInt32);
  }
  switch (kind) {
    case SqlConstant::Kind::kInteger:
      return Type{.id = is_long ? TypeId::kInt64 : TypeId::kInt32};
    case SqlConstant::Kind::kDouble:
      return Type{.id = TypeId::kDouble};
    case SqlConstant::Kind::kText:
      return Type{.id = TypeId::kText};
    case SqlConstant::Kind::kBool:
      return Type{.id = TypeId::kBool};
    case SqlConstant::Kind::kDate:
      return Type{.id = TypeId::kDate};
    case SqlConstant::Kind::kTimestamp:
      return Type{.id = TypeId::kTimestampUs};
    case SqlConstant::Kind::kDecimal:
      break;
  }
  return std::nullopt;
}

}  // namespace

struct SqlScalars::Choice {
  struct Value {
    std::optional<std::size_t> column;
    std::optional<SqlConstant> constant;  // Neither: NULL.
  };
  std::vector<Value> values;
};

// NOLINTNEXTLINE(misc-no-recursion): as deep as the tree, which its reader bounds.
std::optional<std::size_t> SqlScalars::find(const json::Value& expression) const {
  if (const std::optional<std::size_t> column = input_.find(expression)) return column;
  Result<SqlNode> node = SqlNode::of(&expression);
  if (!node.ok()) return std::nullopt;
  const std::string_view node_class = node->text("class");
  const std::string_view type = node->text("type");
  node->text("alias");
  if (node_class == "FUNCTION") return bind_function(*node);
  if (node_class == "CASE") return bind_case(*node);
  return node_class == "OPERATOR" && type == "OPERATOR_COALESCE" ? bind_coalesce(*node) : std::nullopt;
}

// NOLINTNEXTLINE(misc-no-recursion): see find().
std::optional<std::size_t> SqlScalars::bind_function(SqlNode& node) const {
  const std::string name = to_lower_ascii(node.text("function_name"));
  const json::Array& children = node.items("children");
  const json::Value* order = node.value("order_bys");
  const std::string_view schema =
      node.text("schema");  // extract(year FROM day) is main.date_part('year', day).
  if (!schema.empty() && schema != "main") return std::nullopt;
  // A filter is left over.
  if (node.flag("distinct") || !node.finish().ok() || children.empty() || children.size() > 2)
    return std::nullopt;
  if (order != nullptr && !member_items(*order, "orders").empty()) return std::nullopt;
  if (children.size() == 1) {
    const std::optional<ScalarFunction> function = date_function_named(name);
    return function ? date_function(*function, {}, children.front()) : std::nullopt;
  }
  if (name == "nullif") return null_if(children.front(), children.back());
  const std::optional<SqlConstant> part = constant_of(children.front());
  if (!part || part->kind != SqlConstant::Kind::kText) return std::nullopt;
  const std::string word = to_lower_ascii(part->text);
  if (name == "date_part" || name == "datepart") {
    const std::optional<ScalarFunction> function = date_function_named(word);
    return function ? date_function(*function, {}, children.back()) : std::nullopt;
  }
  if (name != "date_trunc" && name != "datetrunc") return std::nullopt;
  const std::optional<plan::DatePart> kept = plan::date_part_named(word);
  return kept ? date_function(ScalarFunction::kDateTrunc, *kept, children.back()) : std::nullopt;
}

// NOLINTNEXTLINE(misc-no-recursion): see find().
std::optional<std::size_t> SqlScalars::date_function(ScalarFunction function, plan::DatePart part,
                                                     const json::Value& argument) const {
  const std::optional<std::size_t> column = find(argument);
  if (!column) return std::nullopt;
  const TypeId id = columns_[*column].type.id;
  if (id != TypeId::kDate && id != TypeId::kTimestampUs) return std::nullopt;
  ScalarCall call{.function = function, .part = part, .type = plan::date_result(function)};
  call.arguments.push_back({.column = column, .constant = {}});
  return add(std::move(call));
}

// CASE WHEN value = other THEN NULL ELSE value END
// NOLINTNEXTLINE(misc-no-recursion): see find().
std::optional<std::size_t> SqlScalars::null_if(const json::Value& value, const json::Value& other) const {
  const std::optional<std::size_t> column = find(value);
  const std::optional<SqlConstant> constant = constant_of(other);
  if (!column || !constant) return std::nullopt;
  const std::optional<json::Array> values = values_for(columns_[*column].type, {*constant});
  if (!values) return std::nullopt;
  Result<Condition> is_equal = plan::compare(columns_, *column, plan::Sign::kEq, values->front());
  if (!is_equal.ok()) return std::nullopt;
  ScalarCall call{.function = ScalarFunction::kCase, .type = columns_[*column].type};
  call.conditions.push_back(*std::move(is_equal));
  call.arguments = {Argument{}, {.column = column, .constant = {}}};
  return add(std::move(call));
}

// NOLINTNEXTLINE(misc-no-recursion): see find().
std::optional<std::size_t> SqlScalars::bind_coalesce(SqlNode& node) const {
  Choice choice;
  for (const json::Value& child : node.items("children")) {
    if (!add_to(choice, &child)) return std::nullopt;
  }
  if (choice.values.size() < 2) return std::nullopt;
  return bind_choice(choice, {.function = ScalarFunction::kCoalesce});
}

// NOLINTNEXTLINE(misc-no-recursion): see find().
std::optional<std::size_t> SqlScalars::bind_case(SqlNode& node) const {
  Choice choice;
  ScalarCall call{.function = ScalarFunction::kCase};
  for (const json::Value& check : node.items("case_checks")) {
    const json::Value* when = member_object(check, "when_expr");
    std::optional<Condition> condition = when == nullptr ? std::nullopt : bind_condition(*when, *this);
    if (!condition || !add_to(choice, member_object(check, "then_expr"))) return std::nullopt;
    call.conditions.push_back(*std::move(condition));
  }
  if (call.conditions.empty() || !add_to(choice, node.value("else_expr"))) return std::nullopt;
  return bind_choice(choice, std::move(call));
}

// NOLINTNEXTLINE(misc-no-recursion): see find().
bool SqlScalars::add_to(Choice& choice, const json::Value* expression) const {
  if (expression == nullptr) return false;
  Choice::Value value;
  if (std::optional<SqlConstant> constant = constant_of(*expression)) {
    value.constant = std::move(constant);
  } else if (!is_null(*expression)) {
    value.column = find(*expression);
    if (!value.column) return false;
  }
  choice.values.push_back(std::move(value));
  return true;
}

std::optional<std::size_t> SqlScalars::bind_choice(const Choice& choice, ScalarCall call) const {
  std::optional<Type> type;
  std::vector<SqlConstant> constants;
  for (const Choice::Value& value : choice.values) {
    if (value.constant) constants.push_back(*value.constant);
    if (!value.column) continue;
    const Type& own = columns_[*value.column].type;
    if (type && engine::sql_name(*type) != engine::sql_name(own)) return std::nullopt;
    type = own;
  }
  if (!type && !constants.empty()) type = type_of_constants(constants);
  if (!type) return std::nullopt;
  call.type = *type;
  for (const Choice::Value& value : choice.values) {
    std::optional<Argument> argument = Argument{.column = value.column, .constant = {}};
    if (value.constant) argument = argument_of(*value.constant, *type);
    if (!argument) return std::nullopt;
    call.arguments.push_back(*std::move(argument));
  }
  return add(std::move(call));
}

std::optional<std::size_t> SqlScalars::restricted(std::optional<std::size_t> column,
                                                  Condition condition) const {
  ScalarCall call{.function = ScalarFunction::kCase, .type = {.id = TypeId::kBool}};
  Argument value{.column = column, .constant = {}};
  if (column) {
    call.type = columns_[*column].type;
  } else {
    value.constant = plan::Constant{.given = json::Value(true),
                                    .operand = {.place = plan::Operand::Place::kEqual, .text = "true"}};
  }
  call.conditions.push_back(std::move(condition));
  call.arguments = {std::move(value), Argument{}};
  return add(std::move(call));
}

std::optional<std::size_t> SqlScalars::add(ScalarCall call) const {
  // Constants of all types are shown alike.
  const std::string key = plan::to_json(call) + engine::sql_name(call.type);
  if (const auto known = places_.find(key); known != places_.end()) return known->second;
  std::size_t number = calls_.size() + 1;
  const auto is_taken = [&](const engine::Field& column) {
    return equal_ignoring_case(column.name, call.name);
  };
  do {
    call.name = "computed_" + std::to_string(number++);
  } while (std::any_of(columns_.begin(), columns_.end(), is_taken));
  columns_.push_back({.name = call.name, .type = call.type});
  calls_.push_back(std::move(call));
  places_.emplace(key, columns_.size() - 1);
  return columns_.size() - 1;
}

}  // namespace sluice::expression
