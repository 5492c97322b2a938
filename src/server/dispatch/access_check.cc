#include "dispatch/access_check.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/protocol/jsonrpc/message.h"
#include "sluice/protocol/wire/modern.h"

namespace sluice::server {
namespace {

catalog::Caller caller_of(const protocol::Inbound& from) {
  return {.principal = from.principal, .identity = from.identity.get()};
}

std::string_view text_in(const json::Value* object, std::string_view key) {
  const json::Value* value = object == nullptr ? nullptr : object->find(key);
  const std::string* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

catalog::Effect effect_of(const Core& core, std::string_view method, std::string_view tool) {
  if (method != "tools/call") return catalog::Effect::kReads;
  const Result<std::shared_ptr<const catalog::ToolEntry>> entry = core.catalog->find_tool(tool);
  if (!entry.ok()) return catalog::Effect::kReads;  // The method says that there is none.
  const auto& annotations = (*entry)->tool.annotations;
  const bool reads = annotations && annotations->read_only.value_or(false);
  return reads ? catalog::Effect::kReads : catalog::Effect::kWrites;
}

catalog::Operation operation_of(const Core& core, const json::Value& message) {
  const json::Value* params = message.find("params");
  catalog::Operation operation{.method = text_in(&message, "method"), .target = text_in(params, "name")};
  if (operation.target.empty()) operation.target = text_in(params, "uri");
  if (operation.target.empty()) operation.target = text_in(params, "taskId");
  operation.effect = effect_of(core, operation.method, operation.target);
  return operation;
}

}  // namespace

std::optional<Refusal> check_access(const Core& core, const protocol::Inbound& from,
                                    const json::Value& message) {
  if (core.options.gate == nullptr || !core.options.gate->limits_operations()) return std::nullopt;
  std::vector<catalog::Operation> operations;
  if (const json::Array* batch = message.if_array()) {
    for (const json::Value& each : *batch) operations.push_back(operation_of(core, each));
  } else {
    operations.push_back(operation_of(core, message));
  }
  return core.options.gate->allow(caller_of(from), operations);
}

std::optional<Refusal> check_access(const Core& core, const protocol::Inbound& from) {
  if (core.options.gate == nullptr || !core.options.gate->limits_operations()) return std::nullopt;
  return core.options.gate->allow(caller_of(from), {catalog::Operation{}});
}

protocol::Final refused_access(const Refusal& refusal, const json::Value& message) {
  const protocol::WireError wire = protocol::modern::to_wire(refusal.error);
  std::optional<protocol::RequestId> id;
  if (const json::Value* named = message.find("id")) {
    if (Result<protocol::RequestId> parsed = protocol::parse_request_id(*named); parsed.ok())
      id = *std::move(parsed);
  }
  protocol::Final final{.status = wire.http_status, .message = protocol::error_message(id, wire)};
  if (!refusal.challenge.empty()) final.headers.emplace_back("WWW-Authenticate", refusal.challenge);
  return final;
}

}  // namespace sluice::server
