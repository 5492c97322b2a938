#include <algorithm>
#include <utility>

#include "sluice/base/base64.h"
#include "sluice/json/object_reader.h"
#include "sluice/protocol/wire/decode.h"

#include "wire/shared/decode_fields.h"

namespace sluice::protocol {
namespace {

Result<std::string> decode_bytes(const json::ObjectReader& in, std::string_view key) {
  SLUICE_TRY(const std::string text, in.required_string(key));
  std::optional<std::string> bytes = base64_decode(text);
  if (!bytes) return invalid_input(in.path_of(key) + ": expected base64");
  return *std::move(bytes);
}

Result<Content> decode_body(const json::ObjectReader& in, const std::string& type) {
  Content content;
  if (type == "text") {
    SLUICE_TRY(std::string text, in.required_string("text"));
    content.body = TextContent{std::move(text)};
  } else if (type == "image") {
    SLUICE_TRY(std::string bytes, decode_bytes(in, "data"));
    SLUICE_TRY(std::string mime_type, in.required_string("mimeType"));
    content.body = ImageContent{.bytes = std::move(bytes), .mime_type = std::move(mime_type)};
  } else if (type == "audio") {
    SLUICE_TRY(std::string bytes, decode_bytes(in, "data"));
    SLUICE_TRY(std::string mime_type, in.required_string("mimeType"));
    content.body = AudioContent{.bytes = std::move(bytes), .mime_type = std::move(mime_type)};
  } else if (type == "resource_link") {
    SLUICE_TRY(Resource resource, decode_resource_fields(in));
    content.body = ResourceLink{std::move(resource)};
  } else if (type == "resource") {
    SLUICE_TRY(const json::ObjectReader embedded, in.required_object("resource"));
    SLUICE_TRY(ResourceContents contents, decode_contents(json::Value(embedded.object())));
    content.body = EmbeddedResource{std::move(contents)};
  } else {
    content.body = TextContent{json::to_text(in.object())};
  }
  return content;
}

}  // namespace

Result<Content> decode_content(const json::Value& value) {
  SLUICE_TRY(const json::ObjectReader in, json::ObjectReader::of(value, "content"));
  SLUICE_TRY(const std::string type, in.required_string("type"));
  SLUICE_TRY(Content content, decode_body(in, type));
  SLUICE_TRY(content.annotations, decode_annotations(in));
  content.meta = decode_meta_field(in);
  return content;
}

Result<ResourceContents> decode_contents(const json::Value& value) {
  SLUICE_TRY(const json::ObjectReader in, json::ObjectReader::of(value, "contents"));
  ResourceContents contents;
  SLUICE_TRY(contents.uri, in.required_string("uri"));
  SLUICE_TRY(contents.mime_type, in.optional_string("mimeType"));
  SLUICE_TRY(std::optional<std::string> text, in.optional_string("text"));
  if (text) {
    contents.body = TextBody{*std::move(text)};
  } else {
    SLUICE_TRY(std::string bytes, decode_bytes(in, "blob"));
    contents.body = BlobBody{std::move(bytes)};
  }
  contents.meta = decode_meta_field(in);
  return contents;
}

Result<ToolResult> decode_call_result(const json::Object& result) {
  const json::ObjectReader in(result, "result");
  ToolResult decoded;
  SLUICE_TRY(const json::Array* content, in.optional_array("content"));
  if (content != nullptr) {
    for (const json::Value& item : *content) {
      SLUICE_TRY(Content block, decode_content(item));
      decoded.content.push_back(std::move(block));
    }
  }
  if (const json::Value* structured = in.find("structuredContent")) decoded.structured = *structured;
  if (content == nullptr && !decoded.structured)
    return invalid_input("result: neither content nor structuredContent is there");
  SLUICE_TRY(const std::optional<bool> is_error, in.optional_bool("isError"));
  decoded.is_error = is_error.value_or(false);
  decoded.meta = decode_meta_field(in);
  return decoded;
}

Result<ReadResult> decode_read_result(const json::Object& result) {
  const json::ObjectReader in(result, "result");
  ReadResult decoded;
  SLUICE_TRY(const json::Array* contents, in.required_array("contents"));
  for (const json::Value& item : *contents) {
    SLUICE_TRY(ResourceContents part, decode_contents(item));
    decoded.contents.push_back(std::move(part));
  }
  decoded.cache = decode_cache_hint(result);
  decoded.meta = decode_meta_field(in);
  return decoded;
}

Result<PromptResult> decode_prompt_result(const json::Object& result) {
  const json::ObjectReader in(result, "result");
  PromptResult decoded;
  SLUICE_TRY(decoded.description, in.optional_string("description"));
  SLUICE_TRY(const json::Array* messages, in.required_array("messages"));
  for (const json::Value& item : *messages) {
    SLUICE_TRY(const json::ObjectReader message, json::ObjectReader::of(item, "messages[]"));
    SLUICE_TRY(const std::string role, message.required_string("role"));
    const json::Value* content = message.find("content");
    if (content == nullptr) return invalid_input("messages[].content: required, but missing");
    SLUICE_TRY(Content block, decode_content(*content));
    decoded.messages.push_back(PromptMessage{.role = role == "assistant" ? Role::kAssistant : Role::kUser,
                                             .content = std::move(block)});
  }
  decoded.meta = decode_meta_field(in);
  return decoded;
}

Result<Completion> decode_completion_result(const json::Object& result) {
  SLUICE_TRY(const json::ObjectReader in, json::ObjectReader(result, "result").required_object("completion"));
  Completion completion;
  SLUICE_TRY(completion.values, in.optional_strings("values"));
  SLUICE_TRY(const std::optional<std::int64_t> total, in.optional_int("total"));
  if (total && *total >= 0) completion.total = static_cast<std::uint64_t>(*total);
  return completion;
}

CacheHint decode_cache_hint(const json::Object& result) {
  CacheHint hint;
  const json::Value* ttl = result.find("ttlMs");
  const json::Number* number = ttl == nullptr ? nullptr : ttl->if_number();
  hint.ttl = ttl == nullptr || ttl->is_null() ? kNoTtl : std::chrono::milliseconds(0);
  if (number != nullptr)
    hint.ttl = std::chrono::milliseconds(std::max<std::int64_t>(0, number->as_int64().value_or(0)));
  const json::Value* scope = result.find("cacheScope");
  hint.shared = scope != nullptr && scope->if_string() != nullptr && *scope->if_string() == "public";
  return hint;
}

Result<std::optional<std::string>> decode_next_cursor(const json::Object& result) {
  const json::Value* cursor = result.find("nextCursor");
  if (cursor == nullptr || cursor->is_null()) return std::optional<std::string>{};  // Some servers send null.
  return json::ObjectReader(result, "result").optional_string("nextCursor");
}

Result<ProgressUpdate> decode_progress(const json::Object& params) {
  const json::ObjectReader in(params, "params");
  const json::Value* token = in.find("progressToken");
  if (token == nullptr) return invalid_input("params.progressToken: required, but missing");
  ProgressUpdate update;
  SLUICE_TRY(update.token, parse_request_id(*token));
  SLUICE_TRY(const std::optional<double> done, in.optional_number("progress"));
  update.progress.done = done.value_or(0);
  SLUICE_TRY(update.progress.total, in.optional_number("total"));
  SLUICE_TRY(std::optional<std::string> message, in.optional_string("message"));
  if (message) update.progress.message = *std::move(message);
  return update;
}

Result<LogEntry> decode_log(const json::Object& params) {
  const json::ObjectReader in(params, "params");
  SLUICE_TRY(const std::string word, in.required_string("level"));
  const std::optional<LogLevel> level = parse_log_level(word);
  if (!level) return invalid_input("params.level: not a level of the protocol");
  LogEntry entry{.level = *level, .logger = {}, .data = {}};
  SLUICE_TRY(std::optional<std::string> logger, in.optional_string("logger"));
  if (logger) entry.logger = *std::move(logger);
  if (const json::Value* data = in.find("data")) entry.data = *data;
  return entry;
}

}  // namespace sluice::protocol
