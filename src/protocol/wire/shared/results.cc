#include "sluice/protocol/wire/results.h"

#include <algorithm>
#include <utility>

#include "sluice/base/limits.h"
#include "sluice/protocol/wire/definitions.h"
#include "sluice/protocol/wire/questions.h"

#include "wire/shared/fields.h"

namespace sluice::protocol {
namespace {

constexpr std::size_t kEnvelopeBytes =
    1024;  // What stands around the large parts of a result, with its message.

// Opens a result object, and closes it with what every result of the era carries.
class ResultWriter {
 public:
  explicit ResultWriter(const ResultStyle& style, std::string_view type = "complete") : style_(style) {
    out.begin_object();
    if (is_modern(style.revision)) out.field("resultType", type);
  }

  void cache(const CacheHint& hint) {
    if (!is_modern(style_.revision)) return;
    out.field("ttlMs", std::max<std::int64_t>(0, hint.ttl.count()))
        .field("cacheScope", hint.shared ? "public" : "private");
  }

  std::string close(const json::Object& meta = {}, std::string_view subscription_id = {}) && {
    if (is_modern(style_.revision)) {
      out.key("_meta").begin_object();
      for (const json::Member& member : meta) {
        if (member.key != kServerInfoKey) out.field(member.key, member.value);
      }
      if (!subscription_id.empty()) out.raw_field("io.modelcontextprotocol/subscriptionId", subscription_id);
      out.key(kServerInfoKey);
      encode(style_.server, style_.revision, out);
      out.end_object();
    } else if (!meta.empty()) {
      out.field("_meta", json::Value(meta));
    }
    out.end_object();
    return std::move(out).take();
  }

  json::Writer out;

 private:
  static constexpr std::string_view kServerInfoKey = "io.modelcontextprotocol/serverInfo";
  const ResultStyle& style_;  // Outlives this writer: both live in one function call.
};

template <typename Item>
std::string write_list(std::string_view key, const ListPage<Item>& page, const ResultStyle& style) {
  ResultWriter result(style);
  result.out.key(key).begin_array();
  for (const Item& item : page.items) encode(item, style.revision, result.out);
  result.out.end_array();
  result.out.field_if("nextCursor", page.next_cursor);
  result.cache(page.cache);
  return std::move(result).close();
}

void write_supported_versions(json::Writer& out) {
  out.key("supportedVersions").begin_array();
  for (const Revision revision : kAllRevisions) out.string(to_string(revision));
  out.end_array();
}

void write_questions(const std::vector<Question>& questions, Revision revision, json::Writer& out) {
  out.key("inputRequests").begin_object();
  for (const Question& question : questions) {
    out.key(question.key).begin_object().field("method", method_of(question.body));
    out.raw_field("params", question_params(question.body, revision)).end_object();
  }
  out.end_object();
}

std::string_view status_name(TaskStatus status) {
  switch (status) {
    case TaskStatus::kWorking:
      return "working";
    case TaskStatus::kInputRequired:
      return "input_required";
    case TaskStatus::kCompleted:
      return "completed";
    case TaskStatus::kFailed:
      return "failed";
    case TaskStatus::kCancelled:
      return "cancelled";
  }
  return "working";
}

void write_task(const TaskState& task, json::Writer& out) {
  out.field("taskId", task.id.text()).field("status", status_name(task.status));
  if (!task.status_message.empty()) out.field("statusMessage", task.status_message);
  out.field("createdAt", format_utc(task.created)).field("lastUpdatedAt", format_utc(task.updated));
  out.field("ttlMs", task.ttl.count()).field("pollIntervalMs", task.poll_interval.count());
}

void write_task_details(const TaskState& task, Revision revision, json::Writer& out) {
  write_task(task, out);
  if (task.status == TaskStatus::kInputRequired) write_questions(task.questions, revision, out);
  if (task.status == TaskStatus::kCompleted) out.raw_field("result", task.result);
  if (task.status == TaskStatus::kFailed) out.raw_field("error", task.error);
}

}  // namespace

std::string list_result(const ListPage<Tool>& page, const ResultStyle& style) {
  return write_list("tools", page, style);
}
std::string list_result(const ListPage<Resource>& page, const ResultStyle& style) {
  return write_list("resources", page, style);
}
std::string list_result(const ListPage<ResourceTemplate>& page, const ResultStyle& style) {
  return write_list("resourceTemplates", page, style);
}
std::string list_result(const ListPage<Prompt>& page, const ResultStyle& style) {
  return write_list("prompts", page, style);
}

std::string call_result(const ToolResult& tool_result, const ResultStyle& style) {
  ResultWriter result(style);
  std::size_t bytes = kEnvelopeBytes + tool_result.structured_text.size();
  for (const Content& content : tool_result.content) {
    // A quote takes two bytes, and JSON as text has many.
    if (const auto* text = std::get_if<TextContent>(&content.body)) bytes += text->text.size() * 5 / 4;
  }
  result.out.reserve(bytes);
  result.out.key("content").begin_array();
  for (const Content& content : tool_result.content) encode(content, style.revision, result.out);
  result.out.end_array();
  if (tool_result.structured && has_structured_content(style.revision) &&
      (has_any_structured_value(style.revision) || tool_result.structured->is_object())) {
    result.out.field("structuredContent", *tool_result.structured);
  } else if (!tool_result.structured_text.empty() && has_structured_content(style.revision)) {
    result.out.raw_field("structuredContent", tool_result.structured_text);
  }
  if (tool_result.is_error) result.out.field("isError", true);
  return std::move(result).close(tool_result.meta);
}

std::string read_result(const ReadResult& read, const ResultStyle& style) {
  ResultWriter result(style);
  result.out.key("contents").begin_array();
  for (const ResourceContents& contents : read.contents) encode(contents, result.out);
  result.out.end_array();
  result.cache(read.cache);
  return std::move(result).close(read.meta);
}

std::string prompt_result(const PromptResult& prompt, const ResultStyle& style) {
  ResultWriter result(style);
  result.out.field_if("description", prompt.description).key("messages").begin_array();
  for (const PromptMessage& message : prompt.messages) {
    result.out.begin_object().field("role", to_string(message.role)).key("content");
    encode(message.content, style.revision, result.out);
    result.out.end_object();
  }
  result.out.end_array();
  return std::move(result).close(prompt.meta);
}

std::string completion_result(const Completion& completion, const ResultStyle& style) {
  ResultWriter result(style);
  const std::size_t sent = std::min(completion.values.size(), kCompletionValuesMax);
  result.out.key("completion").begin_object().key("values").begin_array();
  for (std::size_t i = 0; i < sent; ++i) result.out.string(completion.values[i]);
  result.out.end_array().field_if("total", completion.total);
  result.out.field("hasMore", sent < completion.values.size() || sent < completion.total.value_or(0))
      .end_object();
  return std::move(result).close();
}

std::string empty_result(const ResultStyle& style) { return ResultWriter(style).close(); }

std::string discover_result(const ServerCapabilities& capabilities, std::string_view instructions,
                            const ResultStyle& style) {
  constexpr std::chrono::minutes kDiscoverTtl{5};
  ResultWriter result(style);
  write_supported_versions(result.out);
  result.out.key("capabilities");
  encode(capabilities, style.revision, result.out);
  if (!instructions.empty()) result.out.field("instructions", instructions);
  result.cache(CacheHint{.ttl = kDiscoverTtl, .shared = true});
  return std::move(result).close();
}

std::string initialize_result(const ServerCapabilities& capabilities, std::string_view instructions,
                              const ResultStyle& style) {
  json::Writer out;
  out.begin_object().field("protocolVersion", to_string(style.revision)).key("capabilities");
  encode(capabilities, style.revision, out);
  out.key("serverInfo");
  encode(style.server, style.revision, out);
  if (!instructions.empty()) out.field("instructions", instructions);
  out.end_object();
  return std::move(out).take();
}

std::string input_required_result(const std::vector<Question>& questions, std::string_view request_state,
                                  const ResultStyle& style) {
  ResultWriter result(style, "input_required");
  write_questions(questions, style.revision, result.out);
  result.out.field("requestState", request_state);
  return std::move(result).close();
}

std::string listen_closed_result(std::string_view subscription_id, const ResultStyle& style) {
  return ResultWriter(style).close({}, subscription_id);
}

std::string task_created_result(const TaskState& task, const ResultStyle& style) {
  ResultWriter result(style, "task");
  write_task(task, result.out);
  return std::move(result).close();
}

std::string task_result(const TaskState& task, const ResultStyle& style) {
  ResultWriter result(style);
  write_task_details(task, style.revision, result.out);
  return std::move(result).close();
}

std::string task_notification_params(const TaskState& task, std::string_view subscription_id,
                                     Revision revision) {
  json::Writer out;
  out.begin_object();
  write_task_details(task, revision, out);
  out.key("_meta")
      .begin_object()
      .raw_field("io.modelcontextprotocol/subscriptionId", subscription_id)
      .end_object();
  out.end_object();
  return std::move(out).take();
}

}  // namespace sluice::protocol
