#include "everything.h"

namespace everything {
namespace {

using ToolResult = Result<protocol::ToolResult>;
using sluice::catalog::Answers;

protocol::ElicitForm name_form(std::string message) {
  return {
      .message = std::move(message),
      .schema = literal(R"({"type":"object","properties":{"name":{"type":"string"}},"required":["name"]})")};
}

protocol::ElicitForm confirm_form() {
  return {.message = "Please confirm",
          .schema = literal(R"({"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]})")};
}

protocol::Sample sample(const std::string& prompt, int max_tokens) {
  return protocol::Sample{
      .parameters = json::Object{
          {"messages", json::Array{json::Object{
                           {"role", "user"}, {"content", json::Object{{"type", "text"}, {"text", prompt}}}}}},
          {"maxTokens", max_tokens}}};
}

std::string text_of(const json::Object& content, std::string_view key) {
  const json::Value* value = content.find(key);
  return value != nullptr && value->if_string() != nullptr ? *value->if_string() : "";
}

ToolResult basic_elicitation(const json::Object&, Context& context) {
  SLUICE_TRY(const protocol::ElicitAnswer answer,
             context.ask_form("user_name", name_form("What is your name?")));
  return protocol::text_result("Hello, " + text_of(answer.content, "name") + "!");
}

ToolResult basic_sampling(const json::Object&, Context& context) {
  SLUICE_TRY(
      const Answers answers,
      context.ask({{.key = "capital_question", .body = sample("What is the capital of France?", 100)}}));
  return protocol::text_result(
      json::to_text(std::get<protocol::SampleAnswer>(answers.at("capital_question")).result));
}

ToolResult basic_roots(const json::Object&, Context& context) {
  SLUICE_TRY(const Answers answers, context.ask({{.key = "client_roots", .body = protocol::ListRoots{}}}));
  std::string text = "Roots:";
  for (const protocol::Root& root : std::get<protocol::RootsAnswer>(answers.at("client_roots")).roots)
    text += " " + root.uri;
  return protocol::text_result(text);
}

ToolResult request_state(const json::Object&, Context& context) {
  SLUICE_TRY(const protocol::ElicitAnswer answer, context.ask_form("confirm", confirm_form()));
  return protocol::text_result(answer.action == protocol::ElicitAction::kAccept ? "state-ok" : "declined");
}

ToolResult multiple_inputs(const json::Object&, Context& context) {
  SLUICE_TRY(const Answers answers,
             context.ask({{.key = "user_name", .body = name_form("What is your name?")},
                          {.key = "greeting", .body = sample("Generate a greeting", 50)},
                          {.key = "client_roots", .body = protocol::ListRoots{}}}));
  return protocol::text_result("Got " + std::to_string(answers.size()) + " answers");
}

ToolResult multi_round(const json::Object&, Context& context) {
  SLUICE_TRY(const protocol::ElicitAnswer name,
             context.ask_form("step1", name_form("Step 1: What is your name?")));
  SLUICE_TRY(
      const protocol::ElicitAnswer color,
      context.ask_form(
          "step2",
          {.message = "Step 2: What is your favorite color?",
           .schema = literal(
               R"({"type":"object","properties":{"color":{"type":"string"}},"required":["color"]})")}));
  return protocol::text_result(text_of(name.content, "name") + " likes " + text_of(color.content, "color"));
}

// Asks only what this client can be asked.
ToolResult by_capability(const json::Object&, Context& context) {
  std::vector<protocol::Question> questions;
  for (protocol::Question& question :
       std::vector<protocol::Question>{{.key = "user_name", .body = name_form("What is your name?")},
                                       {.key = "greeting", .body = sample("Generate a greeting", 50)}}) {
    if (context.can_ask(question.body)) questions.push_back(std::move(question));
  }
  if (questions.empty()) return protocol::text_result("This client cannot be asked anything.");
  SLUICE_TRY(const Answers answers, context.ask(std::move(questions)));
  return protocol::text_result("Got " + std::to_string(answers.size()) + " answers");
}

}  // namespace

void add_retry_tools(Registry& registry) {
  registry.add_tool(make_tool("test_input_required_result_elicitation", "Asks for a name."),
                    basic_elicitation);
  registry.add_tool(make_tool("test_input_required_result_sampling", "Asks the client's model."),
                    basic_sampling);
  registry.add_tool(make_tool("test_input_required_result_list_roots", "Asks for the client's folders."),
                    basic_roots);
  registry.add_tool(make_tool("test_input_required_result_request_state", "Asks for a confirmation."),
                    request_state);
  registry.add_tool(make_tool("test_input_required_result_multiple_inputs", "Asks three things at once."),
                    multiple_inputs);
  registry.add_tool(make_tool("test_input_required_result_multi_round", "Asks twice, one after the other."),
                    multi_round);
  registry.add_tool(make_tool("test_input_required_result_tampered_state", "Asks for a confirmation."),
                    request_state);
  registry.add_tool(
      make_tool("test_input_required_result_capabilities", "Asks what the client can be asked."),
      by_capability);
}

}  // namespace everything
