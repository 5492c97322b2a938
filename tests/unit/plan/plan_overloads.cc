#include "plan_overloads.h"

#include <fmt/format.h>

namespace sluice::plan::testing {

namespace {

using Classes = std::vector<TypeClass>;

// Follows the types of columns from the table to the root.
class Walk {
 public:
  explicit Walk(const Target& target) : target_(target) {}

  std::vector<const Overload*> take(const Node& plan) {
    (void)classes(plan);
    return std::move(out_);
  }

 private:
  void use(Function function, TypeClass argument) {
    if (const Overload* found = find_overload(function, argument); found != nullptr) out_.push_back(found);
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as a condition.
  void use(const Condition& condition, const Classes& input) {
    for (const Condition& part : condition.parts) use(part, input);
    const bool is_constant =
        condition.kind == Condition::Kind::kAlways || condition.kind == Condition::Kind::kNever;
    if (condition.parts.empty() && !is_constant) use(function_of(condition), input[condition.column]);
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as a plan.
  Classes classes(const Node& node) {
    const Node* input = input_of(node);
    if (input == nullptr) {
      Classes out;
      for (const engine::TableColumn& column : target_.layout.columns)
        out.push_back(class_of(column, target_.dialect));
      return out;
    }
    return std::visit([&, in = classes(*input)](const auto& op) { return yields(op, in); }, node.op);
  }

  template <typename Op>
  Classes yields(const Op& /*op*/, const Classes& input) {
    return input;
  }
  Classes yields(const Filter& op, const Classes& input) {
    use(op.condition, input);
    return input;
  }
  Classes yields(const Project& op, const Classes& input) {
    Classes out;
    for (const std::size_t column : op.columns) out.push_back(input[column]);
    return out;
  }
  Classes yields(const Aggregate& op, const Classes& input) {
    Classes out;
    for (const std::size_t key : op.keys) {
      use(Function::kGroupKey, input[key]);
      out.push_back(input[key]);
    }
    for (const AggregateCall& call : op.calls) {
      const bool counts_rows = call.function == AggregateFunction::kCountRows;
      use(function_of(call.function), counts_rows ? TypeClass::kNothing : input[call.column]);
      out.push_back(class_of(
          type_of(call.function, counts_rows ? engine::Type{} : op.input->columns[call.column].type)));
    }
    return out;
  }
  Classes yields(const Compute& op, Classes out) {
    for (const ScalarCall& call : op.calls) {
      for (const Condition& condition : call.conditions) use(condition, out);
      use(function_of(call.function),
          is_date_function(call.function) ? out[*call.arguments.front().column] : class_of(call.type));
      out.push_back(class_of(call.type));
    }
    return out;
  }
  Classes yields(const Distinct& /*op*/, const Classes& input) {
    for (const TypeClass argument : input) use(Function::kGroupKey, argument);
    return input;
  }
  Classes yields(const Sort& op, const Classes& input) {
    for (const SortKey& key : op.keys) use(Function::kSortKey, input[key.column]);
    return input;
  }

  const Target& target_;
  std::vector<const Overload*> out_;
};

}  // namespace

std::vector<const Overload*> overloads_of(const Node& plan, const Target& target) {
  return Walk(target).take(plan);
}

std::string name_of(const Overload& overload) {
  return fmt::format("{}({})", plan::name_of(overload.function), plan::name_of(overload.argument));
}

bool is_condition(Function function) { return function <= Function::kMatches; }

bool is_scalar(Function function) { return function > Function::kSortKey; }

bool is_aggregate(Function function) {
  return function > Function::kMatches && function < Function::kGroupKey;
}

}  // namespace sluice::plan::testing
