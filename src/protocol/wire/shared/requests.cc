#include "sluice/protocol/wire/requests.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sluice/json/object_reader.h"
#include "sluice/json/writer.h"
#include "sluice/protocol/wire/decode.h"
#include "sluice/protocol/wire/definitions.h"

namespace sluice::protocol {
namespace {

constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kClientInfoKey = "io.modelcontextprotocol/clientInfo";
constexpr std::string_view kClientCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr std::string_view kLogLevelKey = "io.modelcontextprotocol/logLevel";
constexpr std::string_view kSubscriptionKey = "io.modelcontextprotocol/subscriptionId";
constexpr std::string_view kProgressKey = "progressToken";
constexpr std::array kOwnKeys{kVersionKey,  kClientInfoKey,   kClientCapabilitiesKey,
                              kLogLevelKey, kSubscriptionKey, kProgressKey};

void write_meta(const RequestText& request, const ClientStyle& style, json::Writer& out) {
  const bool modern = is_modern(style.revision);
  if (!modern && request.meta.empty() && !request.wants_progress) return;
  out.key("_meta").begin_object();
  for (const json::Member& member : request.meta) {
    if (std::find(kOwnKeys.begin(), kOwnKeys.end(), member.key) == kOwnKeys.end())
      out.field(member.key, member.value);
  }
  if (request.wants_progress) out.raw_field(kProgressKey, to_json(request.id));
  if (modern) {
    out.field(kVersionKey, to_string(style.revision));
    out.raw_field(kClientInfoKey, style.info).raw_field(kClientCapabilitiesKey, style.capabilities);
    if (style.log_level) out.field(kLogLevelKey, to_string(*style.log_level));
  }
  out.end_object();
}

std::string capabilities_text(const ClientCapabilities& client, Revision revision) {
  json::Writer out;
  out.begin_object();
  if (client.elicit_form || client.elicit_url) {
    out.key("elicitation").begin_object();
    if (client.elicit_form) out.key("form").begin_object().end_object();
    if (client.elicit_url) out.key("url").begin_object().end_object();
    out.end_object();
  }
  if (client.sample) out.key("sampling").begin_object().end_object();
  if (client.roots) out.key("roots").begin_object().end_object();
  if (is_modern(revision) && !client.extensions.empty())
    out.field("extensions", json::Value(client.extensions));
  out.end_object();
  return std::move(out).take();
}

Implementation implementation_or_none(const json::Value* value) {
  if (value == nullptr) return {};
  Result<Implementation> decoded = decode_implementation(*value);
  return decoded.ok() ? *std::move(decoded) : Implementation{};  // Nothing to refuse a server for.
}

Result<Introduction> decode_rest(const json::ObjectReader& in) {
  Introduction introduction;
  SLUICE_TRY(const std::optional<json::ObjectReader> capabilities, in.optional_object("capabilities"));
  if (capabilities) introduction.capabilities = capabilities->object();
  SLUICE_TRY(std::optional<std::string> instructions, in.optional_string("instructions"));
  if (instructions) introduction.instructions = *std::move(instructions);
  return introduction;
}

}  // namespace

ClientStyle client_style(const Implementation& info, const ClientCapabilities& capabilities,
                         std::optional<LogLevel> log_level, Revision revision) {
  json::Writer out;
  encode(info, revision, out);
  return {.revision = revision,
          .info = std::move(out).take(),
          .capabilities = capabilities_text(capabilities, revision),
          .log_level = log_level};
}

std::string client_request(const RequestText& request, const ClientStyle& style) {
  json::Writer out;
  out.begin_object().field("jsonrpc", "2.0").raw_field("id", to_json(request.id));
  out.field("method", request.method).key("params").begin_object();
  for (const json::Member& member : request.params) {
    if (member.key != "_meta") out.field(member.key, member.value);
  }
  write_meta(request, style, out);
  out.end_object().end_object();
  return std::move(out).take();
}

std::string initialize_params(const ClientStyle& style) {
  json::Writer out;
  out.begin_object().field("protocolVersion", to_string(style.revision));
  out.raw_field("capabilities", style.capabilities).raw_field("clientInfo", style.info).end_object();
  return std::move(out).take();
}

json::Object call_tool_params(const std::string& name, const json::Object& arguments) {
  return {{"name", name}, {"arguments", arguments}};
}

json::Object get_prompt_params(const std::string& name, const PromptArguments& arguments) {
  json::Object given;
  for (const auto& [key, value] : arguments) given.append_unchecked(key, value);
  return {{"name", name}, {"arguments", std::move(given)}};
}

json::Object complete_params(const CompletionRequest& request) {
  json::Object reference;
  if (const auto* prompt = std::get_if<PromptReference>(&request.reference)) {
    reference = {{"type", "ref/prompt"}, {"name", prompt->name}};
  } else {
    reference = {{"type", "ref/resource"},
                 {"uri", std::get<TemplateReference>(request.reference).uri_template}};
  }
  json::Object params{{"ref", std::move(reference)},
                      {"argument", json::Object{{"name", request.argument}, {"value", request.typed}}}};
  if (!request.resolved.empty()) {
    json::Object resolved;
    for (const auto& [key, value] : request.resolved) resolved.append_unchecked(key, value);
    params.set("context", json::Object{{"arguments", std::move(resolved)}});
  }
  return params;
}

json::Object listen_params(const ListenParams& wanted) {
  json::Object filter;
  if (wanted.tools_changed) filter.set("toolsListChanged", true);
  if (wanted.prompts_changed) filter.set("promptsListChanged", true);
  if (wanted.resources_changed) filter.set("resourcesListChanged", true);
  if (!wanted.resource_uris.empty()) {
    json::Array uris;
    for (const std::string& uri : wanted.resource_uris) uris.emplace_back(uri);
    filter.set("resourceSubscriptions", std::move(uris));
  }
  return {{"notifications", std::move(filter)}};
}

Result<Introduction> decode_discover(const json::Object& result) {
  const json::ObjectReader in(result, "result");
  SLUICE_TRY(Introduction introduction, decode_rest(in));
  SLUICE_TRY(introduction.versions, in.optional_strings("supportedVersions"));
  if (introduction.versions.empty()) return invalid_input("result.supportedVersions: required, but missing");
  const json::Value* meta = in.find("_meta");
  const json::Value* info = meta == nullptr ? nullptr : meta->find("io.modelcontextprotocol/serverInfo");
  // Before it was moved into the metadata it stood in the result itself.
  introduction.implementation = implementation_or_none(info != nullptr ? info : in.find("serverInfo"));
  return introduction;
}

Result<Introduction> decode_initialize_result(const json::Object& result) {
  const json::ObjectReader in(result, "result");
  SLUICE_TRY(Introduction introduction, decode_rest(in));
  SLUICE_TRY(std::string version, in.required_string("protocolVersion"));
  introduction.versions.push_back(std::move(version));
  introduction.implementation = implementation_or_none(in.find("serverInfo"));
  return introduction;
}

std::vector<std::string> decode_supported_versions(const json::Value& error_data) {
  const json::Object* data = error_data.if_object();
  if (data == nullptr) return {};
  Result<std::vector<std::string>> versions = json::ObjectReader(*data, "data").optional_strings("supported");
  return versions.ok() ? *std::move(versions) : std::vector<std::string>{};
}

std::optional<RequestId> decode_subscription_id(const json::Object& params) {
  const json::Value* meta = params.find("_meta");
  const json::Value* id = meta == nullptr ? nullptr : meta->find(kSubscriptionKey);
  if (id == nullptr) return std::nullopt;
  Result<RequestId> parsed = parse_request_id(*id);
  if (!parsed) return std::nullopt;
  return *std::move(parsed);
}

Result<ListenParams> decode_acknowledged(const json::Object& params) { return decode_listen(params); }

}  // namespace sluice::protocol
