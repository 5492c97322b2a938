#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/expression/sql_parameters.h"
#include "sluice/json/value.h"

namespace sluice::datasets {

// An argument of a tool that the operator has defined.
struct ToolParameter {
  std::string name;
  std::string description;
  expression::SqlType type = expression::SqlType::kText;
  std::string table;                         // Its values are those of a column of this table; empty: any.
  std::string column;                        // That column.
  bool is_required = true;                   // Otherwise it has a default,
  std::optional<std::string> default_value;  // which is this. Nullopt: NULL.
};

struct ToolStep {
  std::string name;   // Under which later steps read its result. Empty for the last step.
  std::string sql;    // One SELECT, in which `$name` stands for a parameter.
  std::string place;  // Where the configuration says so, for errors: "sluice.yaml:12: tools.define[0].sql".
};

// A tool that the operator has defined: statements whose last one is answered as `query` answers it.
struct DefinedTool {
  std::string name;
  std::string description;
  std::vector<ToolParameter> parameters;
  std::vector<ToolStep> steps;  // At least one.
  std::optional<json::Object> example;
};

// The text of a parameter's value, as the configuration or a call has it. They fail with what was expected.
Result<std::string> parse_value(expression::SqlType type, std::string_view text);
Result<std::string> value_from_json(expression::SqlType type, const json::Value& value);
json::Value value_as_json(expression::SqlType type, const std::string& text);

}  // namespace sluice::datasets
