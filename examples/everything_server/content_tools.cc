#include "everything.h"

namespace everything {
namespace {

using ToolResult = Result<protocol::ToolResult>;

protocol::ToolResult single(protocol::Content content) {
  protocol::ToolResult result;
  result.content.push_back(std::move(content));
  return result;
}

protocol::Content image() {
  return protocol::Content{.body =
                               protocol::ImageContent{.bytes = red_pixel_png(), .mime_type = "image/png"}};
}

protocol::Content embedded(std::string uri, std::string mime_type, std::string text) {
  return protocol::Content{
      .body = protocol::EmbeddedResource{.contents = {.uri = std::move(uri),
                                                      .mime_type = std::move(mime_type),
                                                      .body = protocol::TextBody{std::move(text)}}}};
}

ToolResult multiple_content(const json::Object&, Context&) {
  protocol::ToolResult result = protocol::text_result("Multiple content types test:");
  result.content.push_back(image());
  result.content.push_back(
      embedded("test://mixed-content-resource", "application/json", R"({"test":"data","value":123})"));
  return result;
}

ToolResult with_logging(const json::Object&, Context& context) {
  constexpr std::chrono::milliseconds kStep{50};
  context.log(protocol::LogLevel::kInfo, "everything", "Tool execution started");
  pause(context, kStep);
  context.log(protocol::LogLevel::kInfo, "everything", "Tool processing data");
  pause(context, kStep);
  context.log(protocol::LogLevel::kInfo, "everything", "Tool execution completed");
  return protocol::text_result("Tool with logging executed successfully");
}

ToolResult with_progress(const json::Object&, Context& context) {
  constexpr std::chrono::milliseconds kStep{50};
  for (const double done : {0.0, 50.0, 100.0}) {
    context.progress({.done = done,
                      .total = 100.0,
                      .message = "Completed step " + std::to_string(static_cast<int>(done)) + " of 100"});
    if (done < 100.0 && !pause(context, kStep)) return sluice::cancelled();
  }
  return protocol::text_result("Tool with progress executed successfully");
}

// Closes the connection in the middle of the call; a legacy client comes back for the result.
ToolResult reconnection(const json::Object&, Context& context) {
  constexpr std::chrono::milliseconds kAway{100};
  context.release_connection();
  pause(context, kAway);
  return protocol::text_result("Reconnection test completed successfully");
}

ToolResult resource_link(const json::Object&, Context&) {
  protocol::ToolResult result = protocol::text_result("See test://static-text");
  result.content.push_back(
      protocol::Content{.body = protocol::ResourceLink{.resource = {.uri = "test://static-text",
                                                                    .name = "static-text",
                                                                    .description = "A static text",
                                                                    .mime_type = "text/plain",
                                                                    .size = 48}}});
  return result;
}

// Says that it has begun, and works until it is cancelled.
ToolResult wait_forever(const json::Object&, Context& context) {
  constexpr std::chrono::seconds kLong{60};
  context.progress({.done = 0, .total = {}, .message = "waiting"});
  pause(context, kLong);
  return sluice::cancelled();
}

}  // namespace

void add_content_tools(Registry& registry) {
  registry.add_tool(
      make_tool("test_simple_text", "Returns a line of text."),
      [](const json::Object&, Context&) -> ToolResult {
        return protocol::text_result("This is a simple text response for testing.");
      },
      sluice::catalog::RunsOn::kReceivingThread);
  registry.add_tool(make_tool("test_image_content", "Returns an image."),
                    [](const json::Object&, Context&) -> ToolResult { return single(image()); });
  registry.add_tool(make_tool("test_audio_content", "Returns a sound."),
                    [](const json::Object&, Context&) -> ToolResult {
                      return single(protocol::Content{
                          .body = protocol::AudioContent{.bytes = silent_wav(), .mime_type = "audio/wav"}});
                    });
  registry.add_tool(make_tool("test_embedded_resource", "Returns an embedded resource."),
                    [](const json::Object&, Context&) -> ToolResult {
                      return single(embedded("test://embedded-resource", "text/plain",
                                             "This is an embedded resource content."));
                    });
  registry.add_tool(make_tool("test_multiple_content_types", "Returns text, an image and a resource."),
                    multiple_content);
  registry.add_tool(make_tool("test_resource_link", "Returns a link to a resource."), resource_link);
  registry.add_tool(make_tool("test_tool_with_logging", "Sends three log messages while it works."),
                    with_logging);
  registry.add_tool(make_tool("test_logging_tool", "Sends a log message if the caller wants to hear it."),
                    with_logging);
  registry.add_tool(make_tool("test_tool_with_progress", "Reports its progress."), with_progress);
  registry.add_tool(make_tool("test_error_handling", "Always fails."),
                    [](const json::Object&, Context&) -> ToolResult {
                      protocol::ToolResult result =
                          protocol::text_result("This tool intentionally returns an error for testing");
                      result.is_error = true;
                      return result;
                    });
  registry.add_tool(make_tool("test_reconnection", "Closes its stream in the middle of the call."),
                    reconnection);
  registry.add_tool(make_tool("test_wait", "Works for a minute, or until it is cancelled."), wait_forever);
}

}  // namespace everything
