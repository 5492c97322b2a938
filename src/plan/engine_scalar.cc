#include "engine_scalar.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "sluice/plan/engine_sql.h"
#include "sluice/plan/overload.h"

namespace sluice::plan {

namespace {

class EngineScalars {
 public:
  EngineScalars(const Columns& columns, std::vector<engine::Parameter>& parameters)
      : columns_(columns), parameters_(parameters) {}

  std::string print(const ScalarCall& call) {
    if (call.function == ScalarFunction::kCase) return case_sql(call);
    std::string list;
    for (const Argument& argument : call.arguments)
      list += (list.empty() ? "" : ", ") + argument_sql(argument, call.type);
    const std::string_view name = name_of(function_of(call.function));
    if (call.function == ScalarFunction::kDateTrunc)
      return fmt::format("{}('{}', {})", name, name_of(call.part), list);
    return fmt::format("{}({})", name, list);
  }

 private:
  std::string case_sql(const ScalarCall& call) {
    std::string out = "CASE";
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      if (i < call.conditions.size())
        out += fmt::format(" WHEN {} THEN ", engine_condition(call.conditions[i], columns_, parameters_));
      else
        out += " ELSE ";
      out += argument_sql(call.arguments[i], call.type);
    }
    return out + " END";
  }

  std::string argument_sql(const Argument& argument, const engine::Type& type) {
    if (argument.column) return engine::quote_name(columns_[*argument.column].name);
    if (!argument.constant) return fmt::format("CAST(NULL AS {})", engine::sql_name(type));
    parameters_.emplace_back(argument.constant->operand.text);
    return fmt::format("CAST(${} AS {})", parameters_.size(), engine::sql_name(type));
  }

  const Columns& columns_;
  std::vector<engine::Parameter>& parameters_;
};

}  // namespace

std::vector<std::string> engine_scalars(const Node& compute, std::vector<engine::Parameter>& parameters) {
  std::vector<std::string> out;
  EngineScalars scalars(compute.columns, parameters);
  for (const ScalarCall& call : std::get<Compute>(compute.op).calls)
    out.push_back(fmt::format("{} AS {}", scalars.print(call), engine::quote_name(call.name)));
  return out;
}

}  // namespace sluice::plan
