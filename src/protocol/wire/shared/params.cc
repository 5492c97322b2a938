#include "sluice/protocol/wire/params.h"

#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/json/object_reader.h"

namespace sluice::protocol {
namespace {

Result<std::string> bounded_name(const json::ObjectReader& in, std::string_view key) {
  SLUICE_TRY(std::string name, in.required_string(key));
  if (name.size() > kNameBytesMax)
    return invalid_input(fmt::format("{}: longer than {} bytes", in.path_of(key), kNameBytesMax));
  return name;
}

Result<std::map<std::string, std::string, std::less<>>> string_map(const json::ObjectReader& in) {
  std::map<std::string, std::string, std::less<>> texts;
  for (const json::Member& member : in.object()) {
    const std::string* text = member.value.if_string();
    if (text == nullptr) {
      return invalid_input(fmt::format("{}: expected a string, got {}", in.path_of(member.key),
                                       json::to_string(member.value.type())));
    }
    texts.emplace(member.key, *text);
  }
  return texts;
}

Status require_objects(const json::ObjectReader& in) {
  for (const json::Member& member : in.object()) {
    if (!member.value.is_object()) {
      return invalid_input(fmt::format("{}: expected an object, got {}", in.path_of(member.key),
                                       json::to_string(member.value.type())));
    }
  }
  return {};
}

}  // namespace

Result<ListParams> decode_list(const json::Object& params) {
  SLUICE_TRY(std::optional<std::string> cursor,
             json::ObjectReader(params, "params").optional_string("cursor"));
  return ListParams{.cursor = std::move(cursor)};
}

Result<CallToolParams> decode_call_tool(const json::Object& params) {
  const json::ObjectReader in(params, "params");
  SLUICE_TRY(std::string name, bounded_name(in, "name"));
  SLUICE_TRY(const std::optional<json::ObjectReader> arguments, in.optional_object("arguments"));
  static const json::Value kNone = json::Object{};
  return CallToolParams{.name = std::move(name), .arguments = arguments ? params.find("arguments") : &kNone};
}

Result<GetPromptParams> decode_get_prompt(const json::Object& params) {
  const json::ObjectReader in(params, "params");
  SLUICE_TRY(std::string name, bounded_name(in, "name"));
  SLUICE_TRY(const std::optional<json::ObjectReader> arguments, in.optional_object("arguments"));
  GetPromptParams decoded{.name = std::move(name), .arguments = {}};
  if (arguments) {
    SLUICE_TRY(decoded.arguments, string_map(*arguments));
  }
  return decoded;
}

Result<ResourceUri> decode_uri(const json::Object& params) {
  SLUICE_TRY(const std::string text, json::ObjectReader(params, "params").required_string("uri"));
  return ResourceUri::parse(text);
}

Result<CompletionRequest> decode_complete(const json::Object& params) {
  const json::ObjectReader in(params, "params");
  SLUICE_TRY(const json::ObjectReader reference, in.required_object("ref"));
  SLUICE_TRY(const std::string type, reference.required_string("type"));
  CompletionRequest request;
  if (type == "ref/prompt") {
    SLUICE_TRY(std::string name, bounded_name(reference, "name"));
    request.reference = PromptReference{std::move(name)};
  } else if (type == "ref/resource") {
    SLUICE_TRY(std::string uri, reference.required_string("uri"));
    if (uri.size() > kTemplateBytesMax) return limit_reached("bytes in params.ref.uri", kTemplateBytesMax);
    request.reference = TemplateReference{std::move(uri)};
  } else {
    return invalid_input("params.ref.type: must be \"ref/prompt\" or \"ref/resource\"");
  }
  SLUICE_TRY(const json::ObjectReader argument, in.required_object("argument"));
  SLUICE_TRY(request.argument, bounded_name(argument, "name"));
  SLUICE_TRY(request.typed, argument.required_string("value"));
  SLUICE_TRY(const std::optional<json::ObjectReader> context, in.optional_object("context"));
  if (!context) return request;
  SLUICE_TRY(const std::optional<json::ObjectReader> resolved, context->optional_object("arguments"));
  if (resolved) {
    SLUICE_TRY(request.resolved, string_map(*resolved));
  }
  return request;
}

Result<json::Object> decode_input_responses(const json::Object& params) {
  SLUICE_TRY(const json::ObjectReader responses,
             json::ObjectReader(params, "params").required_object("inputResponses"));
  SLUICE_CHECK(require_objects(responses));
  return responses.object();
}

Result<RetryParams> decode_retry(const json::Object& params) {
  RetryParams retry;
  if (params.contains("inputResponses")) {
    SLUICE_TRY(retry.input_responses, decode_input_responses(params));
  }
  SLUICE_TRY(retry.request_state, json::ObjectReader(params, "params").optional_string("requestState"));
  return retry;
}

Result<ListenParams> decode_listen(const json::Object& params) {
  SLUICE_TRY(const json::ObjectReader filter,
             json::ObjectReader(params, "params").required_object("notifications"));
  ListenParams listen;
  SLUICE_TRY(const std::optional<bool> tools, filter.optional_bool("toolsListChanged"));
  SLUICE_TRY(const std::optional<bool> prompts, filter.optional_bool("promptsListChanged"));
  SLUICE_TRY(const std::optional<bool> resources, filter.optional_bool("resourcesListChanged"));
  SLUICE_TRY(listen.resource_uris, filter.optional_strings("resourceSubscriptions"));
  SLUICE_TRY(listen.task_ids, filter.optional_strings("taskIds"));
  listen.tools_changed = tools.value_or(false);
  listen.prompts_changed = prompts.value_or(false);
  listen.resources_changed = resources.value_or(false);
  return listen;
}

Result<std::string> decode_task_id(const json::Object& params) {
  return bounded_name(json::ObjectReader(params, "params"), "taskId");
}

Result<RequestId> decode_cancelled_id(const json::Object& params) {
  const json::Value* id = params.find("requestId");
  if (id == nullptr) return invalid_input("params.requestId: required, but missing");
  return parse_request_id(*id);
}

Result<std::optional<ProgressToken>> decode_progress_token(const json::Object& params) {
  SLUICE_TRY(const std::optional<json::ObjectReader> meta,
             json::ObjectReader(params, "params").optional_object("_meta"));
  if (!meta) return std::optional<ProgressToken>{};
  const json::Value* token = meta->find("progressToken");
  if (token == nullptr) return std::optional<ProgressToken>{};
  Result<RequestId> parsed = parse_request_id(*token);
  if (!parsed) return invalid_input("params._meta.progressToken: expected a string or an integer");
  return std::optional<ProgressToken>{*std::move(parsed)};
}

}  // namespace sluice::protocol
