#include "sluice/mirror/mirror_provider.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/base64.h"
#include "sluice/base/text.h"
#include "sluice/base/uri.h"
#include "sluice/catalog/registry.h"
#include "sluice/contents/read_room.h"
#include "sluice/json/object_reader.h"
#include "sluice/json/writer.h"

#include "contents_page.h"
#include "read_context.h"

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

// The budget of a read whose contents may take `room` bytes.
Budget budget_of(const catalog::Context& context, std::size_t room) {
  Budget budget = context.budget();
  budget.bytes = room;
  budget.tokens = room / kTokenBytes;
  return budget;
}

Error invalid_cursor(std::string_view what, std::string_view hint) {
  return invalid_input(fmt::format("{}: the cursor is not one of this answer", what))
      .with_code("invalid_cursor")
      .with_hint(hint);
}

// What an answer may take, whichever of its caps is the lower.
std::size_t room_of(const catalog::Context& context) {
  const Budget& budget = context.budget();
  const std::uint64_t bytes = std::min(budget.bytes, budget.tokens * kTokenBytes);
  return bytes > 2 * kEnvelopeBytes ? bytes - kEnvelopeBytes : bytes / 2;
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

// Where a page of a list begins: templates come first, then resources, each in order.
struct ListPosition {
  bool is_in_resources = false;
  std::string after;
};

std::string to_list_cursor(const ListPosition& position) {
  return base64url_encode((position.is_in_resources ? "r" : "t") + position.after);
}

std::optional<ListPosition> parse_list_cursor(const std::string& cursor) {
  const std::optional<std::string> text = base64url_decode(cursor);
  if (!text || !is_valid_utf8(*text) || !(text->starts_with('r') || text->starts_with('t')))
    return std::nullopt;
  return ListPosition{.is_in_resources = text->starts_with('r'), .after = text->substr(1)};
}

// What a page of a list has so far.
struct ListPage {
  std::size_t room = 0;
  std::size_t limit = 0;
  std::size_t count = 0;
  std::string templates;
  std::string resources;
  std::string last;  // The URI of the last resource.
  std::optional<ListPosition> next;

  // False where there is no room for it. The first item always has room, so that every page makes progress.
  bool add(const std::string& item, std::string& list) {
    const bool is_first = templates.empty() && resources.empty();
    if (!is_first && item.size() + 1 > room) return false;
    room -= std::min(room, item.size() + 1);
    list += (list.empty() ? "" : ",") + item;
    return true;
  }
};

class Mirror {
 public:
  explicit Mirror(Providers providers) : providers_(std::move(providers)) {}

  Result<protocol::ToolResult> list(const Object& arguments, const catalog::Context& context) const {
    const json::ObjectReader in(arguments, "");
    SLUICE_TRY(const std::optional<std::string> prefix, in.optional_string("prefix"));
    SLUICE_TRY(const std::optional<std::string> cursor, in.optional_string("cursor"));
    SLUICE_TRY(const std::optional<std::int64_t> limit, in.optional_int("limit"));
    const std::optional<ListPosition> from = cursor ? parse_list_cursor(*cursor) : ListPosition{};
    if (!from)
      return invalid_cursor("list resources", "Pass next_cursor of the previous page, or no cursor.");
    ListPage page{.room = room_of(context)};
    catalog::ListQuery query{.after = from->after, .limit = kTemplatesMax, .principal = context.principal()};
    if (!from->is_in_resources && !add_templates(query, page)) return answer_of(page);
    if (!from->is_in_resources) query.after.clear();
    page.limit = static_cast<std::size_t>(std::clamp<std::int64_t>(limit.value_or(kUsualResources), 1,
                                                                   static_cast<std::int64_t>(kResourcesMax)));
    query.limit = page.limit + 1;
    const bool is_beginning = query.after.empty() && prefix.has_value();
    if (is_beginning) query.after = *prefix;
    SLUICE_TRY(std::vector<protocol::Resource> found, resources(query, prefix.value_or("")));
    if (is_beginning) SLUICE_CHECK(add_named(*prefix, query, found));
    add_resources(found, page);
    return answer_of(page);
  }

  Result<protocol::ToolResult> read(const Object& arguments, catalog::Context& context) const {
    const json::ObjectReader in(arguments, "");
    SLUICE_TRY(const std::string text, in.required_string("uri"));
    SLUICE_TRY(const std::optional<std::string> cursor, in.optional_string("cursor"));
    const std::optional<Position> from = cursor ? parse_cursor(*cursor) : Position{};
    if (!from) return invalid_cursor("read resource", "Pass `next` of the previous answer as it is.");
    const Result<ResourceUri> uri = ResourceUri::parse(text);
    if (!uri.ok()) return not_listed(text);
    const std::shared_ptr<catalog::ResourceProvider> owner = catalog::find_owner(providers_, *uri);
    if (owner == nullptr) return not_listed(text);
    // The URI itself, and two that lead on.
    constexpr std::size_t kUrisShown = 3;
    const std::size_t uris = kUrisShown * contents::json_string_bytes(text);
    const std::size_t all = room_of(context);
    const std::size_t room = std::max(all - std::min(all, uris), contents::kRoomBytesMin);
    ReadContext reading(context, budget_of(context, room));
    Result<protocol::ReadResult> read = owner->read(*uri, reading);
    if (!read.ok() && read.error().kind == ErrorKind::kNotFound) return not_listed(text);
    SLUICE_TRY(const protocol::ReadResult result, std::move(read));
    const std::optional<ContentsPage> page = show_contents(result, *from, room);
    if (!page)
      return invalid_cursor("read resource", "The resource has changed; read it from its beginning.");
    return answer_of(text, *page);
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
      if (provider->resources() == nullptr) continue;
      SLUICE_TRY(std::vector<protocol::Resource> some, provider->resources()->list_resources(query));
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

  // False where the page is full before the last of them.
  bool add_templates(const catalog::ListQuery& query, ListPage& page) const {
    std::vector<protocol::ResourceTemplate> all;
    for (const auto& provider : providers_) {
      if (provider->resources() == nullptr) continue;
      for (protocol::ResourceTemplate& one : provider->resources()->list_templates(query))
        all.push_back(std::move(one));
    }
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.uri_template < b.uri_template; });
    // Each provider gave its first ones, so that only as many are known to be in order.
    const bool may_have_more = all.size() >= query.limit;
    all.resize(std::min(all.size(), query.limit));
    std::string last = query.after;
    bool is_full = false;
    for (const protocol::ResourceTemplate& one : all) {
      is_full = !page.add(template_json(one), page.templates);
      if (is_full) break;
      last = one.uri_template;
    }
    if (is_full || may_have_more) page.next = ListPosition{.is_in_resources = false, .after = last};
    return !page.next;
  }

  static void add_resources(const std::vector<protocol::Resource>& found, ListPage& page) {
    for (const protocol::Resource& one : found) {
      if (page.count == page.limit || !page.add(resource_json(one), page.resources)) {
        page.next = ListPosition{.is_in_resources = true, .after = page.last};
        return;
      }
      ++page.count;
      page.last = one.uri;
    }
  }

  static Result<protocol::ToolResult> answer_of(const ListPage& page) {
    json::Writer out;
    out.begin_object().field("count", page.count).field("has_more", page.next.has_value());
    if (page.next) out.field("next_cursor", to_list_cursor(*page.next));
    if (!page.templates.empty()) out.raw_field("templates", "[" + page.templates + "]");
    out.raw_field("resources", "[" + page.resources + "]").end_object();
    return protocol::json_text_result(std::move(out).take());
  }

  static Result<protocol::ToolResult> answer_of(const std::string& uri, const ContentsPage& page) {
    json::Writer out;
    out.begin_object();
    if (page.rest || !page.next_uri.empty()) {
      out.key("next").begin_object().field("uri", page.rest ? uri : page.next_uri);
      if (page.rest) out.field("cursor", to_cursor(*page.rest));
      out.end_object();
    }
    out.raw_field("contents", page.contents).end_object();
    return protocol::json_text_result(std::move(out).take());
  }

  static constexpr std::size_t kUriShown = 200;
  const Providers providers_;  // Shared with the catalog.
};

Object typed(std::string_view type, std::string_view description) {
  return {{"type", type}, {"description", description}};
}

protocol::Tool definition(std::string name, std::string title, std::string description, Object properties,
                          Array required, Object outputs, Array required_outputs) {
  protocol::Tool tool;
  tool.name = std::move(name);
  tool.title = std::move(title);
  tool.description = std::move(description);
  tool.input_schema = Object{{"type", "object"},
                             {"properties", std::move(properties)},
                             {"required", std::move(required)},
                             {"additionalProperties", false}};
  tool.output_schema = Object{
      {"type", "object"}, {"properties", std::move(outputs)}, {"required", std::move(required_outputs)}};
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
                 {"resources", Object{{"type", "array"}}}},
          Array{"count", "resources"}),
      [mirror](const Object& arguments, catalog::Context& context) {
        return mirror->list(arguments, context);
      });
  out->add_tool(
      definition("read_resource", "Read a resource",
                 "The contents of a resource, by its URI. What does not fit into one answer "
                 "continues with the arguments in `next`.",
                 Object{{"uri", typed("string", "From list_resources, or made from a template")},
                        {"cursor", typed("string", "Of `next` in the previous answer")}},
                 Array{"uri"},
                 Object{{"contents", Object{{"type", "array"}}}, {"next", Object{{"type", "object"}}}},
                 Array{"contents"}),
      [mirror](const Object& arguments, catalog::Context& context) {
        return mirror->read(arguments, context);
      });
  return out;
}

}  // namespace sluice::mirror
