#include "wire_schema.h"

#include <fstream>
#include <memory>
#include <mutex>
#include <sstream>
#include <utility>

#include <gtest/gtest.h>

#include "sluice/json/reader.h"
#include "sluice/json/schema.h"

#include "wire_message.h"

namespace sluice::server::testing {
namespace {

using protocol::Revision;

// The tasks extension has no schema in the specification's own: this is its Task, with the details that
// tasks/get and notifications/tasks add.
constexpr std::string_view kTask = R"({
  "type": "object",
  "required": ["taskId", "status", "createdAt", "lastUpdatedAt", "ttlMs"],
  "properties": {
    "taskId": { "type": "string", "minLength": 1 },
    "status": { "enum": ["working", "input_required", "completed", "cancelled", "failed"] },
    "statusMessage": { "type": "string" },
    "createdAt": { "type": "string", "format": "date-time" },
    "lastUpdatedAt": { "type": "string", "format": "date-time" },
    "ttlMs": { "type": ["integer", "null"] },
    "pollIntervalMs": { "type": "integer" }
  },
  "allOf": [
    { "if": { "properties": { "status": { "const": "completed" } } }, "then": { "required": ["result"], "properties": { "result": { "type": "object" } } } },
    { "if": { "properties": { "status": { "const": "failed" } } }, "then": { "required": ["error"], "properties": { "error": { "type": "object", "required": ["code", "message"] } } } },
    { "if": { "properties": { "status": { "const": "input_required" } } }, "then": { "required": ["inputRequests"], "properties": { "inputRequests": { "type": "object", "minProperties": 1 } } } }
  ]
})";

const json::Value& document(Revision revision) {
  static std::map<Revision, json::Value> documents;
  const auto known = documents.find(revision);
  if (known != documents.end()) return known->second;
  const std::string path =
      std::string(SLUICE_MCP_SCHEMA_DIR) + '/' + std::string(to_string(revision)) + ".json";
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(file.good()) << "open " << path;
  return documents.emplace(revision, parse(text.str())).first->second;
}

json::Schema compile(const json::Value& schema, std::string_view name) {
  Result<json::Schema> compiled = json::Schema::compile(schema, {.assert_formats = true});
  EXPECT_TRUE(compiled.ok()) << name << ": " << (compiled.ok() ? "" : compiled.error().message);
  return *std::move(compiled);
}

// One definition of a revision's schema. The document is kept whole for its references.
const json::Schema& definition(Revision revision, const std::string& name) {
  static std::map<std::pair<Revision, std::string>, std::unique_ptr<json::Schema>> compiled;
  std::unique_ptr<json::Schema>& schema = compiled[{revision, name}];
  if (schema == nullptr) {
    const json::Value& whole = document(revision);
    const std::string_view key = whole.find("$defs") != nullptr ? "$defs" : "definitions";
    EXPECT_NE(whole.find(key)->find(name), nullptr) << to_string(revision) << " has no " << name;
    json::Object wrapped = *whole.if_object();
    wrapped.set("allOf", json::Array{json::Object{{"$ref", "#/" + std::string(key) + "/" + name}}});
    schema = std::make_unique<json::Schema>(compile(json::Value(wrapped), name));
  }
  return *schema;
}

void hold_against(const json::Schema& schema, const json::Value& value, std::string_view root,
                  std::string_view name) {
  for (const json::SchemaProblem& problem : schema.validate(value, root)) {
    ADD_FAILURE() << "not a valid " << name << ": " << problem.path << ": " << problem.message << "\nin "
                  << json::to_text(value);
  }
}

void hold_against(Revision revision, const std::string& name, const json::Value& value,
                  std::string_view root) {
  hold_against(definition(revision, name), value, root, std::string(to_string(revision)) + ' ' + name);
}

void hold_against_task(const json::Value& value, std::string_view root) {
  static const json::Schema kSchema = compile(parse(kTask), "Task");
  hold_against(kSchema, value, root, "Task");
}

std::string_view text_of(const json::Object& object, std::string_view key) {
  const json::Value* value = object.find(key);
  return value != nullptr && value->if_string() != nullptr ? std::string_view(*value->if_string()) : "";
}

const std::map<std::string, std::string, std::less<>>& result_definitions() {
  static const std::map<std::string, std::string, std::less<>> kDefinitions{
      {"initialize", "InitializeResult"},
      {"server/discover", "DiscoverResult"},
      {"ping", "EmptyResult"},
      {"tools/list", "ListToolsResult"},
      {"tools/call", "CallToolResult"},
      {"resources/list", "ListResourcesResult"},
      {"resources/templates/list", "ListResourceTemplatesResult"},
      {"resources/read", "ReadResourceResult"},
      {"resources/subscribe", "EmptyResult"},
      {"resources/unsubscribe", "EmptyResult"},
      {"prompts/list", "ListPromptsResult"},
      {"prompts/get", "GetPromptResult"},
      {"completion/complete", "CompleteResult"},
      {"logging/setLevel", "EmptyResult"},
      {"subscriptions/listen", "SubscriptionsListenResult"},
      {"tasks/get", "Result"},
      {"tasks/update", "EmptyResult"},
      {"tasks/cancel", "EmptyResult"},
  };
  return kDefinitions;
}

void check_result(const json::Value& result, const std::string& method, Revision revision) {
  ASSERT_TRUE(result.is_object()) << json::to_text(result);
  const std::string_view type = text_of(*result.if_object(), "resultType");
  EXPECT_EQ(type.empty(), !protocol::is_modern(revision)) << "resultType in " << json::to_text(result);
  if (type == "input_required") {
    EXPECT_TRUE(method == "tools/call" || method == "resources/read" || method == "prompts/get") << method;
    return hold_against(revision, "InputRequiredResult", result, "result");
  }
  if (type == "task") {
    EXPECT_EQ(method, "tools/call");
    hold_against(revision, "Result", result, "result");
    return hold_against_task(result, "result");
  }
  if (method == "tasks/get") hold_against_task(result, "result");
  const auto known = result_definitions().find(method);
  ASSERT_NE(known, result_definitions().end()) << "a result for the unknown method " << method;
  hold_against(revision, known->second, result, "result");
}

// Before 2025-11-25 every error has an id, even one for a message whose id could not be read: there is none
// to give. This gives it one, so that the rest can be held against the schema.
json::Value with_some_id(json::Value error) {
  const std::int64_t code = WireMessage(error).code();
  if (error.find("id") == nullptr && (code == -32700 || code == -32600)) error.if_object()->set("id", 0);
  return error;
}

void check_error(const json::Object& message, Revision revision) {
  const json::Value whole(message);
  if (revision >= Revision::k2025_11_25) {
    hold_against(revision, "JSONRPCErrorResponse", whole, "message");
  } else {
    hold_against(revision, "JSONRPCError", with_some_id(whole), "message");
  }
  if (!protocol::is_modern(revision)) return;
  switch (WireMessage(whole).code()) {
    case -32020:
      return hold_against(revision, "HeaderMismatchError", whole, "message");
    case -32021:
      return hold_against(revision, "MissingRequiredClientCapabilityError", whole, "message");
    case -32022:
      return hold_against(revision, "UnsupportedProtocolVersionError", whole, "message");
    default:
      return;
  }
}

void check_notification(const json::Value& message, const std::string& method, Revision revision) {
  static const std::map<std::string, std::string, std::less<>> kDefinitions{
      {"notifications/progress", "ProgressNotification"},
      {"notifications/message", "LoggingMessageNotification"},
      {"notifications/cancelled", "CancelledNotification"},
      {"notifications/tools/list_changed", "ToolListChangedNotification"},
      {"notifications/prompts/list_changed", "PromptListChangedNotification"},
      {"notifications/resources/list_changed", "ResourceListChangedNotification"},
      {"notifications/resources/updated", "ResourceUpdatedNotification"},
      {"notifications/subscriptions/acknowledged", "SubscriptionsAcknowledgedNotification"},
  };
  hold_against(revision, "JSONRPCNotification", message, "message");
  if (method == "notifications/tasks")
    return hold_against_task(WireMessage(message).at({"params"}), "params");
  const auto known = kDefinitions.find(method);
  ASSERT_NE(known, kDefinitions.end()) << "an unknown notification: " << json::to_text(message);
  hold_against(revision, known->second, message, "message");
}

void check_request(const json::Value& message, const std::string& method, Revision revision) {
  static const std::map<std::string, std::string, std::less<>> kDefinitions{
      {"elicitation/create", "ElicitRequest"},
      {"sampling/createMessage", "CreateMessageRequest"},
      {"roots/list", "ListRootsRequest"},
  };
  ASSERT_FALSE(protocol::is_modern(revision))
      << "servers send no requests in this revision: " << json::to_text(message);
  const auto known = kDefinitions.find(method);
  ASSERT_NE(known, kDefinitions.end()) << "an unknown request: " << json::to_text(message);
  hold_against(revision, "JSONRPCRequest", message, "message");
  hold_against(revision, known->second, message, "message");
}

}  // namespace

void WireSchema::expect_answer(const std::string& id, std::string method, Revision revision) {
  asked_.insert_or_assign(id, Asked{std::move(method), revision});
}

void WireSchema::check(const json::Value& message, Revision revision) const {
  if (const json::Array* batch = message.if_array()) {
    json::Array with_ids;
    for (const json::Value& member : *batch) with_ids.push_back(with_some_id(member));
    hold_against(revision, "JSONRPCBatchResponse", json::Value(with_ids), "batch");
    for (const json::Value& member : *batch) check(member, revision);
    return;
  }
  ASSERT_TRUE(message.is_object()) << json::to_text(message);
  const json::Object& object = *message.if_object();
  const std::string method(text_of(object, "method"));
  if (method.empty()) return check_answer(object, revision);
  if (object.contains("id")) return check_request(message, method, revision);
  const bool subscribed =
      WireMessage(message).has({"params", "_meta", "io.modelcontextprotocol/subscriptionId"});
  check_notification(message, method, subscribed ? protocol::kNewest : revision);
}

void WireSchema::check_answer(const json::Object& message, Revision revision) const {
  const json::Value* id = message.find("id");
  const auto asked = id == nullptr ? asked_.end() : asked_.find(json::to_text(*id));
  const Revision spoken = asked == asked_.end() ? revision : asked->second.revision;
  if (message.contains("error")) return check_error(message, spoken);
  ASSERT_NE(asked, asked_.end()) << "answers no request: " << json::to_text(message);
  hold_against(spoken, spoken >= Revision::k2025_11_25 ? "JSONRPCResultResponse" : "JSONRPCResponse",
               json::Value(message), "message");
  ASSERT_TRUE(message.contains("result")) << json::to_text(message);
  check_result(*message.find("result"), asked->second.method, spoken);
}

}  // namespace sluice::server::testing
