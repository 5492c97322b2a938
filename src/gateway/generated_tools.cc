#include "generated_tools.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/base64.h"
#include "sluice/base/text.h"
#include "sluice/gateway/namespaced_uri.h"
#include "sluice/gateway/tool_node.h"
#include "sluice/json/object_reader.h"

#include "artifact_resources.h"
#include "read_answer.h"
#include "text_part.h"

namespace sluice::gateway {
namespace {

constexpr std::size_t kListBytes = 300;  // Of an answer that lists, beside what it lists.
constexpr std::size_t kReadBytes = 40;   // Of an answer with a content, beside the content and the URI.
constexpr std::size_t kDescriptionBytesMin = 200;
constexpr std::int64_t kListLimitMax = 1'000;

json::Object typed(std::string_view type) { return {{"type", type}}; }
json::Object described(std::string_view type, std::string_view description) {
  return {{"type", type}, {"description", description}};
}
json::Object count_from(std::int64_t minimum, std::string_view description) {
  return {{"type", "integer"}, {"minimum", minimum}, {"description", description}};
}

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

json::Object list_arguments(std::string_view what) {
  return {{"prefix", described("string", fmt::format("Only {} that begin with it", what))},
          {"cursor", described("string", "next_cursor of the answer before")},
          {"limit", json::Object{{"type", "integer"}, {"minimum", 1}, {"maximum", kListLimitMax}}}};
}

const std::string& key_of(const ResourceInfo& info) { return info.uri; }
const std::string& key_of(const ResourceTemplateInfo& info) { return info.uri_template; }

// An entry that is larger than a whole answer loses the end of its description.
template <typename Info>
json::Object entry_within(Info info, std::size_t bytes_max) {
  json::Object out = to_json(info);
  const std::size_t bytes = json::to_text(out).size();
  if (bytes <= bytes_max || !info.description) return out;
  const std::size_t over = bytes - bytes_max;
  const std::size_t kept = info.description->size() - std::min(info.description->size(), over + 4);
  info.description = excerpt(*info.description, std::max(kept, kDescriptionBytesMin));
  return to_json(info);
}

// A page of a list that is in order of its keys.
template <typename Info>
Result<protocol::ToolResult> list_result(std::string_view key, const std::vector<Info>& infos,
                                         const json::Object& arguments, const Budget& budget) {
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const std::optional<std::string> prefix, in.optional_string("prefix"));
  SLUICE_TRY(const std::optional<std::string> cursor, in.optional_string("cursor"));
  SLUICE_TRY(const std::optional<std::int64_t> limit, in.optional_int("limit"));
  const std::optional<std::string> after = cursor ? base64url_decode(*cursor) : std::string();
  if (!after || !is_valid_utf8(*after))
    return invalid_input(fmt::format("list {}: the cursor is not one of this list", key))
        .with_code("invalid_cursor")
        .with_hint("Pass next_cursor of the answer before, or begin without a cursor.");
  const std::size_t bytes = answer_bytes(budget);
  const std::size_t room = bytes - std::min(bytes, kListBytes);
  const auto listed_max = static_cast<std::size_t>(limit.value_or(kListLimitMax));
  std::size_t left = room;
  std::size_t count = 0;
  bool is_full = false;
  std::string last;
  json::Array listed;
  for (const Info& info : infos) {
    if (prefix && !key_of(info).starts_with(*prefix)) continue;
    ++count;
    if (is_full || (cursor && key_of(info) <= *after)) continue;
    json::Object one = entry_within(info, room);
    const std::size_t taken = json::to_text(one).size() + 1;
    is_full = !listed.empty() && (taken > left || listed.size() >= listed_max);
    if (is_full) continue;
    left -= std::min(left, taken);
    last = key_of(info);
    listed.emplace_back(std::move(one));
  }
  json::Object out{{"count", count}};
  if (is_full) {
    out.set("truncated", true);
    out.set("listed", listed.size());
    out.set("next_cursor", base64url_encode(last));
  }
  out.set(std::string(key), std::move(listed));
  return protocol::structured_result(std::move(out));
}

struct ReadArguments {
  std::string uri;
  contents::Range range;
  std::size_t first_item = 0;
  bool refresh = false;
};

Result<ReadArguments> read_arguments(const json::Object& arguments) {
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const std::optional<std::string> uri, in.optional_string("uri"));
  SLUICE_TRY(const std::optional<std::int64_t> offset, in.optional_int("offset"));
  SLUICE_TRY(const std::optional<std::int64_t> length, in.optional_int("length"));
  SLUICE_TRY(const std::optional<std::int64_t> item, in.optional_int("item"));
  SLUICE_TRY(const std::optional<bool> refresh, in.optional_bool("refresh"));
  if (offset.value_or(0) < 0 || length.value_or(1) < 1 || item.value_or(0) < 0)
    return invalid_input("read a resource: offset and item must be 0 or more, length 1 or more")
        .with_code("invalid_arguments");
  ReadArguments out{.uri = uri.value_or(""),
                    .range = {},
                    .first_item = static_cast<std::size_t>(item.value_or(0)),
                    .refresh = refresh.value_or(false)};
  if (offset) out.range.offset = static_cast<std::uint64_t>(*offset);
  if (length) out.range.length = static_cast<std::uint64_t>(*length);
  return out;
}

Result<protocol::ToolResult> call_read(const NodeResources& of, const json::Object& arguments,
                                       const CallOptions& options) {
  const NodeConfig& config = of.node.config();
  SLUICE_TRY(const ReadArguments in, read_arguments(arguments));
  const auto answer = [&](json::Object result) {
    return protocol::structured_result(json::Object{{"result", std::move(result)}, {"uri", in.uri}});
  };
  if (in.uri.empty()) return answer({{"error", "Missing required 'uri' parameter"}});
  const std::size_t bytes = answer_bytes(options.budget);
  const std::size_t around = json::to_text(json::Value(in.uri)).size() + kReadBytes;
  ReadAnswer shown(of.artifacts, options.principal, config.name,
                   {.inline_chars_max = config.cache.inline_text_if_under_chars,
                    .bytes_max = bytes - std::min(bytes, around)});
  if (in.uri.starts_with(kArtifactScheme)) return answer(shown.artifact_part(in.uri, in.range));
  SLUICE_CHECK(of.node.wait_until_known(options));
  // The namespaced form is taken as well.
  const std::string own = UriSpace(config.name).decode(in.uri).value_or(in.uri);
  if (in.refresh) of.node.cache().invalidate(own);
  const Result<ResourceCache::Read> read = of.node.read(own, options);
  if (!read.ok() &&
      (read.error().kind == ErrorKind::kCancelled || read.error().kind == ErrorKind::kInputRequired))
    return read.error();
  if (!read.ok()) return answer(error_answer(read.error()));
  return answer(in.range.is_given() ? shown.part(**read, in.first_item, in.range)
                                    : shown.of(**read, in.first_item));
}

}  // namespace

std::vector<protocol::Tool> generated_tools(const NodeConfig& config, const Discovery& known) {
  const bool has_none = known.is_known && !known.resources_supported;
  if (has_none || !config.offer.offers_resources || !config.offer.offers_resource_tools) return {};
  std::vector<protocol::Tool> out;
  out.push_back(definition("resources_list", "List resources",
                           "Lists the resources of the server " + config.name + ", in order of URI.",
                           list_arguments("URIs"),
                           json::Object{{"resources", typed("array")}, {"count", typed("integer")}}));
  out.push_back(definition(
      "resources_read", "Read a resource",
      "Reads a resource of the server " + config.name +
          " by its URI. Large and binary contents come as an artifact; this tool reads artifact:// URIs, "
          "too, "
          "from `offset` on.",
      json::Object{
          {"uri", described("string", "Required. As resources_list gives it, or artifact://…")},
          {"offset", count_from(0, "Byte to begin at: next_offset of the answer before")},
          {"length", count_from(1, "Bytes, at most")},
          {"item", count_from(0,
                              "Of several contents, the first to show: next_item of the answer before. With "
                              "offset, the one to read")},
          {"refresh", described("boolean", "Ask the server again instead of the cache")}},
      json::Object{{"result", typed("object")}, {"uri", typed("string")}}));
  out.push_back(definition("resources_templates_list", "List resource templates",
                           "Lists the URI templates of the server " + config.name + ".",
                           list_arguments("templates"),
                           json::Object{{"templates", typed("array")}, {"count", typed("integer")}}));
  return out;
}

Result<protocol::ToolResult> call_generated_tool(const NodeResources& of, std::string_view tool,
                                                 const json::Object& arguments, const CallOptions& options) {
  if (tool == "resources_read") return call_read(of, arguments, options);
  SLUICE_CHECK(of.node.wait_until_known(options));
  if (tool == "resources_list")
    return list_result("resources", of.node.list_resources(), arguments, options.budget);
  if (tool == "resources_templates_list")
    return list_result("templates", of.node.list_resource_templates(), arguments, options.budget);
  return not_found("no such tool: " + excerpt(tool));
}

}  // namespace sluice::gateway
