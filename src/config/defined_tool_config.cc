#include "defined_tool_config.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

namespace sluice::config {

namespace {

using datasets::DefinedTool;
using datasets::ToolParameter;
using datasets::ToolStep;
using expression::SqlType;

constexpr std::size_t kToolsMax = 200;  // No host shows more to a model.
constexpr std::size_t kParametersMax = 32;
constexpr std::size_t kStepsMax = 16;
constexpr std::size_t kIdentifierBytesMax = 64;
constexpr std::size_t kDescriptionBytesMax = 2'000;

constexpr std::array kTypes = {std::pair{std::string_view("string"), SqlType::kText},
                               std::pair{std::string_view("integer"), SqlType::kInteger},
                               std::pair{std::string_view("number"), SqlType::kNumber},
                               std::pair{std::string_view("boolean"), SqlType::kBoolean},
                               std::pair{std::string_view("date"), SqlType::kDate}};

bool is_identifier(std::string_view name) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !name.empty() && name.size() <= kIdentifierBytesMax && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

std::string not_a_name(std::string_view name) {
  return fmt::format("must be at most {} of a-z, 0-9 and _, beginning with a letter, got {}",
                     kIdentifierBytesMax, excerpt(name));
}

Result<std::string> read_description(YamlMap& section) {
  SLUICE_TRY(const std::optional<std::string> text, section.text("description"));
  if (text && text->size() > kDescriptionBytesMax)
    return section.error("description", fmt::format("more than {} bytes", kDescriptionBytesMax));
  return text.value_or("");
}

// airports.state: the column behind the last dot, of the table before it.
Status read_values_of(YamlMap& section, ToolParameter& parameter) {
  SLUICE_TRY(const std::optional<std::string> place, section.text("values_of"));
  if (!place) return {};
  const std::size_t dot = place->rfind('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 == place->size())
    return section.error(
        "values_of",
        fmt::format("expected a table and a column, such as airports.state, got {}", excerpt(*place)));
  if (parameter.type == SqlType::kBoolean)
    return section.error("values_of", "a boolean has no other values than true and false");
  parameter.table = place->substr(0, dot);
  parameter.column = place->substr(dot + 1);
  return {};
}

Result<std::string> read_typed(const YamlMap& section, std::string_view key, SqlType type,
                               const std::string& text) {
  Result<std::string> value = datasets::parse_value(type, text);
  if (!value.ok()) return section.error(key, value.error().message);
  return value;
}

Result<ToolParameter> read_parameter(YamlMap& map, const std::string& name) {
  if (!is_identifier(name)) return map.error(name, "a parameter's name " + not_a_name(name));
  SLUICE_TRY(std::optional<YamlMap> section, map.map(name));
  ToolParameter out;
  out.name = name;
  if (!section) return map.error(name, "expected a mapping, such as { type: string }");
  SLUICE_TRY(const std::string type, section->required_text("type"));
  const auto* const known =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& one) { return one.first == type; });
  if (known == kTypes.end())
    return section->error(
        "type", fmt::format("expected string, integer, number, boolean or date, got {}", excerpt(type)));
  out.type = known->second;
  SLUICE_TRY(out.description, read_description(*section));
  SLUICE_CHECK(read_values_of(*section, out));
  if (section->has("default")) {
    out.is_required = false;
    SLUICE_TRY(const std::optional<std::string> value, section->text("default"));
    if (value) {
      SLUICE_TRY(out.default_value, read_typed(*section, "default", out.type, *value));
    }
  }
  SLUICE_CHECK(section->finish());
  return out;
}

Status read_tool_parameters(YamlMap& section, DefinedTool& tool) {
  SLUICE_TRY(std::optional<YamlMap> map, section.map("parameters"));
  if (!map) return {};
  SLUICE_TRY(const std::vector<std::string> names, map->keys());
  if (names.size() > kParametersMax)
    return section.error("parameters", fmt::format("more than {} parameters", kParametersMax));
  for (const std::string& name : names) {
    SLUICE_TRY(ToolParameter parameter, read_parameter(*map, name));
    tool.parameters.push_back(std::move(parameter));
  }
  return map->finish();
}

// sql: one statement, or a list of { name, sql } of which the last is answered.
Status read_steps(YamlMap& section, DefinedTool& tool) {
  if (!section.is_list("sql")) {
    SLUICE_TRY(std::string sql, section.required_text("sql"));
    tool.steps.push_back({.name = {}, .sql = std::move(sql), .place = section.place("sql")});
    return {};
  }
  SLUICE_TRY(std::vector<YamlMap> steps, section.maps("sql"));
  if (steps.empty() || steps.size() > kStepsMax)
    return section.error("sql", fmt::format("expected 1 to {} statements", kStepsMax));
  std::set<std::string> names;
  for (YamlMap& step : steps) {
    ToolStep read;
    SLUICE_TRY(read.sql, step.required_text("sql"));
    read.place = step.place("sql");
    const bool is_last = &step == &steps.back();
    SLUICE_TRY(const std::optional<std::string> name, step.text("name"));
    if (!is_last && !name)
      return step.error("name", "required, but missing: the statements that follow read it");
    if (name && !is_identifier(*name)) return step.error("name", not_a_name(*name));
    if (name && !names.insert(*name).second)
      return step.error("name", fmt::format("another statement is called {}", *name));
    if (!is_last) read.name = *name;
    SLUICE_CHECK(step.finish());
    tool.steps.push_back(std::move(read));
  }
  return {};
}

Status read_example(YamlMap& section, DefinedTool& tool) {
  SLUICE_TRY(std::optional<YamlMap> map, section.map("example"));
  if (!map) return {};
  tool.example.emplace();
  for (const ToolParameter& parameter : tool.parameters) {
    SLUICE_TRY(const std::optional<std::string> value, map->text(parameter.name));
    if (!value) continue;
    SLUICE_TRY(const std::string text, read_typed(*map, parameter.name, parameter.type, *value));
    tool.example->set(parameter.name, datasets::value_as_json(parameter.type, text));
  }
  for (const ToolParameter& parameter : tool.parameters) {
    if (parameter.is_required && !tool.example->contains(parameter.name))
      return section.error("example", fmt::format("has no value for {}", parameter.name));
  }
  return map->finish();
}

Result<DefinedTool> read_tool(YamlMap& section) {
  DefinedTool out;
  SLUICE_TRY(out.name, section.required_text("name"));
  if (!is_identifier(out.name)) return section.error("name", not_a_name(out.name));
  SLUICE_TRY(out.description, read_description(section));
  if (out.description.empty())
    return section.error("description", "required, but missing: a model chooses tools by it");
  SLUICE_CHECK(read_tool_parameters(section, out));
  SLUICE_CHECK(read_steps(section, out));
  SLUICE_CHECK(read_example(section, out));
  SLUICE_CHECK(section.finish());
  return out;
}

}  // namespace

Result<std::vector<DefinedTool>> read_defined_tools(YamlMap& tools) {
  SLUICE_TRY(std::vector<YamlMap> sections, tools.maps("define"));
  if (sections.size() > kToolsMax)
    return tools.error("define", fmt::format("more than {} tools: {}", kToolsMax, sections.size()));
  std::vector<DefinedTool> out;
  std::set<std::string> names;
  for (YamlMap& section : sections) {
    SLUICE_TRY(DefinedTool tool, read_tool(section));
    if (!names.insert(tool.name).second)
      return section.error("name", fmt::format("another tool is called {}", tool.name));
    out.push_back(std::move(tool));
  }
  return out;
}

}  // namespace sluice::config
