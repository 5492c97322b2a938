#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/base/uri.h"
#include "sluice/json/value.h"
#include "sluice/protocol/jsonrpc/message.h"
#include "sluice/protocol/model/completion.h"
#include "sluice/protocol/model/prompt.h"

// The parameters of requests, decoded strictly where they are used; what is unknown is ignored.
namespace sluice::protocol {

struct ListParams {
  std::optional<std::string> cursor;
};
struct CallToolParams {
  std::string name;
  const json::Value* arguments;  // An object. Part of the parameters that it was decoded from.
};
struct GetPromptParams {
  std::string name;
  PromptArguments arguments;
};
// What a multi-round-trip retry brings along (modern era).
struct RetryParams {
  json::Object input_responses;  // Key to the client's result, each an object.
  std::optional<std::string> request_state;
};
struct ListenParams {
  bool tools_changed = false;
  bool prompts_changed = false;
  bool resources_changed = false;
  std::vector<std::string> resource_uris;
  std::vector<std::string> task_ids;
};

// A progress token is echoed as it came.
using ProgressToken = RequestId;

Result<ListParams> decode_list(const json::Object& params);
Result<CallToolParams> decode_call_tool(const json::Object& params);
Result<GetPromptParams> decode_get_prompt(const json::Object& params);
Result<ResourceUri> decode_uri(const json::Object& params);
Result<CompletionRequest> decode_complete(const json::Object& params);
Result<RetryParams> decode_retry(const json::Object& params);
Result<ListenParams> decode_listen(const json::Object& params);
Result<std::string> decode_task_id(const json::Object& params);
Result<json::Object> decode_input_responses(
    const json::Object& params);  // Required form, as in tasks/update.
// Of notifications/cancelled.
Result<RequestId> decode_cancelled_id(const json::Object& params);
// From _meta; nothing where there is none.
Result<std::optional<ProgressToken>> decode_progress_token(const json::Object& params);

}  // namespace sluice::protocol
