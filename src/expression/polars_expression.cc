#include "polars_expression.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sluice/base/limits.h"

#include "polars_error.h"

namespace sluice::expression {

namespace {

constexpr std::array<std::string_view, 4> kEntries = {"col", "lit", "len", "count"};

}  // namespace

bool is_of_polars(const PolarsNode& node) {
  return node.kind == PolarsKind::kAttribute && node.children[0].kind == PolarsKind::kName &&
         (node.children[0].text == "pl" || node.children[0].text == "polars");
}

ValueKind kind_of(const engine::Type& type) {
  if (type.id == engine::TypeId::kBool) return ValueKind::kBool;
  if (engine::is_integer(type.id)) return ValueKind::kInteger;
  if (engine::is_number(type.id)) return ValueKind::kFloat;
  if (type.id == engine::TypeId::kText || type.id == engine::TypeId::kEnum) return ValueKind::kText;
  if (engine::is_temporal(type.id)) return ValueKind::kTemporal;
  return ValueKind::kOther;
}

std::string_view to_string(ValueKind kind) {
  switch (kind) {
    case ValueKind::kNull:
      return "None";
    case ValueKind::kBool:
      return "Boolean";
    case ValueKind::kInteger:
      return "an integer";
    case ValueKind::kFloat:
      return "a number";
    case ValueKind::kText:
      return "text";
    case ValueKind::kTemporal:
      return "a date or time";
    case ValueKind::kOther:
      return "a value";
  }
  return "a value";
}

PolarsShape shape_of(const PolarsNode& node) {
  PolarsShape shape;
  if (node.kind == PolarsKind::kCall) {
    const PolarsNode& callee = node.children[0];
    if (is_of_polars(callee)) {
      if (callee.text == "col") return {.has_column = true};
      if (callee.text != "lit") return {.has_aggregate = true};
    } else if (callee.kind == PolarsKind::kAttribute && callee.text == "over") {
      return {.has_column = true, .has_aggregate = true};
    } else if (callee.kind == PolarsKind::kAttribute && is_aggregate(callee.text)) {
      return {.has_aggregate = true};
    }
  }
  for (const PolarsNode& child : node.children) {
    const PolarsShape part = shape_of(child);
    shape.has_column = shape.has_column || part.has_column;
    shape.has_aggregate = shape.has_aggregate || part.has_aggregate;
  }
  return shape;
}

PolarsArguments::PolarsArguments(const PolarsNode& call) : call_(call), is_taken_(call.names.size(), false) {}

const PolarsNode* PolarsArguments::next() {
  for (std::size_t i = 0; i < is_taken_.size(); ++i) {
    if (is_taken_[i] || !call_.names[i].empty()) continue;
    is_taken_[i] = true;
    return &call_.children[i + 1];
  }
  return nullptr;
}

const PolarsNode* PolarsArguments::named(std::string_view name) {
  for (std::size_t i = 0; i < is_taken_.size(); ++i) {
    if (is_taken_[i] || call_.names[i] != name) continue;
    is_taken_[i] = true;
    return &call_.children[i + 1];
  }
  return nullptr;
}

const PolarsNode* PolarsArguments::next_or_named(std::string_view name) {
  const PolarsNode* found = next();
  return found == nullptr ? named(name) : found;
}

std::vector<const PolarsNode*> PolarsArguments::rest() {
  std::vector<const PolarsNode*> out;
  while (const PolarsNode* found = next()) {
    if (found->kind != PolarsKind::kList) {
      out.push_back(found);
      continue;
    }
    for (const PolarsNode& item : found->children) out.push_back(&item);
  }
  return out;
}

std::vector<std::pair<std::string, const PolarsNode*>> PolarsArguments::rest_named() {
  std::vector<std::pair<std::string, const PolarsNode*>> out;
  for (std::size_t i = 0; i < is_taken_.size(); ++i) {
    if (is_taken_[i] || call_.names[i].empty()) continue;
    is_taken_[i] = true;
    out.emplace_back(call_.names[i], &call_.children[i + 1]);
  }
  return out;
}

Result<bool> PolarsArguments::flag(std::string_view name, bool otherwise) {
  const PolarsNode* found = named(name);
  if (found == nullptr) return otherwise;
  if (found->kind != PolarsKind::kBool) {
    return invalid_expression(found->position, std::string(name) + " must be True or False");
  }
  return found->integer != 0;
}

Status PolarsArguments::finish() const {
  for (std::size_t i = 0; i < is_taken_.size(); ++i) {
    if (is_taken_[i]) continue;
    const PolarsNode& value = call_.children[i + 1];
    const std::string& name = call_.names[i];
    return invalid_expression(
        value.position, name.empty() ? "one argument too many" : "an argument that is not offered: " + name);
  }
  return {};
}

PolarsExpressions::PolarsExpressions(const Relation& relation, std::vector<engine::Parameter>& parameters,
                                     Aggregates aggregates)
    : relation_(relation), parameters_(parameters), aggregates_(aggregates) {}

std::string PolarsExpressions::parameter(engine::Parameter value, std::string_view type) {
  parameters_.push_back(std::move(value));
  // With its type, because a placeholder on its own has none until it is bound.
  return "CAST($" + std::to_string(parameters_.size()) + " AS " + std::string(type) + ")";
}

Result<PolarsValue> PolarsExpressions::column(std::string_view name) {
  const auto found = std::find_if(relation_.columns.begin(), relation_.columns.end(),
                                  [name](const PolarsColumn& column) { return column.name == name; });
  if (found == relation_.columns.end()) {
    std::vector<std::string> names;
    for (const PolarsColumn& column : relation_.columns) names.push_back(column.name);
    return unknown_column(name, names);
  }
  return PolarsValue{.sql = engine::quote_name(name),
                     .kind = found->kind,
                     .temporal_type = found->temporal_type,
                     .name = std::string(name)};
}

Result<PolarsValue> PolarsExpressions::compile_or_column(const PolarsNode& node) {
  return node.kind == PolarsKind::kText ? column(node.text) : compile(node);
}

Result<PolarsValue> PolarsExpressions::compile(const PolarsNode& node) {
  SLUICE_TRY(PolarsValue value, compile_part(node));
  // Some operators use an operand more than once, and they nest.
  if (value.sql.size() > kExpressionSqlBytesMax) {
    return expression_too_large("bytes of SQL", kExpressionSqlBytesMax);
  }
  return value;
}

Result<PolarsValue> PolarsExpressions::compile_part(const PolarsNode& node) {
  switch (node.kind) {
    case PolarsKind::kInteger:
    case PolarsKind::kWideInteger:
    case PolarsKind::kFloat:
    case PolarsKind::kText:
    case PolarsKind::kBool:
    case PolarsKind::kNone:
      return literal(node);
    case PolarsKind::kUnary:
      return unary(node);
    case PolarsKind::kBinary:
      return binary(node);
    case PolarsKind::kCall:
      return call(node);
    case PolarsKind::kName:
      return invalid_expression(node.position, "unknown name: " + node.text,
                                "Columns are pl.col(\"name\"), and text is in quotes.");
    case PolarsKind::kAttribute:
      return invalid_expression(node.position, "not a call: " + node.text, "Add its brackets.");
    case PolarsKind::kList:
      return invalid_expression(node.position, "a list has no place here");
  }
  return invalid_expression(node.position, "not an expression");
}

Result<PolarsValue> PolarsExpressions::literal(const PolarsNode& node) {
  PolarsValue value{.name = "literal"};
  switch (node.kind) {
    case PolarsKind::kInteger:
      value.kind = ValueKind::kInteger;
      value.sql = parameter(node.integer, "BIGINT");
      return value;
    case PolarsKind::kWideInteger:
      value.kind = ValueKind::kInteger;
      value.sql = parameter(node.text, "HUGEINT");
      return value;
    case PolarsKind::kFloat:
      value.kind = ValueKind::kFloat;
      value.sql = parameter(node.number, "DOUBLE");
      return value;
    case PolarsKind::kText:
      value.kind = ValueKind::kText;
      value.sql = parameter(node.text, "VARCHAR");
      return value;
    case PolarsKind::kBool:
      value.kind = ValueKind::kBool;
      value.sql = parameter(node.integer != 0, "BOOLEAN");
      return value;
    case PolarsKind::kNone:
      value.kind = ValueKind::kNull;
      value.sql = "NULL";
      return value;
    default:
      return invalid_expression(node.position, "not a plain value");
  }
}

Result<PolarsValue> PolarsExpressions::call(const PolarsNode& node) {
  const PolarsNode& callee = node.children[0];
  if (is_of_polars(callee)) return of_polars(node, callee.text);
  if (callee.kind == PolarsKind::kAttribute && callee.children[0].kind == PolarsKind::kAttribute &&
      callee.children[0].text == "str") {
    return text_method(node, callee.text);
  }
  if (callee.kind == PolarsKind::kAttribute) return method(node, callee.text);
  return invalid_expression(node.position, "unknown function: " + callee.text,
                            "Functions are pl.col, pl.lit and pl.len; the rest are methods of expressions.");
}

Result<PolarsValue> PolarsExpressions::of_polars(const PolarsNode& node, const std::string& name) {
  PolarsArguments arguments(node);
  const PolarsNode* first = arguments.next();
  if (!is_aggregate(name)) SLUICE_CHECK(arguments.finish());
  if ((name == "len" || name == "count") && first == nullptr) {
    PolarsValue rows = count_rows();
    rows.name = name;
    return rows;
  }
  if (name == "lit" && first != nullptr) return literal(*first);
  if (name == "col" || is_aggregate(name)) {  // pl.sum("x") is pl.col("x").sum().
    if (first == nullptr || first->kind != PolarsKind::kText) {
      return invalid_expression(node.position, "pl." + name + " takes the name of one column here");
    }
    if (is_aggregate(name)) return aggregate(node, name, *first);
    return column(first->text);
  }
  return unknown_name(node.position, "pl." + name, name, kEntries);
}

}  // namespace sluice::expression
