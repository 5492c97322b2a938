#include "everything.h"

namespace everything {
namespace {

using ToolResult = Result<protocol::ToolResult>;

constexpr std::string_view kRichSchema = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "$defs": { "address": { "$anchor": "addressDef", "type": "object", "properties": { "street": { "type": "string" }, "city": { "type": "string" } } } },
  "properties": {
    "name": { "type": "string" },
    "address": { "$ref": "#/$defs/address" },
    "contactMethod": { "type": "string", "enum": ["phone", "email"] },
    "phone": { "type": "string" },
    "email": { "type": "string" }
  },
  "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
  "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
  "then": { "required": ["phone"] },
  "else": { "required": ["email"] },
  "additionalProperties": false
})";

protocol::Tool statistics_tool() {
  protocol::Tool tool = make_tool("test_structured_output", "Returns the sum and the mean of numbers.", R"({
    "type": "object",
    "properties": { "numbers": { "type": "array", "items": { "type": "number" }, "minItems": 1, "maxItems": 1000 } },
    "required": ["numbers"],
    "additionalProperties": false
  })");
  tool.title = "Sum and mean";
  tool.output_schema = literal(
      R"({"type":"object","properties":{"sum":{"type":"number"},"mean":{"type":"number"}},"required":["sum","mean"]})");
  tool.annotations = protocol::ToolAnnotations{
      .read_only = true, .destructive = false, .idempotent = true, .open_world = false};
  tool.icons.push_back(protocol::Icon{
      .src = "data:image/svg+xml;base64,PHN2Zy8+", .mime_type = "image/svg+xml", .sizes = {"any"}});
  return tool;
}

ToolResult statistics(const json::Object& arguments, Context&) {
  double sum = 0;
  const json::Array& numbers = *arguments.find("numbers")->if_array();
  for (const json::Value& number : numbers) sum += number.if_number()->as_double();
  return protocol::structured_result(
      json::Object{{"sum", sum}, {"mean", sum / static_cast<double>(numbers.size())}});
}

}  // namespace

void add_schema_tools(Registry& registry) {
  registry.add_tool(
      make_tool("json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features", kRichSchema),
      [](const json::Object& arguments, Context&) -> ToolResult {
        return protocol::text_result(json::to_text(arguments));
      });
  registry.add_tool(make_tool("test_header_parameters", "Mirrors arguments into HTTP headers.", R"({
    "type": "object",
    "properties": {
      "region": { "type": "string", "description": "Where to run", "x-mcp-header": "Region" },
      "shard": { "type": "integer", "x-mcp-header": "Shard" },
      "dry": { "type": "boolean", "x-mcp-header": "Dry" }
    },
    "required": ["region"]
  })"),
                    [](const json::Object& arguments, Context&) -> ToolResult {
                      return protocol::text_result("region=" + *arguments.find("region")->if_string());
                    });
  registry.add_tool(statistics_tool(), statistics);
  registry.add_tool(make_tool("test_echo_meta", "Returns the metadata of its request."),
                    [](const json::Object&, Context& context) -> ToolResult {
                      protocol::ToolResult result = protocol::structured_result(json::Value(context.meta()));
                      for (const std::string_view key : {"traceparent", "tracestate", "baggage"}) {
                        if (const json::Value* value = context.meta().find(key))
                          result.meta.set(std::string(key), *value);
                      }
                      return result;
                    });
}

}  // namespace everything
