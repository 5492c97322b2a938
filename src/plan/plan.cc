#include "sluice/plan/plan.h"

#include <algorithm>
#include <utility>

#include "sluice/plan/overload.h"

namespace sluice::plan {

namespace {

using engine::Type;

NodePtr make(Node node) { return std::make_shared<const Node>(std::move(node)); }

Status check_columns(const Node& input, const std::vector<std::size_t>& columns) {
  const bool fit = std::all_of(columns.begin(), columns.end(),
                               [&](std::size_t column) { return column < input.columns.size(); });
  return fit ? Status() : internal_error("plan: a node uses a column that its input does not have");
}

bool has_type(const Argument& argument, const Type& type, const Columns& columns) {
  if (argument.column) return engine::sql_name(columns[*argument.column].type) == engine::sql_name(type);
  return !argument.constant || argument.constant->operand.place == Operand::Place::kEqual;
}

// `columns` are those that the call may use.
Status check_call(const ScalarCall& call, const Columns& columns) {
  for (const std::size_t column : columns_of(call)) {
    if (column >= columns.size()) return internal_error("plan: a call uses a column that is not before it");
  }
  const std::size_t arguments = call.arguments.size();
  if (is_date_function(call.function)) {
    if (arguments != 1 || !call.arguments.front().column)
      return internal_error("plan: a function of dates needs one column");
    const TypeClass type_class = class_of(columns[*call.arguments.front().column].type);
    const bool is_known = find_overload(function_of(call.function), type_class) != nullptr &&
                          call.type.id == date_result(call.function).id;
    return is_known ? Status() : internal_error("plan: a function of dates over another type");
  }
  const bool is_case = call.function == ScalarFunction::kCase;
  if (is_case ? call.conditions.empty() || call.conditions.size() + 1 != arguments : arguments < 2)
    return internal_error("plan: a call has too few or too many arguments");
  const bool fit = std::all_of(call.arguments.begin(), call.arguments.end(), [&](const Argument& argument) {
    return has_type(argument, call.type, columns);
  });
  return fit ? Status() : internal_error("plan: the arguments of a call have different types");
}

}  // namespace

NodePtr scan(std::string table, Columns columns) {
  return make({.op = Scan{.table = std::move(table)}, .columns = std::move(columns)});
}

Result<NodePtr> filter(NodePtr input, Condition condition) {
  if (condition.kind == Condition::Kind::kAlways) return input;
  SLUICE_CHECK(check_columns(*input, columns_of(condition)));
  Columns columns = input->columns;
  return make({.op = Filter{.input = std::move(input), .condition = std::move(condition)},
               .columns = std::move(columns)});
}

Result<NodePtr> project(NodePtr input, std::vector<std::size_t> columns, std::vector<std::string> names) {
  SLUICE_CHECK(check_columns(*input, columns));
  if (!names.empty() && names.size() != columns.size())
    return internal_error("plan: a projection has more or fewer names than columns");
  Columns out;
  for (const std::size_t column : columns) out.push_back(input->columns[column]);
  for (std::size_t i = 0; i < names.size(); ++i) out[i].name = names[i];
  return make(
      {.op = Project{.input = std::move(input), .columns = std::move(columns), .names = std::move(names)},
       .columns = std::move(out)});
}

Result<NodePtr> aggregate(NodePtr input, std::vector<std::size_t> keys, std::vector<AggregateCall> calls) {
  SLUICE_CHECK(check_columns(*input, keys));
  Columns out;
  for (const std::size_t key : keys) out.push_back(input->columns[key]);
  for (const AggregateCall& call : calls) {
    const bool counts_rows = call.function == AggregateFunction::kCountRows;
    if (!counts_rows) {
      SLUICE_CHECK(check_columns(*input, {call.column}));
    }
    out.push_back({.name = call.name,
                   .type = type_of(call.function, counts_rows ? Type{} : input->columns[call.column].type)});
  }
  return make({.op = Aggregate{.input = std::move(input), .keys = std::move(keys), .calls = std::move(calls)},
               .columns = std::move(out)});
}

Result<NodePtr> compute(NodePtr input, std::vector<ScalarCall> calls) {
  if (calls.empty()) return input;
  Columns columns = input->columns;
  for (const ScalarCall& call : calls) {
    SLUICE_CHECK(check_call(call, columns));
    columns.push_back({.name = call.name, .type = call.type});
  }
  return make(
      {.op = Compute{.input = std::move(input), .calls = std::move(calls)}, .columns = std::move(columns)});
}

NodePtr distinct(NodePtr input) {
  Columns columns = input->columns;
  return make({.op = Distinct{.input = std::move(input)}, .columns = std::move(columns)});
}

Result<NodePtr> first_of_each(NodePtr input, std::vector<std::size_t> keys) {
  SLUICE_CHECK(check_columns(*input, keys));
  Columns columns = input->columns;
  return make(
      {.op = FirstOfEach{.input = std::move(input), .keys = std::move(keys)}, .columns = std::move(columns)});
}

Result<NodePtr> sort(NodePtr input, std::vector<SortKey> keys, bool then_by_row) {
  for (const SortKey& key : keys) {
    SLUICE_CHECK(check_columns(*input, {key.column}));
  }
  if (keys.empty() && !then_by_row) return input;
  Columns columns = input->columns;
  return make({.op = Sort{.input = std::move(input), .keys = std::move(keys), .then_by_row = then_by_row},
               .columns = std::move(columns)});
}

NodePtr limit(NodePtr input, std::optional<std::uint64_t> rows, std::uint64_t offset) {
  if (!rows && offset == 0) return input;
  Columns columns = input->columns;
  return make({.op = Limit{.input = std::move(input), .rows = rows, .offset = offset},
               .columns = std::move(columns)});
}

NodePtr engine_query(std::string sql, std::vector<NodePtr> inputs) {
  return make({.op = EngineQuery{.sql = std::move(sql), .inputs = std::move(inputs)}, .columns = {}});
}

Result<NodePtr> join(JoinKind kind, NodePtr left, NodePtr right, std::vector<JoinKey> keys) {
  if (keys.empty()) return internal_error("plan: a join has no keys");
  for (const JoinKey& key : keys) {
    SLUICE_CHECK(check_columns(*left, {key.left}));
    SLUICE_CHECK(check_columns(*right, {key.right}));
    if (engine::sql_name(left->columns[key.left].type) != engine::sql_name(right->columns[key.right].type))
      return internal_error("plan: the keys of a join have different types");
  }
  Columns columns = left->columns;
  columns.insert(columns.end(), right->columns.begin(), right->columns.end());
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i].name = "c" + std::to_string(i);
  return make(
      {.op = Join{.kind = kind, .left = std::move(left), .right = std::move(right), .keys = std::move(keys)},
       .columns = std::move(columns)});
}

Result<NodePtr> set_operation(SetKind kind, bool all, NodePtr left, NodePtr right) {
  const Columns& columns = left->columns;
  const auto same_type = [](const engine::Field& a, const engine::Field& b) {
    return engine::sql_name(a.type) == engine::sql_name(b.type);
  };
  if (columns.empty() ||
      !std::equal(columns.begin(), columns.end(), right->columns.begin(), right->columns.end(), same_type))
    return internal_error("plan: the sides of a set operation have different types");
  Columns out = columns;
  return make(
      {.op = SetOperation{.kind = kind, .all = all, .left = std::move(left), .right = std::move(right)},
       .columns = std::move(out)});
}

Type type_of(AggregateFunction function, const Type& column) {
  return result_type(function_of(function), column);
}

const Node* input_of(const Node& node) {
  return std::visit(
      [](const auto& op) -> const Node* {
        using Op = std::decay_t<decltype(op)>;
        if constexpr (std::is_same_v<Op, Scan> || std::is_same_v<Op, Join> ||
                      std::is_same_v<Op, SetOperation>) {
          return nullptr;
        } else if constexpr (std::is_same_v<Op, EngineQuery>) {
          return op.inputs.empty() ? nullptr : op.inputs.front().get();
        } else {
          return op.input.get();
        }
      },
      node.op);
}

bool is_engine_query(const Node& node) {
  for (const Node* at = &node; at != nullptr; at = input_of(*at)) {
    if (std::holds_alternative<EngineQuery>(at->op)) return true;
  }
  return false;
}

bool has_join(const Node& node) {
  for (const Node* at = &node; at != nullptr; at = input_of(*at)) {
    if (std::holds_alternative<Join>(at->op) || std::holds_alternative<SetOperation>(at->op)) return true;
  }
  return false;
}

bool is_grouped(const Node& node) {
  for (const Node* at = &node; at != nullptr; at = input_of(*at)) {
    if (std::holds_alternative<Aggregate>(at->op)) return true;
  }
  return false;
}

}  // namespace sluice::plan
