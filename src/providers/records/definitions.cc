#include "definitions.h"

#include <algorithm>
#include <utility>

namespace sluice::records_provider {

namespace {

json::Array array_of(std::vector<std::string> names) {
  json::Array out;
  for (std::string& name : names) out.emplace_back(std::move(name));
  return out;
}

}  // namespace

ToolDefinition define(ToolText text, protocol::ToolAnnotations annotations, ToolFunction function) {
  json::Object input{
      {"type", "object"}, {"properties", std::move(text.properties)}, {"additionalProperties", false}};
  if (!text.required.empty()) input.set("required", array_of(std::move(text.required)));
  ToolDefinition out;
  out.tool.name = std::move(text.name);
  out.tool.title = std::move(text.title);
  out.tool.description = std::move(text.description);
  out.tool.input_schema = std::move(input);
  out.tool.output_schema = json::Object{{"type", "object"}, {"required", array_of(std::move(text.answers))}};
  out.tool.annotations = std::move(annotations);
  out.function = function;
  return out;
}

std::vector<ToolDefinition> tool_definitions(const Offer& offer) {
  std::vector<ToolDefinition> out;
  add_read_definitions(out, offer);
  add_write_definitions(out, offer);
  std::sort(out.begin(), out.end(),
            [](const ToolDefinition& a, const ToolDefinition& b) { return a.tool.name < b.tool.name; });
  return out;
}

}  // namespace sluice::records_provider
