// A complete MCP server: one tool and one resource, over stdio, or over HTTP with --http [HOST:]PORT.
#include <memory>
#include <string>

#include "sluice/catalog/registry.h"
#include "sluice/host/run.h"
#include "sluice/json/reader.h"

using namespace sluice;

int main(int argc, char** argv) {
  auto registry = std::make_shared<catalog::Registry>("hello");

  protocol::Tool greet;
  greet.name = "greet";
  greet.description = "Greets somebody by name.";
  greet.input_schema = *json::read(R"({
    "type": "object",
    "properties": { "name": { "type": "string", "description": "Whom to greet." } },
    "required": ["name"],
    "additionalProperties": false
  })");
  greet.annotations = protocol::ToolAnnotations{.read_only = true, .open_world = false};
  registry->add_tool(greet,
                     [](const json::Object& arguments, catalog::Context&) -> Result<protocol::ToolResult> {
                       return protocol::text_result("Hello, " + *arguments.find("name")->if_string() + "!");
                     });

  registry->add_resource(
      protocol::Resource{.uri = "hello://motto", .name = "motto", .mime_type = "text/plain"},
      [](const ResourceUri& uri, catalog::Context&) -> Result<protocol::ReadResult> {
        protocol::ReadResult result;
        result.contents.push_back(
            {.uri = uri.text(), .mime_type = "text/plain", .body = protocol::TextBody{"Small first."}});
        return result;
      });

  server::ServerOptions options;
  options.info = {.name = "hello", .version = "1.0.0"};
  return host::run_main(argc, argv, std::move(options), {registry});
}
