#include "test_registry.h"

#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>

#include "sluice/json/reader.h"

namespace sluice::client::testing {
namespace {

using catalog::Context;
using catalog::Registry;
using protocol::ToolResult;

std::string text_of(const json::Object& arguments, const char* key) {
  const json::Value* value = arguments.find(key);
  return value != nullptr && value->if_string() != nullptr ? *value->if_string() : std::string();
}

std::int64_t number_of(const json::Object& arguments, const char* key) {
  const json::Value* value = arguments.find(key);
  return value != nullptr && value->if_number() != nullptr ? value->if_number()->as_int64().value_or(0) : 0;
}

protocol::Tool tool_of(const char* name, const char* schema = R"({"type":"object"})") {
  protocol::Tool tool;
  tool.name = name;
  tool.description = "A tool of the test.";
  tool.input_schema = *json::read(schema);
  return tool;
}

Result<ToolResult> wait_for_stop(Context& context) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  changed.wait(lock, context.stop(), [] { return false; });
  return cancelled();
}

Result<ToolResult> ask_name(Context& context) {
  protocol::ElicitForm form{
      .message = "Who are you?",
      .schema = *json::read(R"({"type":"object","properties":{"name":{"type":"string"},)"
                            R"("tone":{"type":"string","default":"kind"}},"required":["name"]})")};
  SLUICE_TRY(const protocol::ElicitAnswer answer, context.ask_form("name", std::move(form)));
  if (answer.action != protocol::ElicitAction::kAccept) return protocol::text_result("nobody");
  return protocol::text_result(text_of(answer.content, "name") + ", " + text_of(answer.content, "tone"));
}

void add_plain_tools(Registry& registry) {
  registry.add_tool(tool_of("echo"), [](const json::Object& arguments, Context&) -> Result<ToolResult> {
    return protocol::text_result(text_of(arguments, "text"));
  });
  registry.add_tool(tool_of("large"), [](const json::Object& arguments, Context&) -> Result<ToolResult> {
    return protocol::text_result(std::string(static_cast<std::size_t>(number_of(arguments, "bytes")), 'x'));
  });
  registry.add_tool(tool_of("fail"), [](const json::Object&, Context&) -> Result<ToolResult> {
    ToolResult result = protocol::text_result("it went wrong");
    result.is_error = true;
    return result;
  });
  registry.add_tool(tool_of("end"), [](const json::Object&, Context&) -> Result<ToolResult> { ::_exit(3); });
  registry.add_tool(
      tool_of("region",
              R"({"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}})"),
      [](const json::Object& arguments, Context&) -> Result<ToolResult> {
        return protocol::text_result(text_of(arguments, "region"));
      });
}

void add_lively_tools(const std::shared_ptr<Registry>& registry) {
  Registry* const self = registry.get();  // The handlers live within it.
  registry->add_tool(
      tool_of("steps"), [](const json::Object& arguments, Context& context) -> Result<ToolResult> {
        const std::int64_t count = number_of(arguments, "count");
        for (std::int64_t i = 1; i <= count; ++i)
          context.progress(
              {.done = static_cast<double>(i), .total = static_cast<double>(count), .message = "step"});
        return protocol::text_result("done");
      });
  registry->add_tool(tool_of("wait"),
                     [](const json::Object&, Context& context) { return wait_for_stop(context); });
  registry->add_tool(tool_of("ask"), [](const json::Object&, Context& context) { return ask_name(context); });
  registry->add_tool(
      tool_of("log"), [](const json::Object& arguments, Context& context) -> Result<ToolResult> {
        context.log(protocol::LogLevel::kWarning, "test", json::Value(text_of(arguments, "text")));
        return protocol::text_result("logged");
      });
  registry->add_tool(tool_of("touch"), [self](const json::Object& arguments, Context&) -> Result<ToolResult> {
    self->resource_changed(text_of(arguments, "uri"));
    return protocol::text_result("touched");
  });
  registry->add_tool(tool_of("grow"), [self](const json::Object&, Context&) -> Result<ToolResult> {
    self->add_tool(tool_of("grown"), [](const json::Object&, Context&) -> Result<ToolResult> {
      return protocol::text_result("grown");
    });
    return protocol::text_result("grown");
  });
  protocol::Tool background = tool_of("background");
  background.task_support = protocol::TaskSupport::kOptional;
  registry->add_tool(background, [](const json::Object&, Context& context) -> Result<ToolResult> {
    SLUICE_TRY(const bool is_task, context.become_task());
    SLUICE_TRY(const ToolResult asked, ask_name(context));
    const auto& name = std::get<protocol::TextContent>(asked.content.front().body).text;
    return protocol::text_result((is_task ? "task of " : "call of ") + name);
  });
}

void add_resources(Registry& registry) {
  const auto add = [&](const char* uri, const std::variant<protocol::TextBody, protocol::BlobBody>& body) {
    registry.add_resource(
        protocol::Resource{.uri = uri, .name = uri},
        [body](const ResourceUri& asked, Context&) -> Result<protocol::ReadResult> {
          protocol::ReadResult result;
          result.contents.push_back({.uri = asked.text(), .mime_type = {}, .body = body, .meta = {}});
          return result;
        });
  };
  add("test://plain", protocol::TextBody{"plain text"});
  add("test://bytes", protocol::BlobBody{std::string("\0\xff\x01", 3)});
  [[maybe_unused]] const Status added = registry.add_template(
      protocol::ResourceTemplate{.uri_template = "test://item/{name}", .name = "item"},
      [](const ResourceUri& uri, const TemplateValues&, Context&) -> Result<protocol::ReadResult> {
        protocol::ReadResult result;
        result.contents.push_back(
            {.uri = uri.text(), .mime_type = {}, .body = protocol::TextBody{"item"}, .meta = {}});
        return result;
      });
  registry.add_completion("test://item/{name}",
                          [](const protocol::CompletionRequest& request) -> Result<protocol::Completion> {
                            return protocol::Completion{.values = {request.typed + "1", request.typed + "2"}};
                          });
  protocol::Prompt greeting;
  greeting.name = "greeting";
  greeting.arguments = {{.name = "name", .title = {}, .description = {}, .required = true}};
  registry.add_prompt(
      greeting, [](const protocol::PromptArguments& arguments, Context&) -> Result<protocol::PromptResult> {
        protocol::PromptResult result;
        result.messages.push_back(
            {.role = protocol::Role::kUser,
             .content = protocol::text_content("Greet " + arguments.find("name")->second)});
        return result;
      });
}

}  // namespace

std::shared_ptr<Registry> make_test_registry() {
  auto registry = std::make_shared<Registry>("test");
  add_plain_tools(*registry);
  add_lively_tools(registry);
  add_resources(*registry);
  return registry;
}

server::ServerOptions test_server_options() {
  server::ServerOptions options;
  options.info = {.name = "test", .version = "1.0.0"};
  options.instructions = "Use it well.";
  return options;
}

}  // namespace sluice::client::testing
