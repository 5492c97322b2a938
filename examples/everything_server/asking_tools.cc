#include "everything.h"

namespace everything {
namespace {

using ToolResult = Result<protocol::ToolResult>;

std::string_view to_string(protocol::ElicitAction action) {
  switch (action) {
    case protocol::ElicitAction::kAccept:
      return "accept";
    case protocol::ElicitAction::kDecline:
      return "decline";
    case protocol::ElicitAction::kCancel:
      return "cancel";
  }
  return "cancel";
}

std::string describe(const protocol::ElicitAnswer& answer) {
  return "action=" + std::string(to_string(answer.action)) + ", content=" + json::to_text(answer.content);
}

protocol::Sample sample(const std::string& prompt) {
  return protocol::Sample{
      .parameters = json::Object{
          {"messages", json::Array{json::Object{
                           {"role", "user"}, {"content", json::Object{{"type", "text"}, {"text", prompt}}}}}},
          {"maxTokens", 100}}};
}

std::string sampled_text(const protocol::Answer& answer) {
  const json::Value* content = std::get<protocol::SampleAnswer>(answer).result.find("content");
  const json::Value* text = content == nullptr ? nullptr : content->find("text");
  return text != nullptr && text->if_string() != nullptr ? *text->if_string() : "";
}

ToolResult sampling(const json::Object& arguments, Context& context) {
  SLUICE_TRY(const sluice::catalog::Answers answers,
             context.ask({{.key = "completion", .body = sample(*arguments.find("prompt")->if_string())}}));
  return protocol::text_result("LLM response: " + sampled_text(answers.at("completion")));
}

ToolResult elicitation(const json::Object& arguments, Context& context) {
  SLUICE_TRY(
      const protocol::ElicitAnswer answer,
      context.ask_form("user", {.message = *arguments.find("message")->if_string(), .schema = literal(R"({
    "type": "object",
    "properties": { "username": { "type": "string", "description": "User's response" }, "email": { "type": "string", "description": "User's email address" } },
    "required": ["username", "email"]
  })")}));
  return protocol::text_result("User response: " + describe(answer));
}

ToolResult elicitation_defaults(const json::Object&, Context& context) {
  SLUICE_TRY(const protocol::ElicitAnswer answer,
             context.ask_form("defaults", {.message = "Please review the form", .schema = literal(R"({
    "type": "object",
    "properties": {
      "name": { "type": "string", "description": "User name", "default": "John Doe" },
      "age": { "type": "integer", "description": "User age", "default": 30 },
      "score": { "type": "number", "description": "User score", "default": 95.5 },
      "status": { "type": "string", "description": "User status", "enum": ["active", "inactive", "pending"], "default": "active" },
      "verified": { "type": "boolean", "description": "Verification status", "default": true }
    },
    "required": []
  })")}));
  return protocol::text_result("Elicitation completed: " + describe(answer));
}

ToolResult elicitation_enums(const json::Object&, Context& context) {
  SLUICE_TRY(const protocol::ElicitAnswer answer,
             context.ask_form("enums", {.message = "Please choose", .schema = literal(R"({
    "type": "object",
    "properties": {
      "untitledSingle": { "type": "string", "enum": ["option1", "option2", "option3"] },
      "titledSingle": { "type": "string", "oneOf": [{ "const": "value1", "title": "First Option" }, { "const": "value2", "title": "Second Option" }, { "const": "value3", "title": "Third Option" }] },
      "legacyEnum": { "type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"] },
      "untitledMulti": { "type": "array", "items": { "type": "string", "enum": ["option1", "option2", "option3"] } },
      "titledMulti": { "type": "array", "items": { "anyOf": [{ "const": "value1", "title": "First Choice" }, { "const": "value2", "title": "Second Choice" }, { "const": "value3", "title": "Third Choice" }] } }
    },
    "required": []
  })")}));
  return protocol::text_result("Elicitation completed: " + describe(answer));
}

ToolResult streaming_elicitation(const json::Object&, Context& context) {
  context.progress({.done = 1, .total = 2, .message = "about to ask"});
  SLUICE_TRY(
      const protocol::ElicitAnswer answer,
      context.ask_form(
          "go_on", {.message = "Go on?",
                    .schema = literal(
                        R"({"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]})")}));
  return protocol::text_result("Streaming elicitation: " + describe(answer));
}

}  // namespace

void add_asking_tools(Registry& registry) {
  registry.add_tool(
      make_tool(
          "test_sampling", "Asks the client's model.",
          R"({"type":"object","properties":{"prompt":{"type":"string","description":"The prompt to send to the model"}},"required":["prompt"]})"),
      sampling);
  registry.add_tool(
      make_tool(
          "test_elicitation", "Asks the user for a name and an address.",
          R"({"type":"object","properties":{"message":{"type":"string","description":"The message to show the user"}},"required":["message"]})"),
      elicitation);
  registry.add_tool(make_tool("test_elicitation_sep1034_defaults", "Asks with default values."),
                    elicitation_defaults);
  registry.add_tool(make_tool("test_elicitation_sep1330_enums", "Asks with every kind of choice."),
                    elicitation_enums);
  registry.add_tool(make_tool("test_missing_capability", "Needs a client that can sample."),
                    [](const json::Object&, Context& context) -> ToolResult {
                      SLUICE_TRY(const sluice::catalog::Answers answers,
                                 context.ask({{.key = "completion", .body = sample("Say something.")}}));
                      return protocol::text_result(sampled_text(answers.at("completion")));
                    });
  registry.add_tool(make_tool("test_streaming_elicitation", "Reports progress, then asks."),
                    streaming_elicitation);
}

}  // namespace everything
