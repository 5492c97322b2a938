#include <condition_variable>
#include <mutex>
#include <stop_token>

#include "sluice/host/run.h"
#include "sluice/json/reader.h"

#include "everything.h"

namespace everything {

json::Value literal(std::string_view text) { return json::read(text).value(); }

protocol::Tool make_tool(std::string name, std::string description, std::string_view schema) {
  protocol::Tool tool;
  tool.name = std::move(name);
  tool.description = std::move(description);
  tool.input_schema = literal(schema);
  return tool;
}

bool pause(Context& context, std::chrono::milliseconds duration) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, context.stop(), duration, [] { return false; });
  return !context.stop().stop_requested();
}

void add_changing_tools(const std::shared_ptr<Registry>& registry) {
  const std::weak_ptr<Registry> weak = registry;  // The registry owns the handlers.
  registry->add_tool(make_tool("test_trigger_tool_change", "Adds a tool, or takes it away again."),
                     [weak](const json::Object&, Context&) -> Result<protocol::ToolResult> {
                       const std::shared_ptr<Registry> self = weak.lock();
                       if (self == nullptr) return sluice::unavailable("the server is stopping");
                       if (!self->remove_tool("test_dynamic_tool")) {
                         self->add_tool(make_tool("test_dynamic_tool", "Comes and goes."),
                                        [](const json::Object&, Context&) -> Result<protocol::ToolResult> {
                                          return protocol::text_result("I am here.");
                                        });
                       }
                       return protocol::text_result("The list of tools has changed.");
                     });
  registry->add_tool(
      make_tool("test_trigger_prompt_change", "Adds a prompt, or takes it away again."),
      [weak](const json::Object&, Context&) -> Result<protocol::ToolResult> {
        const std::shared_ptr<Registry> self = weak.lock();
        if (self == nullptr) return sluice::unavailable("the server is stopping");
        if (!self->remove_prompt("test_dynamic_prompt")) {
          self->add_prompt(protocol::Prompt{.name = "test_dynamic_prompt", .description = "Comes and goes."},
                           [](const protocol::PromptArguments&, Context&) -> Result<protocol::PromptResult> {
                             return protocol::PromptResult{};
                           });
        }
        return protocol::text_result("The list of prompts has changed.");
      });
  registry->add_tool(
      make_tool("test_touch_resource", "Tells subscribers that test://watched-resource has changed."),
      [weak](const json::Object&, Context&) -> Result<protocol::ToolResult> {
        if (const std::shared_ptr<Registry> self = weak.lock())
          self->resource_changed("test://watched-resource");
        return protocol::text_result("touched");
      });
  registry->add_tool(
      make_tool(
          "test_add_resources", "Adds so many resources that their list has several pages.",
          R"({"type":"object","properties":{"count":{"type":"integer","minimum":1,"maximum":1000}},"required":["count"]})"),
      [weak](const json::Object& arguments, Context&) -> Result<protocol::ToolResult> {
        const std::shared_ptr<Registry> self = weak.lock();
        if (self == nullptr) return sluice::unavailable("the server is stopping");
        const auto count = static_cast<int>(arguments.find("count")->if_number()->as_double());
        for (int i = 0; i < count; ++i) {
          const std::string name = "many-" + std::to_string(i);
          self->add_resource(
              {.uri = "test://" + name, .name = name, .mime_type = "text/plain"},
              [name](const sluice::ResourceUri& uri, Context&) -> Result<protocol::ReadResult> {
                protocol::ReadResult result;
                result.contents.push_back(
                    {.uri = uri.text(), .mime_type = "text/plain", .body = protocol::TextBody{name}});
                return result;
              });
        }
        return protocol::text_result("added");
      });
}

}  // namespace everything

int main(int argc, char** argv) {
  auto registry = std::make_shared<everything::Registry>("everything");
  everything::add_content_tools(*registry);
  everything::add_asking_tools(*registry);
  everything::add_retry_tools(*registry);
  everything::add_task_tools(*registry);
  everything::add_schema_tools(*registry);
  everything::add_changing_tools(registry);
  everything::add_resources(*registry);
  everything::add_prompts(*registry);

  sluice::server::ServerOptions options;
  options.info = {.name = "everything", .version = "1.0.0", .title = "Everything"};
  options.instructions = "A server for tests: its tools show every feature of the protocol.";
  return sluice::host::run_main(argc, argv, std::move(options), {registry});
}
