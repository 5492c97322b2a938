#include "lean/defined_tools.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/expression/sql.h"

#include "lean/parameter_values.h"
#include "lean/statement.h"

namespace sluice::datasets::lean {

namespace {

using expression::SqlParameters;
using expression::SqlType;
using json::Array;
using json::Object;

constexpr std::chrono::milliseconds kWatcherWait = 4 * kWatchCoalesce;
constexpr std::chrono::milliseconds kValuesWait{250};
constexpr std::chrono::seconds kCheckTime{10};

std::string_view json_type(SqlType type) {
  switch (type) {
    case SqlType::kText:
    case SqlType::kDate:
      return "string";
    case SqlType::kInteger:
      return "integer";
    case SqlType::kNumber:
      return "number";
    case SqlType::kBoolean:
      return "boolean";
  }
  return "string";
}

Object schema_of(const ToolParameter& parameter, Array values) {
  Object out{{"type", json_type(parameter.type)}};
  if (parameter.type == SqlType::kDate) out.set("format", "date");
  if (!parameter.description.empty()) out.set("description", parameter.description);
  if (!values.empty()) out.set("enum", std::move(values));
  if (parameter.default_value) out.set("default", value_as_json(parameter.type, *parameter.default_value));
  return out;
}

// The values of a call, with defaults for what it does not give.
Result<SqlParameters> parameters_of(const DefinedTool& tool, const Object& arguments) {
  SqlParameters out;
  for (const ToolParameter& parameter : tool.parameters) {
    const json::Value* given = arguments.find(parameter.name);
    if (given == nullptr && parameter.is_required) {
      return invalid_input(fmt::format("{}: required, but missing", parameter.name))
          .with_code("invalid_arguments")
          .with_hint(fmt::format("Pass {} as {}.", parameter.name, json_type(parameter.type)));
    }
    std::optional<std::string> value = parameter.default_value;
    if (given != nullptr) {
      Result<std::string> read = value_from_json(parameter.type, *given);
      if (!read.ok())
        return invalid_input(fmt::format("{}: {}", parameter.name, read.error().message))
            .with_code("invalid_arguments");
      value = *std::move(read);
    }
    out.emplace(parameter.name, expression::SqlParameter{.type = parameter.type, .value = std::move(value)});
  }
  return out;
}

// Parameters that are there to be named, whatever their values.
SqlParameters names_of(const DefinedTool& tool) {
  SqlParameters out;
  for (const ToolParameter& parameter : tool.parameters)
    out.emplace(parameter.name, expression::SqlParameter{.type = parameter.type, .value = std::nullopt});
  return out;
}

class DefinedToolsProvider final : public catalog::Provider, public catalog::ToolProvider {
 public:
  DefinedToolsProvider(std::shared_ptr<const DatasetTools> dataset_tools, std::vector<DefinedTool> tools)
      : Provider({.name = "tools.define"}),
        dataset_tools_(std::move(dataset_tools)),
        tools_(std::move(tools)),
        values_(*dataset_tools_, tools_) {}

  catalog::ToolProvider* tools() override { return this; }
  void attach(catalog::ChangeSink& sink) override {
    values_.start([&sink] { sink.tools_changed(); });
  }

  std::vector<protocol::Tool> list_tools(const catalog::ListQuery& query) override {
    values_.wait(kValuesWait);
    std::vector<protocol::Tool> out;
    for (const DefinedTool& tool : tools_) {
      if (tool.name > query.after) out.push_back(definition_of(tool));
    }
    std::sort(out.begin(), out.end(),
              [](const protocol::Tool& a, const protocol::Tool& b) { return a.name < b.name; });
    if (out.size() > query.limit) out.resize(query.limit);
    return out;
  }

  Result<protocol::ToolResult> call(const std::string& name, const Object& arguments,
                                    catalog::Context& context) override {
    const auto tool =
        std::find_if(tools_.begin(), tools_.end(), [&](const DefinedTool& one) { return one.name == name; });
    if (tool == tools_.end()) return catalog::unknown_tool(name);
    const query::Inventory seen = dataset_tools_->inventory();
    Result<protocol::ToolResult> result = run(*tool, arguments, context);
    if (!result.ok() && result.error().kind == ErrorKind::kConflict) {
      // A file has changed since it was looked at; the watcher is about to notice.
      dataset_tools_->services().registry->wait_past(seen, kWatcherWait);
      result = run(*tool, arguments, context);
    }
    log::info("tool",
              {{"request", context.request_id()},
               {"principal", context.principal().id},
               {"tool", name},
               {"code", result.ok() ? std::string_view("ok") : std::string_view(result.error().code)}});
    return result;
  }

 private:
  protocol::Tool definition_of(const DefinedTool& tool) const {
    Object properties;
    Array required;
    for (const ToolParameter& parameter : tool.parameters) {
      properties.set(parameter.name, schema_of(parameter, values_.of(parameter)));
      if (parameter.is_required) required.emplace_back(parameter.name);
    }
    Object input{{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
    if (!required.empty()) input.set("required", std::move(required));
    protocol::Tool out;
    out.name = tool.name;
    out.description = tool.description;
    out.input_schema = std::move(input);
    out.annotations = protocol::ToolAnnotations{
        .title = {}, .read_only = true, .destructive = false, .idempotent = true, .open_world = false};
    return out;
  }

  Result<protocol::ToolResult> run(const DefinedTool& tool, const Object& arguments,
                                   catalog::Context& context) const {
    SLUICE_TRY(const SqlParameters parameters, parameters_of(tool, arguments));
    // The operator wrote the statements, and a caller has no argument to confirm a large answer with. Its
    // caps hold nevertheless.
    const Object confirmed{{"confirm", true}};
    std::vector<std::string> notes;
    const Budget budget = dataset_tools_->budget({}, notes);
    std::map<std::string, std::string, std::less<>> results;
    for (const ToolStep& step : tool.steps) {
      const bool is_last = &step == &tool.steps.back();
      StatementStyle style;
      style.is_step = !is_last;
      Result<StatementAnswer> answer = run_statement(
          *dataset_tools_,
          {.sql = step.sql, .parameters = &parameters, .declared = &tool.parameters, .results = &results},
          style, budget, confirmed, context);
      if (!answer.ok()) return std::move(answer).error();
      if (!is_last) {
        results.emplace(step.name, std::move(answer->handle));
        continue;
      }
      if (!answer->text.ends_with('\n')) answer->text += '\n';
      protocol::ToolResult out = protocol::text_result(std::move(answer->text));
      if (answer->link) out.content.push_back(*std::move(answer->link));
      out.meta.set("sluice/result", std::move(answer->meta));
      return out;
    }
    return internal_error("a defined tool has no statement");
  }

  const std::shared_ptr<const DatasetTools> dataset_tools_;  // Shared with the provider of the datasets.
  const std::vector<DefinedTool> tools_;
  ParameterValues values_;  // Last: its thread uses the dataset tools.
};

}  // namespace

Status check_defined_tools(const DatasetTools& dataset_tools, const std::vector<DefinedTool>& tools) {
  if (tools.empty()) return {};
  SLUICE_TRY(const std::shared_ptr<engine::Engine> engine, dataset_tools.services().engines->get());
  for (const DefinedTool& tool : tools) {
    const SqlParameters parameters = names_of(tool);
    for (const ToolStep& step : tool.steps) {
      const Status status = expression::check_select(
          *engine, step.sql, parameters, {.deadline = system_clock().now() + kCheckTime, .stop = {}});
      if (!status.ok())
        return invalid_input(fmt::format("{}: {}", step.place, status.error().message))
            .with_code("invalid_configuration")
            .with_hint(status.error().hint);
    }
  }
  return {};
}

std::shared_ptr<catalog::Provider> make_defined_tools(std::shared_ptr<const DatasetTools> dataset_tools,
                                                      std::vector<DefinedTool> tools) {
  return std::make_shared<DefinedToolsProvider>(std::move(dataset_tools), std::move(tools));
}

}  // namespace sluice::datasets::lean
