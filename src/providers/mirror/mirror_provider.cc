#include "sluice/mirror/mirror_provider.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/base64.h"
#include "sluice/base/text.h"
#include "sluice/base/uri.h"
#include "sluice/catalog/registry.h"
#include "sluice/json/object_reader.h"
#include "sluice/json/writer.h"

namespace sluice::mirror {

namespace {

using Providers = std::vector<std::shared_ptr<catalog::Provider>>;
using json::Array;
using json::Object;

constexpr std::size_t kUsualResources = 50;
constexpr std::size_t kResourcesMax = 200;
constexpr std::size_t kTemplatesMax = 100;
constexpr std::uint64_t kEnvelopeBytes = 500;
constexpr std::uint64_t kTokenBytes = 4;

// What an answer may take, whichever of its caps is the lower.
std::size_t room_of(const catalog::Context& context) {
  const Budget& budget = context.budget();
  const std::uint64_t bytes = std::min(budget.bytes, budget.tokens * kTokenBytes);
  return bytes > 2 * kEnvelopeBytes ? bytes - kEnvelopeBytes : bytes / 2;
}

// How much of the text fits as a JSON string, which takes more bytes, to the end of a character. Takes it
// from the room.
std::size_t fitting(std::string_view text, std::size_t& room) {
  constexpr std::size_t kEscape = 2;   // \"
  constexpr std::size_t kUnicode = 6;  // \u0001
  std::size_t fits = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
    std::size_t size = end - at;
    const char c = text[at];
    if (c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t') {
      size = kEscape;
    } else if (static_cast<unsigned char>(c) < ' ') {
      size = kUnicode;
    }
    if (size > room) {
      room = 0;
      return fits;
    }
    room -= size;
    fits = at = end;
  }
  return fits;
}

std::string resource_json(const protocol::Resource& resource) {
  json::Writer out;
  out.begin_object().field("uri", resource.uri).field("name", resource.name);
  out.field_if("description", resource.description).field_if("mimeType", resource.mime_type);
  out.field_if("size", resource.size).end_object();
  return std::move(out).take();
}

std::string template_json(const protocol::ResourceTemplate& one) {
  json::Writer out;
  out.begin_object().field("uriTemplate", one.uri_template).field("name", one.name);
  out.field_if("description", one.description).field_if("mimeType", one.mime_type).end_object();
  return std::move(out).take();
}

class Mirror {
 public:
  explicit Mirror(Providers providers) : providers_(std::move(providers)) {}

  Result<protocol::ToolResult> list(const Object& arguments, const catalog::Context& context) const {
    const json::ObjectReader in(arguments, "");
    SLUICE_TRY(const std::optional<std::string> prefix, in.optional_string("prefix"));
    SLUICE_TRY(const std::optional<std::string> cursor, in.optional_string("cursor"));
    SLUICE_TRY(const std::optional<std::int64_t> limit, in.optional_int("limit"));
    catalog::ListQuery query{.after = {}, .limit = 0, .principal = context.principal()};
    if (cursor) {
      const std::optional<std::string> after = base64url_decode(*cursor);
      if (!after || !is_valid_utf8(*after))
        return invalid_input("list resources: the cursor is not one of this list")
            .with_code("invalid_cursor")
            .with_hint("Give next_cursor of the page before, or begin without a cursor.");
      query.after = *after;
    } else if (prefix) {
      query.after = *prefix;
    }
    const auto wanted = static_cast<std::size_t>(std::clamp<std::int64_t>(
        limit.value_or(kUsualResources), 1, static_cast<std::int64_t>(kResourcesMax)));
    query.limit = wanted + 1;
    SLUICE_TRY(std::vector<protocol::Resource> found, resources(query, prefix.value_or("")));
    if (!cursor && prefix) SLUICE_CHECK(add_named(*prefix, query, found));
    return page(found, wanted, cursor ? std::vector<std::string>() : templates(query), room_of(context));
  }

  Result<protocol::ToolResult> read(const Object& arguments, catalog::Context& context) const {
    const json::ObjectReader in(arguments, "");
    SLUICE_TRY(const std::string text, in.required_string("uri"));
    const Result<ResourceUri> uri = ResourceUri::parse(text);
    if (!uri.ok()) return not_listed(text);
    for (const auto& provider : providers_) {
      if (!provider->owns(*uri)) continue;
      Result<protocol::ReadResult> read = provider->read(*uri, context);
      if (!read.ok() && read.error().kind == ErrorKind::kNotFound) return not_listed(text);
      SLUICE_TRY(const protocol::ReadResult result, std::move(read));
      return contents_of(result, room_of(context));
    }
    return not_listed(text);
  }

 private:
  static Error not_listed(std::string_view uri) {
    return not_found("Resource not found: " + excerpt(uri, kUriShown))
        .with_code("resource_not_found")
        .with_hint("list_resources lists what there is.");
  }

  Result<std::vector<protocol::Resource>> resources(const catalog::ListQuery& query,
                                                    std::string_view prefix) const {
    std::vector<protocol::Resource> all;
    for (const auto& provider : providers_) {
      SLUICE_TRY(std::vector<protocol::Resource> some, provider->resources(query));
      for (protocol::Resource& one : some) {
        if (one.uri.starts_with(prefix)) all.push_back(std::move(one));
      }
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.uri < b.uri; });
    return all;
  }

  // The resource whose URI is the prefix itself: lists begin after a key.
  Status add_named(const std::string& prefix, catalog::ListQuery query,
                   std::vector<protocol::Resource>& found) const {
    if (prefix.empty()) return {};
    query.after = prefix.substr(0, prefix.size() - 1);
    query.limit = 1;
    SLUICE_TRY(std::vector<protocol::Resource> first, resources(query, prefix));
    for (protocol::Resource& one : first) {
      if (one.uri == prefix) found.insert(found.begin(), std::move(one));
    }
    return {};
  }

  std::vector<std::string> templates(catalog::ListQuery query) const {
    query.after.clear();
    query.limit = kTemplatesMax;
    std::vector<std::string> out;
    for (const auto& provider : providers_) {
      for (const protocol::ResourceTemplate& one : provider->templates(query)) {
        if (out.size() < kTemplatesMax) out.push_back(template_json(one));
      }
    }
    return out;
  }

  static Result<protocol::ToolResult> page(const std::vector<protocol::Resource>& found, std::size_t wanted,
                                           const std::vector<std::string>& templates, std::size_t room) {
    std::string listed;
    std::size_t count = 0;
    for (; count < std::min(wanted, found.size()); ++count) {
      const std::string one = resource_json(found[count]);
      if (count > 0 && listed.size() + one.size() > room) break;
      listed += (count > 0 ? "," : "") + one;
    }
    std::string patterns;
    for (const std::string& one : templates) {
      if (listed.size() + patterns.size() + one.size() > room) break;
      patterns += (patterns.empty() ? "" : ",") + one;
    }
    json::Writer out;
    out.begin_object().field("count", count).field("has_more", count < found.size());
    if (count < found.size()) out.field("next_cursor", base64url_encode(found[count - 1].uri));
    if (!patterns.empty()) out.raw_field("templates", "[" + patterns + "]");
    out.raw_field("resources", "[" + listed + "]").end_object();
    return protocol::json_text_result(std::move(out).take());
  }

  static Result<protocol::ToolResult> contents_of(const protocol::ReadResult& result, std::size_t room) {
    json::Writer out;
    out.begin_object().key("contents").begin_array();
    for (const protocol::ResourceContents& one : result.contents) {
      out.begin_object().field("uri", one.uri).field_if("mimeType", one.mime_type);
      for (const json::Member& member : one.meta) out.field(member.key, member.value);
      if (const auto* text = std::get_if<protocol::TextBody>(&one.body)) {
        write_text(out, text->text, room);
      } else {
        write_bytes(out, std::get<protocol::BlobBody>(one.body).bytes, room);
      }
      out.end_object();
    }
    out.end_array().end_object();
    return protocol::json_text_result(std::move(out).take());
  }

  static void write_text(json::Writer& out, std::string_view text, std::size_t& room) {
    const std::size_t end = fitting(text, room);
    if (end < text.size()) {
      out.field("truncated", true).field("bytes_shown", end).field("bytes", text.size());
      out.field("hint",
                "Read it in parts: add ?offset=…&length=… to the URI, of a table ?limit=…&offset=… in rows.");
    }
    out.field("text", text.substr(0, end));
  }

  static void write_bytes(json::Writer& out, const std::string& bytes, std::size_t& room) {
    std::string encoded = base64_encode(bytes);
    if (encoded.size() <= room) {
      room -= encoded.size();
      out.field("blob", encoded);
      return;
    }
    out.field("truncated", true).field("bytes", bytes.size());
    out.field("hint", "Not text, and larger than an answer: read a part with ?offset=…&length=….");
  }

  static constexpr std::size_t kUriShown = 200;
  const Providers providers_;  // Shared with the catalog.
};

Object typed(std::string_view type, std::string_view description) {
  return {{"type", type}, {"description", description}};
}

protocol::Tool definition(std::string name, std::string title, std::string description, Object properties,
                          Array required, Object outputs) {
  protocol::Tool tool;
  tool.name = std::move(name);
  tool.title = std::move(title);
  tool.description = std::move(description);
  tool.input_schema = Object{{"type", "object"},
                             {"properties", std::move(properties)},
                             {"required", std::move(required)},
                             {"additionalProperties", false}};
  Array keys;
  for (const json::Member& member : outputs) keys.emplace_back(member.key);
  if (keys.size() > 1) keys = Array{"count", "resources"};
  tool.output_schema =
      Object{{"type", "object"}, {"properties", std::move(outputs)}, {"required", std::move(keys)}};
  tool.annotations = protocol::ToolAnnotations{
      .read_only = true, .destructive = false, .idempotent = true, .open_world = false};
  return tool;
}

}  // namespace

std::shared_ptr<catalog::Provider> make_mirror_provider(Providers providers) {
  const auto mirror = std::make_shared<const Mirror>(std::move(providers));  // Shared by the two tools.
  auto out = std::make_shared<catalog::Registry>("mirror");
  out->add_tool(
      definition(
          "list_resources", "List resources",
          "Files, tables, repositories, pages and endpoints that read_resource reads, in order of URI, and "
          "the templates of further URIs.",
          Object{{"prefix", typed("string", "Only URIs that begin so: git://, file:///docs/")},
                 {"limit", Object{{"type", "integer"}, {"minimum", 1}, {"maximum", 200}}},
                 {"cursor", typed("string", "next_cursor of the page before")}},
          Array{},
          Object{{"count", Object{{"type", "integer"}}},
                 {"has_more", Object{{"type", "boolean"}}},
                 {"next_cursor", Object{{"type", "string"}}},
                 {"templates", Object{{"type", "array"}}},
                 {"resources", Object{{"type", "array"}}}}),
      [mirror](const Object& arguments, catalog::Context& context) {
        return mirror->list(arguments, context);
      });
  out->add_tool(definition("read_resource", "Read a resource", "The contents of a resource, by its URI.",
                           Object{{"uri", typed("string", "From list_resources, or made from a template")}},
                           Array{"uri"}, Object{{"contents", Object{{"type", "array"}}}}),
                [mirror](const Object& arguments, catalog::Context& context) {
                  return mirror->read(arguments, context);
                });
  return out;
}

}  // namespace sluice::mirror
