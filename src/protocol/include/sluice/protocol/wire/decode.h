#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/json/value.h"
#include "sluice/protocol/jsonrpc/message.h"
#include "sluice/protocol/model/completion.h"
#include "sluice/protocol/model/log_level.h"
#include "sluice/protocol/model/prompt.h"
#include "sluice/protocol/model/resource.h"
#include "sluice/protocol/model/tool.h"
#include "sluice/protocol/wire/notifications.h"

// What a server answers, in the words of any revision. Strict about what is used; what is unknown is ignored.
// Schemas stay as they came.
namespace sluice::protocol {

Result<Tool> decode_tool(const json::Value& value);
Result<Resource> decode_resource(const json::Value& value);
Result<ResourceTemplate> decode_template(const json::Value& value);
Result<Prompt> decode_prompt(const json::Value& value);
// A block of a type that is not known becomes a text block with its JSON: nothing gets lost.
Result<Content> decode_content(const json::Value& value);
Result<ResourceContents> decode_contents(const json::Value& value);
Result<Implementation> decode_implementation(const json::Value& value);

// Results. A negative ttlMs counts as zero; one that is absent is kNoTtl: the server has said nothing.
Result<ToolResult> decode_call_result(const json::Object& result);
Result<ReadResult> decode_read_result(const json::Object& result);
Result<PromptResult> decode_prompt_result(const json::Object& result);
Result<Completion> decode_completion_result(const json::Object& result);
inline constexpr std::chrono::milliseconds kNoTtl{-1};
CacheHint decode_cache_hint(const json::Object& result);
Result<std::optional<std::string>> decode_next_cursor(const json::Object& result);

// The params of notifications/progress and notifications/message.
struct ProgressUpdate {
  RequestId token;
  Progress progress;
};
Result<ProgressUpdate> decode_progress(const json::Object& params);
struct LogEntry {
  LogLevel level = LogLevel::kInfo;
  std::string logger;
  json::Value data;
};
Result<LogEntry> decode_log(const json::Object& params);

}  // namespace sluice::protocol
