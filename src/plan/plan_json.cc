#include <utility>

#include <fmt/format.h>

#include "sluice/json/writer.h"
#include "sluice/plan/overload.h"
#include "sluice/plan/plan.h"

namespace sluice::plan {

namespace {

std::string_view condition_name(Condition::Kind kind) {
  switch (kind) {
    case Condition::Kind::kAlways:
      return "always";
    case Condition::Kind::kNever:
      return "never";
    case Condition::Kind::kAnd:
      return "and";
    case Condition::Kind::kOr:
      return "or";
    case Condition::Kind::kIsNull:
      return "is_null";
    case Condition::Kind::kIsNotNull:
      return "is_not_null";
    case Condition::Kind::kCompare:
      return "compare";
    case Condition::Kind::kIn:
      return "in";
    case Condition::Kind::kContains:
      return "contains";
    case Condition::Kind::kStartsWith:
      return "starts_with";
    case Condition::Kind::kEndsWith:
      return "ends_with";
    case Condition::Kind::kNormalizedContains:
      return "normalized_contains";
    case Condition::Kind::kMatches:
      return "matches";
    case Condition::Kind::kNotTrue:
      return "not_true";
    case Condition::Kind::kHasElement:
      return "has_element";
    case Condition::Kind::kIsSimilar:
      return "is_similar";
  }
  return "";
}

std::string_view aggregate_name(AggregateFunction function) {
  switch (function) {
    case AggregateFunction::kCountRows:
      return "count_rows";
    case AggregateFunction::kCount:
      return "count";
    case AggregateFunction::kCountDistinct:
      return "count_distinct";
    case AggregateFunction::kMin:
      return "min";
    case AggregateFunction::kMax:
      return "max";
    case AggregateFunction::kSum:
      return "sum";
    case AggregateFunction::kAvg:
      return "avg";
    case AggregateFunction::kMedian:
      return "median";
    case AggregateFunction::kBoolAnd:
      return "bool_and";
    case AggregateFunction::kBoolOr:
      return "bool_or";
    case AggregateFunction::kSumOrZero:
      return "sum_or_zero";
    case AggregateFunction::kCountDistinctWithNull:
      return "count_distinct_with_null";
  }
  return "";
}

std::string_view set_kind_name(SetKind kind) {
  switch (kind) {
    case SetKind::kUnion:
      return "union";
    case SetKind::kExcept:
      return "except";
    case SetKind::kIntersect:
      return "intersect";
  }
  return "";
}

void write(json::Writer& out, const Condition& condition) {
  out.begin_object();
  out.field("is", condition_name(condition.kind));
  if (!condition.parts.empty()) {
    out.key("parts").begin_array();
    for (const Condition& part : condition.parts) write(out, part);
    out.end_array();
  } else if (condition.kind != Condition::Kind::kAlways && condition.kind != Condition::Kind::kNever) {
    out.field("column", condition.column);
  }
  if (condition.kind == Condition::Kind::kCompare)
    out.field("sign", comparison_with(condition.sign, Operand::Place::kEqual).sign);
  if (!condition.constants.empty()) {
    out.key("values").begin_array();
    for (const Constant& constant : condition.constants) out.value(constant.given);
    out.end_array();
  }
  if (!condition.text.empty()) out.field("text", condition.text);
  if (condition.ignores_case) out.field("ignores_case", true);
  if (condition.compares_text) out.field("compares_text", true);
  if (condition.kind == Condition::Kind::kIsSimilar) out.field("similarity", condition.similarity);
  out.end_object();
}

void write(json::Writer& out, std::string_view name, const std::vector<std::size_t>& positions) {
  out.key(name).begin_array();
  for (const std::size_t position : positions) out.number(static_cast<std::uint64_t>(position));
  out.end_array();
}

void write(json::Writer& out, const ScalarCall& call) {
  out.begin_object().field("function", name_of(function_of(call.function)));
  if (call.function == ScalarFunction::kDateTrunc) out.field("part", name_of(call.part));
  out.key("arguments").begin_array();
  for (const Argument& argument : call.arguments) {
    out.begin_object();
    if (argument.column) out.field("column", *argument.column);
    if (argument.constant) out.key("value").value(argument.constant->given);
    out.end_object();
  }
  out.end_array();
  if (!call.conditions.empty()) {
    out.key("when").begin_array();
    for (const Condition& condition : call.conditions) write(out, condition);
    out.end_array();
  }
  out.field("name", call.name).end_object();
}

// Writes the fields of one node; inputs are written by the caller.
struct FieldWriter {
  json::Writer& out;

  void operator()(const Scan& op) const { out.field("node", "scan").field("table", op.table); }
  void operator()(const Filter& op) const {
    out.field("node", "filter").key("condition");
    write(out, op.condition);
  }
  void operator()(const Project& op) const {
    out.field("node", "project");
    write(out, "columns", op.columns);
    if (op.names.empty()) return;
    out.key("names").begin_array();
    for (const std::string& name : op.names) out.value(name);
    out.end_array();
  }
  void operator()(const Aggregate& op) const {
    out.field("node", "aggregate");
    write(out, "keys", op.keys);
    out.key("calls").begin_array();
    for (const AggregateCall& call : op.calls) {
      out.begin_object().field("function", aggregate_name(call.function));
      if (call.function != AggregateFunction::kCountRows) out.field("column", call.column);
      out.field("name", call.name).end_object();
    }
    out.end_array();
  }
  void operator()(const Compute& op) const {
    out.field("node", "compute").key("calls").begin_array();
    for (const ScalarCall& call : op.calls) write(out, call);
    out.end_array();
  }
  void operator()(const Distinct& /*op*/) const { out.field("node", "distinct"); }
  void operator()(const FirstOfEach& op) const {
    out.field("node", "first_of_each");
    write(out, "keys", op.keys);
  }
  void operator()(const Sort& op) const {
    out.field("node", "sort").key("keys").begin_array();
    for (const SortKey& key : op.keys) {
      out.begin_object().field("column", key.column).field("descending", key.descending);
      if (key.nulls_first) out.field("nulls_first", true);
      if (!key.order.empty()) {
        out.key("order").begin_array();
        for (const std::string& value : key.order) out.value(value);
        out.end_array();
      }
      out.end_object();
    }
    out.end_array().field("then_by_row", op.then_by_row);
  }
  void operator()(const Limit& op) const {
    out.field("node", "limit").field_if("rows", op.rows).field("offset", op.offset);
  }
  void operator()(const Join& op) const {
    out.field("node", "join").field("kind", op.kind == JoinKind::kInner ? "inner" : "left");
    out.key("keys").begin_array();
    for (const JoinKey& key : op.keys)
      out.begin_object().field("left", key.left).field("right", key.right).end_object();
    out.end_array();
  }
  void operator()(const SetOperation& op) const {
    out.field("node", "set_operation").field("kind", set_kind_name(op.kind)).field("all", op.all);
  }
  void operator()(const EngineQuery& op) const { out.field("node", "engine_query").field("sql", op.sql); }
};

void write(json::Writer& out, const Node& node);

template <typename Op>
void write_sides(json::Writer& out, const Op& op) {
  out.key("left");
  write(out, *op.left);
  out.key("right");
  write(out, *op.right);
}

void write(json::Writer& out, const Node& node) {
  out.begin_object();
  std::visit(FieldWriter{out}, node.op);
  if (const auto* query = std::get_if<EngineQuery>(&node.op)) {
    out.key("inputs").begin_array();
    for (const NodePtr& input : query->inputs) write(out, *input);
    out.end_array();
  } else if (const auto* join = std::get_if<Join>(&node.op)) {
    write_sides(out, *join);
  } else if (const auto* set = std::get_if<SetOperation>(&node.op)) {
    write_sides(out, *set);
  } else if (const Node* input = input_of(node)) {
    out.key("input");
    write(out, *input);
  }
  out.key("columns").begin_array();
  for (const engine::Field& column : node.columns) {
    out.begin_object().field("name", column.name).field("type", engine::sql_name(column.type)).end_object();
  }
  out.end_array().end_object();
}

}  // namespace

std::string to_json(const Node& node) {
  json::Writer out;
  write(out, node);
  return std::move(out).take();
}

std::string to_json(const ScalarCall& call) {
  json::Writer out;
  write(out, call);
  return std::move(out).take();
}

}  // namespace sluice::plan
