#include <exception>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/log.h"
#include "sluice/json/reader.h"
#include "sluice/json/writer.h"
#include "sluice/protocol/wire/modern.h"
#include "sluice/protocol/wire/params.h"

#include "call/call_context.h"
#include "methods/methods.h"

namespace sluice::server {
namespace {

// What went wrong, as the result of the tool: the model reads it and can do better. One compact object.
protocol::ToolResult error_result(const Error& error, const std::vector<json::SchemaProblem>& problems = {}) {
  json::Object body{{"error", error.message}, {"code", error.code}};
  if (!error.hint.empty()) body.set("hint", error.hint);
  if (!problems.empty()) {
    json::Array list;
    for (const json::SchemaProblem& problem : problems)
      list.push_back(json::Object{{"path", problem.path}, {"message", problem.message}});
    body.set("diagnostics", std::move(list));
  } else if (!error.data.empty()) {
    if (Result<json::Value> data = json::read(error.data); data) body.set("diagnostics", *std::move(data));
  }
  protocol::ToolResult result = protocol::text_result(json::to_text(body));
  result.is_error = true;
  return result;
}

protocol::ToolResult invalid_arguments(const catalog::ToolEntry& entry,
                                       const std::vector<json::SchemaProblem>& problems) {
  const json::SchemaProblem& first = problems.front();
  return error_result(
      invalid_input(fmt::format("{}: {}", first.path, first.message))
          .with_code("invalid_arguments")
          .with_hint(fmt::format("Correct the arguments of {} and call it again.", entry.tool.name)),
      problems);
}

// An error that belongs to the protocol rather than to the tool.
bool is_protocol_error(const Error& error, const Call& call) {
  switch (error.kind) {
    case ErrorKind::kInputRequired:
    case ErrorKind::kCancelled:
    case ErrorKind::kUnauthenticated:
    case ErrorKind::kInternal:
      return true;
    case ErrorKind::kMissingCapability:
      return call.modern();
    case ErrorKind::kInvalidInput:
    case ErrorKind::kNotFound:
    case ErrorKind::kForbidden:
    case ErrorKind::kLimitReached:
    case ErrorKind::kUnavailable:
    case ErrorKind::kConflict:
    case ErrorKind::kDeadline:
    case ErrorKind::kUnsupported:
      return false;
  }
  return true;
}

Status check_output(const catalog::ToolEntry& entry, const protocol::ToolResult& result) {
  if (!entry.output || result.is_error) return {};
  if (!result.structured && result.structured_text.empty())
    return internal_error(
        fmt::format("tool {} declares an output schema and returned no structured content", entry.tool.name));
  std::optional<json::Value> parsed = result.structured;
  if (!parsed) {
    SLUICE_TRY(parsed, json::read(result.structured_text,
                                  {.bytes_max = kReplyBytesMax, .values_max = kReplyBytesMax}));
  }
  const std::vector<json::SchemaProblem> problems = entry.output->validate(*parsed, "structuredContent");
  if (problems.empty()) return {};
  log::error(
      "tool.output_invalid",
      {{"tool", entry.tool.name}, {"path", problems.front().path}, {"problem", problems.front().message}});
  return internal_error(
      fmt::format("tool {} returned a result that does not fit its own output schema", entry.tool.name));
}

// What is thrown must not pass by the code that settles a task: nobody else would tell its owner.
Result<protocol::ToolResult> call_provider(const catalog::ToolEntry& entry, const json::Object& arguments,
                                           CallContext& context) {
  try {
    return entry.provider->call(entry.tool.name, arguments, context);
  } catch (const std::exception& failure) {
    log::error("tool.threw", {{"tool", entry.tool.name}, {"what", failure.what()}});
  } catch (...) {
    log::error("tool.threw", {{"tool", entry.tool.name}, {"what", "not a std::exception"}});
  }
  return internal_error(fmt::format("tool {} failed", entry.tool.name));
}

Result<protocol::ToolResult> run_tool(Core& core, const Call& call, const catalog::ToolEntry& entry,
                                      const json::Object& arguments, CallContext& context) {
  Result<protocol::ToolResult> result = call_provider(entry, arguments, context);
  if (result && core.options.check_outputs) SLUICE_CHECK(check_output(entry, *result));
  if (!result && !is_protocol_error(result.error(), call)) return error_result(result.error());
  return result;
}

// The work is done and nobody waits on a connection: the outcome becomes the task's.
void settle_task(Core& core, const Call& call, Task& task, const Result<protocol::ToolResult>& result) {
  if (result) {
    task.complete(protocol::call_result(*result, core.style(call)));
    return;
  }
  const protocol::WireError wire = protocol::modern::to_wire(result.error());
  json::Writer error;
  error.begin_object().field("code", wire.code).field("message", wire.message);
  if (!wire.data.empty()) error.raw_field("data", wire.data);
  error.end_object();
  task.fail(error.text());
}

}  // namespace

Result<std::string> list_tools(Core& core, const std::shared_ptr<Call>& call) {
  SLUICE_TRY(const protocol::ListParams params, protocol::decode_list(call->params));
  core.catalog->settle(call->stop.get_token());
  SLUICE_TRY(const protocol::ListPage<protocol::Tool> page,
             core.catalog->tools(params.cursor, call->principal));
  return protocol::list_result(page, core.style(*call));
}

RunsOn resolve_list(const Core& core, Call& /*call*/) {
  return core.catalog->is_settled() ? RunsOn::kReceivingThread : RunsOn::kWorker;
}

RunsOn resolve_tool(const Core& core, Call& call) {
  if (call.tool) return call.tool->entry ? (*call.tool->entry)->runs_on : RunsOn::kWorker;
  Result<protocol::CallToolParams> params = protocol::decode_call_tool(call.params);
  Result<std::shared_ptr<const catalog::ToolEntry>> entry =
      params ? core.catalog->find_tool(params->name) : params.error();
  const RunsOn runs_on = entry ? (*entry)->runs_on : RunsOn::kWorker;
  call.tool.emplace(NamedTool{.params = std::move(params), .entry = std::move(entry)});
  return runs_on;
}

Result<std::string> call_tool(Core& core, const std::shared_ptr<Call>& call) {
  SLUICE_TRY(const protocol::CallToolParams params, call->tool->params);
  Result<std::shared_ptr<const catalog::ToolEntry>>& found = call->tool->entry;
  if (!found.ok()) {  // Since it was looked up, its provider may have got to know it.
    core.catalog->settle(call->stop.get_token());
    found = core.catalog->find_tool(params.name);
  }
  SLUICE_TRY(const std::shared_ptr<const catalog::ToolEntry> entry, found);
  if (entry->tool.task_support == protocol::TaskSupport::kRequired &&
      !(call->modern() && call->client.tasks())) {
    return make_error(ErrorKind::kMissingCapability,
                      fmt::format("tool {} runs as a task only", entry->tool.name))
        .with_data(fmt::format(R"({{"extensions":{{"{}":{{}}}}}})", protocol::kTasksExtension));
  }
  if (const auto problems = entry->input.validate(*params.arguments, "arguments"); !problems.empty()) {
    return protocol::call_result(invalid_arguments(*entry, problems), core.style(*call));
  }
  SLUICE_TRY(const std::unique_ptr<CallContext> context, CallContext::create(core, call));
  Result<protocol::ToolResult> result =
      run_tool(core, *call, *entry, *params.arguments->if_object(), *context);
  if (context->task() != nullptr) {
    settle_task(core, *call, *context->task(), result);
    return std::string{};
  }
  if (!result && result.error().kind == ErrorKind::kInputRequired) return context->input_required();
  if (!result) return std::move(result).error();
  return protocol::call_result(*result, core.style(*call));
}

}  // namespace sluice::server
