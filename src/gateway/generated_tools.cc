#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/gateway/namespaced_uri.h"
#include "sluice/gateway/tool_node.h"

#include "ask_relay.h"
#include "call_slots.h"

namespace sluice::gateway {
namespace {

constexpr std::uint64_t kTokenBytes = 4;
constexpr std::uint64_t kEnvelopeBytes = 200;

protocol::Tool definition(std::string_view name, std::string title, std::string description,
                          json::Object properties, json::Object outputs) {
  protocol::Tool tool;
  tool.name = name;
  tool.title = std::move(title);
  tool.description = std::move(description);
  json::Object input{{"type", "object"}, {"properties", std::move(properties)}};
  tool.input_schema = std::move(input);
  json::Array required;
  for (const json::Member& member : outputs) required.emplace_back(member.key);
  tool.output_schema =
      json::Object{{"type", "object"}, {"properties", std::move(outputs)}, {"required", std::move(required)}};
  tool.annotations = protocol::ToolAnnotations{
      .read_only = true, .destructive = false, .idempotent = true, .open_world = true};
  return tool;
}

// As many as fit, and how many there are.
template <typename Info>
protocol::ToolResult list_result(std::string_view key, const std::vector<Info>& infos, const Budget& budget) {
  const std::uint64_t room = std::min(budget.bytes, budget.tokens * kTokenBytes);
  std::uint64_t bytes = kEnvelopeBytes;
  json::Array listed;
  for (const Info& info : infos) {
    json::Object one = to_json(info);
    bytes += json::to_text(one).size() + 1;
    if (bytes > room && !listed.empty()) break;
    listed.emplace_back(std::move(one));
  }
  json::Object out{{"count", infos.size()}};
  if (listed.size() < infos.size()) {
    out.set("truncated", true);
    out.set("listed", listed.size());
  }
  out.set(std::string(key), std::move(listed));
  return protocol::structured_result(std::move(out));
}

json::Object typed(std::string_view type) { return {{"type", type}}; }

}  // namespace

std::vector<protocol::Tool> ToolNode::generated_tools() const {
  const std::shared_ptr<const Discovery> known = discovery();
  if (known->is_known && !known->resources_supported) return {};
  std::vector<protocol::Tool> out;
  out.push_back(definition("resources_list", "List resources",
                           "Lists the resources of the server " + config_.name + ".", {},
                           json::Object{{"resources", typed("array")}, {"count", typed("integer")}}));
  out.push_back(definition(
      "resources_read", "Read a resource",
      "Reads a resource of the server " + config_.name +
          " by its URI. Large and binary contents come as an artifact, which resources/read reads.",
      json::Object{{"uri", json::Object{{"type", "string"}, {"description", "As resources_list gives it"}}}},
      json::Object{{"result", typed("object")}, {"uri", typed("string")}}));
  out.push_back(definition("resources_templates_list", "List resource templates",
                           "Lists the URI templates of the server " + config_.name + ".", {},
                           json::Object{{"templates", typed("array")}, {"count", typed("integer")}}));
  return out;
}

Result<protocol::ToolResult> ToolNode::call_generated(std::string_view tool, const json::Object& arguments,
                                                      const CallOptions& options) {
  SLUICE_CHECK(wait_until_known(options));
  if (tool == "resources_list") return list_result("resources", list_resources(), options.budget);
  if (tool == "resources_templates_list")
    return list_result("templates", list_resource_templates(), options.budget);
  if (tool != "resources_read") return not_found("no such tool: " + excerpt(tool));
  const json::Value* given = arguments.find("uri");
  const std::string* uri = given != nullptr ? given->if_string() : nullptr;
  if (uri == nullptr || uri->empty()) {
    return protocol::structured_result(
        json::Object{{"result", json::Object{{"error", "Missing required 'uri' parameter"}}}, {"uri", ""}});
  }
  // The namespaced form is taken as well.
  const std::string own = UriSpace(config_.name).decode(*uri).value_or(*uri);
  const Result<ResourceCache::Read> read = this->read(own, options);
  if (!read.ok() &&
      (read.error().kind == ErrorKind::kCancelled || read.error().kind == ErrorKind::kInputRequired))
    return read.error();
  const std::uint64_t room = std::min(options.budget.bytes, options.budget.tokens * kTokenBytes);
  const std::size_t chars =
      std::min<std::size_t>(config_.cache.inline_text_if_under_chars, room > kEnvelopeBytes ? room : 0);
  json::Object result = read.ok() ? to_json(**read, chars) : json::Object{{"error", read.error().message}};
  return protocol::structured_result(json::Object{{"result", std::move(result)}, {"uri", *uri}});
}

}  // namespace sluice::gateway
