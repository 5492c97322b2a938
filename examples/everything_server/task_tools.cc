#include "everything.h"

namespace everything {
namespace {

using ToolResult = Result<protocol::ToolResult>;
using sluice::catalog::Answers;

protocol::Tool make_task_tool(std::string name, std::string description, std::string_view schema,
                              protocol::TaskSupport support) {
  protocol::Tool tool = make_tool(std::move(name), std::move(description), schema);
  tool.task_support = support;
  return tool;
}

ToolResult slow_compute(const json::Object& arguments, Context& context) {
  SLUICE_TRY([[maybe_unused]] const bool is_task, context.become_task());
  const json::Value* given = arguments.find("seconds");
  const double seconds = given == nullptr ? 1.0 : given->if_number()->as_double();
  if (!pause(context, std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000))))
    return sluice::cancelled();
  const json::Value* label = arguments.find("label");
  return protocol::text_result("Computed " +
                               (label != nullptr ? *label->if_string() : std::string("nothing")));
}

ToolResult failing_job(const json::Object&, Context& context) {
  constexpr std::chrono::seconds kWork{1};
  SLUICE_TRY([[maybe_unused]] const bool is_task, context.become_task());
  pause(context, kWork);
  return sluice::unavailable("This job always fails").with_code("job_failed");
}

ToolResult protocol_error_job(const json::Object&, Context& context) {
  SLUICE_TRY([[maybe_unused]] const bool is_task, context.become_task());
  return sluice::internal_error("The job broke");
}

protocol::ElicitForm confirm_form(std::string message) {
  return {.message = std::move(message),
          .schema = literal(
              R"({"type":"object","properties":{"confirm":{"type":"boolean"}},"required":["confirm"]})")};
}

ToolResult confirm_delete(const json::Object& arguments, Context& context) {
  SLUICE_TRY([[maybe_unused]] const bool is_task, context.become_task());
  const std::string filename = *arguments.find("filename")->if_string();
  SLUICE_TRY(const protocol::ElicitAnswer answer,
             context.ask_form("confirm", confirm_form("Delete " + filename + "?")));
  return protocol::text_result(answer.action == protocol::ElicitAction::kAccept ? "Deleted " + filename
                                                                                : "Kept " + filename);
}

ToolResult multi_input(const json::Object&, Context& context) {
  SLUICE_TRY([[maybe_unused]] const bool is_task, context.become_task());
  SLUICE_TRY(const Answers answers, context.ask({{.key = "first", .body = confirm_form("First?")},
                                                 {.key = "second", .body = confirm_form("Second?")}}));
  return protocol::text_result("Got " + std::to_string(answers.size()) + " answers");
}

// Gathers what it needs by retries, then goes on in the background.
ToolResult tool_with_task(const json::Object&, Context& context) {
  SLUICE_TRY(const protocol::ElicitAnswer answer,
             context.ask_form(
                 "user_name",
                 {.message = "What is your name?",
                  .schema = literal(
                      R"({"type":"object","properties":{"name":{"type":"string"}},"required":["name"]})")}));
  SLUICE_TRY([[maybe_unused]] const bool is_task, context.become_task());
  constexpr std::chrono::milliseconds kWork{100};
  if (!pause(context, kWork)) return sluice::cancelled();
  const json::Value* name = answer.content.find("name");
  return protocol::text_result("Worked for " +
                               (name != nullptr ? *name->if_string() : std::string("nobody")));
}

}  // namespace

void add_task_tools(Registry& registry) {
  constexpr std::string_view kNothing = R"({"type":"object","additionalProperties":false})";
  registry.add_tool(
      make_tool("greet", "Greets somebody by name.",
                R"({"type":"object","properties":{"name":{"type":"string"}},"required":["name"]})"),
      [](const json::Object& arguments, Context&) -> ToolResult {
        return protocol::text_result("Hello, " + *arguments.find("name")->if_string() + "!");
      });
  registry.add_tool(
      make_task_tool(
          "slow_compute", "Takes as long as it is told.",
          R"({"type":"object","properties":{"seconds":{"type":"number","minimum":0,"maximum":3600},"label":{"type":"string"}}})",
          protocol::TaskSupport::kOptional),
      slow_compute);
  registry.add_tool(make_task_tool("failing_job", "Always fails, after a second.", kNothing,
                                   protocol::TaskSupport::kRequired),
                    failing_job);
  registry.add_tool(
      make_task_tool("protocol_error_job", "Breaks.", kNothing, protocol::TaskSupport::kOptional),
      protocol_error_job);
  registry.add_tool(
      make_task_tool(
          "confirm_delete", "Asks before it pretends to delete.",
          R"({"type":"object","properties":{"filename":{"type":"string"}},"required":["filename"]})",
          protocol::TaskSupport::kOptional),
      confirm_delete);
  registry.add_tool(
      make_task_tool("multi_input", "Asks two things at once.", kNothing, protocol::TaskSupport::kOptional),
      multi_input);
  registry.add_tool(make_task_tool("test_tool_with_task", "Asks first, then works in the background.",
                                   kNothing, protocol::TaskSupport::kRequired),
                    tool_with_task);
}

}  // namespace everything
