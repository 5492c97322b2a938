#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/json/value.h"
#include "sluice/protocol/jsonrpc/message.h"
#include "sluice/protocol/model/annotations.h"
#include "sluice/protocol/model/ask.h"
#include "sluice/protocol/model/completion.h"
#include "sluice/protocol/model/log_level.h"
#include "sluice/protocol/model/prompt.h"
#include "sluice/protocol/revision.h"
#include "sluice/protocol/wire/params.h"

// What a client sends, in the words of a revision, and how a server introduces itself.
namespace sluice::protocol {

inline constexpr std::int64_t kHeaderMismatchCode = -32020;
inline constexpr std::int64_t kMissingCapabilityCode = -32021;
inline constexpr std::int64_t kUnsupportedVersionCode = -32022;

// Errors that only servers of the modern era give. Anything else says nothing about the era.
constexpr bool is_modern_error(std::int64_t code) {
  return code == kHeaderMismatchCode || code == kMissingCapabilityCode || code == kUnsupportedVersionCode;
}

// What a client says of itself with every request of the modern era; texts are JSON.
struct ClientStyle {
  Revision revision = kNewest;
  std::string info;
  std::string capabilities;
  std::optional<LogLevel> log_level;
};

ClientStyle client_style(const Implementation& info, const ClientCapabilities& capabilities,
                         std::optional<LogLevel> log_level, Revision revision);

// A whole request. Keys of `meta` that belong to the protocol are left out; the progress token is the id.
struct RequestText {
  const RequestId& id;
  std::string_view method;
  const json::Object& params;
  const json::Object& meta;
  bool wants_progress = false;
};
std::string client_request(const RequestText& request, const ClientStyle& style);

// The params of single methods.
std::string initialize_params(const ClientStyle& style);
json::Object call_tool_params(const std::string& name, const json::Object& arguments);
json::Object get_prompt_params(const std::string& name, const PromptArguments& arguments);
json::Object complete_params(const CompletionRequest& request);
json::Object listen_params(const ListenParams& wanted);

// A server's introduction: the result of server/discover or of initialize.
struct Introduction {
  std::vector<std::string> versions;  // One after `initialize`: the one that the server chose.
  Implementation implementation;
  std::string instructions;
  json::Object capabilities;
};
Result<Introduction> decode_discover(const json::Object& result);
Result<Introduction> decode_initialize_result(const json::Object& result);
// From the data of an error -32022; empty where it names none.
std::vector<std::string> decode_supported_versions(const json::Value& error_data);

// A question of the server, and what it is answered with: a result as JSON text.
Result<QuestionBody> decode_question(std::string_view method, const json::Object& params);
std::string answer_result(const Answer& answer);
// The properties of an accepted form that have a default and no value get it.
void fill_defaults(const json::Value& schema, json::Object& content);

// The subscription that a notification belongs to; nothing where it names none.
std::optional<RequestId> decode_subscription_id(const json::Object& params);
// Of notifications/subscriptions/acknowledged: what the server agreed to.
Result<ListenParams> decode_acknowledged(const json::Object& params);

}  // namespace sluice::protocol
