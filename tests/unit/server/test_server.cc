#include "test_server.h"

#include <cstdlib>
#include <iostream>
#include <utility>

#include "wire_message.h"

namespace sluice::server::testing {

TestServer::TestServer(ServerOptions options, const std::function<void(Registry&)>& fill)
    : registry(std::make_shared<Registry>("test")) {
  if (fill) fill(*registry);
  Result<std::unique_ptr<Server>> made = Server::create(std::move(options), {registry});
  if (!made) {
    std::cerr << "no server: " << made.error().message << '\n';
    std::abort();
  }
  server = *std::move(made);
}

void TestServer::add_tool(std::string name, Registry::ToolHandler handler, std::string_view input_schema) {
  protocol::Tool tool;
  tool.name = std::move(name);
  tool.description = "A tool of the test";
  tool.input_schema = parse(input_schema);
  registry->add_tool(std::move(tool), std::move(handler));
}

void TestServer::add_tool(std::string name, std::string_view output_schema, Registry::ToolHandler handler) {
  protocol::Tool tool;
  tool.name = std::move(name);
  tool.output_schema = parse(output_schema);
  registry->add_tool(std::move(tool), std::move(handler));
}

void TestServer::add_task_tool(std::string name, Registry::ToolHandler handler) {
  protocol::Tool tool;
  tool.name = std::move(name);
  tool.task_support = protocol::TaskSupport::kOptional;
  registry->add_tool(std::move(tool), std::move(handler));
}

void TestServer::add_echo() {
  add_tool(
      "echo",
      [](const json::Object& arguments, Context&) -> Result<protocol::ToolResult> {
        return protocol::text_result(*arguments.find("text")->if_string());
      },
      R"({"type":"object","properties":{"text":{"type":"string"}},"required":["text"]})");
}

void TestServer::add_resource(std::string uri, std::string text) {
  protocol::Resource resource;
  resource.name = uri;
  resource.uri = std::move(uri);
  resource.mime_type = "text/plain";
  registry->add_resource(
      resource, [text = std::move(text)](const ResourceUri& asked, Context&) -> Result<protocol::ReadResult> {
        protocol::ResourceContents contents;
        contents.uri = asked.text();
        contents.mime_type = "text/plain";
        contents.body = protocol::TextBody{text};
        protocol::ReadResult result;
        result.contents.push_back(std::move(contents));
        return result;
      });
}

void TestServer::add_prompt(std::string name, std::string text) {
  protocol::Prompt prompt;
  prompt.name = std::move(name);
  registry->add_prompt(
      prompt,
      [text = std::move(text)](const protocol::PromptArguments&, Context&) -> Result<protocol::PromptResult> {
        protocol::PromptResult result;
        result.messages.push_back({.role = protocol::Role::kUser, .content = protocol::text_content(text)});
        return result;
      });
}

std::string describe(const protocol::ElicitAnswer& answer) {
  switch (answer.action) {
    case protocol::ElicitAction::kAccept:
      return "accept " + json::to_text(answer.content);
    case protocol::ElicitAction::kDecline:
      return "decline";
    case protocol::ElicitAction::kCancel:
      return "cancel";
  }
  return {};
}

protocol::ElicitForm name_form() {
  return {
      .message = "What is your name?",
      .schema = parse(R"({"type":"object","properties":{"name":{"type":"string"}},"required":["name"]})")};
}

protocol::Sample greeting_sample() {
  return {.parameters = *parse(R"({"messages":[{"role":"user","content":{"type":"text","text":"Greet me"}}],
                                   "maxTokens":100})")
                             .if_object()};
}

}  // namespace sluice::server::testing
