#include "resources.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/contents/completion.h"
#include "sluice/contents/contents.h"
#include "sluice/contents/read_room.h"
#include "sluice/contents/resource_path.h"
#include "sluice/json/reader.h"
#include "sluice/json/writer.h"

#include "answer/fit_rows.h"
#include "answer/truncate.h"
#include "portal/portal_text.h"
#include "portal/search_syntax.h"

namespace sluice::ckan {

namespace {

constexpr std::string_view kJsonType = "application/json";
constexpr std::string_view kPartType = "text/plain";
constexpr std::string_view kListedDatasets = "results";
constexpr std::size_t kCompletionsMax = 100;

struct TemplateWords {
  std::string_view uri;
  std::string_view name;
  std::string_view description;
};
// In order of the URI.
constexpr std::array<TemplateWords, 7> kTemplates = {{
    {"ckan://{server}/dataset/{id}", "ckan-dataset",
     "Metadata of a dataset of a CKAN portal: title, description, resources, organization, tags"},
    {"ckan://{server}/format/{format}/datasets", "ckan-format-datasets",
     "Datasets that have a resource of a format; ?rows=&start= read on"},
    {"ckan://{server}/group/{name}/datasets", "ckan-group-datasets",
     "Datasets of a group; ?rows=&start= read on"},
    {"ckan://{server}/organization/{name}", "ckan-organization",
     "Metadata of an organization: title, description, number of datasets"},
    {"ckan://{server}/organization/{name}/datasets", "ckan-organization-datasets",
     "Datasets of an organization; ?rows=&start= read on"},
    {"ckan://{server}/resource/{id}", "ckan-resource",
     "Metadata of a resource, which is one file or service: name, format, size, download URL"},
    {"ckan://{server}/tag/{name}/datasets", "ckan-tag-datasets",
     "Datasets with a tag; ?rows=&start= read on"},
}};

struct Asked {
  std::string_view action;
  Parameters parameters;
};

std::string filter_of(const PortalUri& uri) {
  switch (uri.kind) {
    case UriKind::kGroupDatasets:
      return "groups:" + quoted_phrase(uri.id);
    case UriKind::kOrganizationDatasets:
      return "organization:" + quoted_phrase(uri.id);
    case UriKind::kTagDatasets:
      return "tags:" + quoted_phrase(uri.id);
    case UriKind::kFormatDatasets:
      return format_filter(uri.id);
    case UriKind::kDataset:
    case UriKind::kResource:
    case UriKind::kOrganization:
      break;
  }
  return {};
}

Asked asked_by(const PortalUri& uri) {
  switch (uri.kind) {
    case UriKind::kDataset:
      return {.action = "package_show", .parameters = {{"id", uri.id}}};
    case UriKind::kResource:
      return {.action = "resource_show", .parameters = {{"id", uri.id}}};
    case UriKind::kOrganization:
      return {.action = "organization_show", .parameters = {{"id", uri.id}, {"include_datasets", "false"}}};
    case UriKind::kGroupDatasets:
    case UriKind::kOrganizationDatasets:
    case UriKind::kTagDatasets:
    case UriKind::kFormatDatasets:
      break;
  }
  return {.action = "package_search",
          .parameters = {{"q", "*:*"},
                         {"fq", filter_of(uri)},
                         {"rows", std::to_string(uri.rows)},
                         {"start", std::to_string(uri.start)}}};
}

std::string page_uri(const PortalUri& uri, std::uint64_t start) {
  return fmt::format("ckan://{}/{}/{}/datasets?rows={}&start={}", uri.authority, uri.type(),
                     percent_encode(uri.id), uri.rows, start);
}

std::uint64_t count_in(const json::Object& list) {
  const json::Value* count = list.find("count");
  const json::Number* number = count == nullptr ? nullptr : count->if_number();
  return number == nullptr
             ? 0
             : static_cast<std::uint64_t>(std::max<std::int64_t>(0, number->as_int64().value_or(0)));
}

struct ListPage {
  std::string text;
  std::string next;  // Empty: the list ends here.
};

// One page of a list of datasets. The way on follows from what the page shows.
ListPage list_page(const PortalUri& uri, const json::Object& list, const TextRoom& room) {
  const json::Value* results = list.find(kListedDatasets);
  const json::Array none;
  const json::Array& rows =
      results == nullptr || results->if_array() == nullptr ? none : *results->if_array();
  const std::uint64_t count = count_in(list);
  json::Object rest;
  for (const json::Member& member : list) {
    if (member.key != "count" && member.key != "next" && member.key != kListedDatasets)
      rest.append_unchecked(member.key, member.value);
  }
  const auto next_of = [&](std::size_t shown) {
    const std::uint64_t end = uri.start + shown;
    return shown > 0 && end < count ? page_uri(uri, end) : std::string();
  };
  const auto compose = [&](const json::Object& others, const json::Array& shown) {
    // The number and the way on come first: clients that cut an answer cut its end.
    json::Object out{{"count", count}};
    if (const std::string next = next_of(shown.size()); !next.empty()) out.set("next", next);
    if (shown.size() < rows.size()) {
      out.set("_truncated", true);
      out.set("_original_count", rows.size());
    }
    for (const json::Member& member : others) out.append_unchecked(member.key, member.value);
    out.append_unchecked(std::string(kListedDatasets), shown);
    std::string text = json::to_text(out);
    return ComposedAnswer{.object = std::move(out), .text = std::move(text), .shown = shown.size()};
  };
  ComposedAnswer page = fit_rows(rest, rows, room, compose);
  std::string pretty = pretty_text(page.object);
  return {.text = room.holds(pretty) ? std::move(pretty) : std::move(page.text), .next = next_of(page.shown)};
}

// The URI of an object without its range, up to where "offset=…" belongs.
std::string range_uri(const PortalUri& uri) {
  return fmt::format("ckan://{}/{}/{}?", uri.authority, uri.type(), percent_encode(uri.id));
}

// What a caller can do about an object that was cut.
std::string hint_for(const PortalUri& uri) {
  std::string out = fmt::format("Cut to fit. {}offset=0 begins the whole of it, in parts.", range_uri(uri));
  if (uri.kind == UriKind::kDataset)
    out += fmt::format(
        " The tool ckan_list_resources, with server_url \"{}\" and id \"{}\", lists all "
        "resources.",
        uri.authority, uri.id);
  return out;
}

// No URI has a line end.
cache::Key resource_key(const ResourceUri& uri, const TextRoom& room) {
  return {.scope = cache::Scope::shared(),
          .text = fmt::format("{}\n{} {}", uri.text(), room.units, room.bytes)};
}

// The error of a read: a protocol error with the URI, the portal's own words and what to do.
Error read_failed(Error error, const ResourceUri& uri) {
  json::Writer data;
  data.begin_object().field("uri", uri.text()).end_object();
  error.data = std::move(data).take();
  if (error.kind == ErrorKind::kNotFound)
    error.message = fmt::format("Resource not found: {}: {}", excerpt(uri.text(), 200), error.message);
  return error;
}

}  // namespace

std::vector<protocol::ResourceTemplate> Resources::templates(const catalog::ListQuery& query) {
  std::vector<protocol::ResourceTemplate> out;
  for (const TemplateWords& words : kTemplates) {
    if (words.uri <= query.after || out.size() >= query.limit) continue;
    protocol::ResourceTemplate made;
    made.uri_template = std::string(words.uri);
    made.name = std::string(words.name);
    made.description = std::string(words.description);
    made.mime_type = std::string(kJsonType);
    out.push_back(std::move(made));
  }
  return out;
}

Result<cache::Loaded<Resources::Rendered>> Resources::render(const PortalUri& uri, const TextRoom& room,
                                                             const Caller& caller) {
  SLUICE_TRY(const PortalPtr portal, api_.directory().find_server(uri.authority));
  const Asked asked = asked_by(uri);
  SLUICE_TRY(const ActionResultPtr result, api_.get(*portal, asked.action, asked.parameters, caller));
  const json::Object* object = result->value.if_object();
  if (object == nullptr)
    return unavailable("The portal's answer is not what CKAN's API gives").with_code("ckan_not_json");
  Rendered out;
  out.expires = result->as_of + result->lifetime;
  if (uri.range.is_given()) {
    const std::string whole = json::to_text(*object);
    const protocol::ResourceContents part =
        contents::text_contents({.uri = {},
                                 .type = kPartType,
                                 .text = whole,
                                 .range = uri.range,
                                 .room = std::max(std::min(room.bytes, room.units), contents::kRoomBytesMin),
                                 .range_uri = range_uri(uri)});
    out.text = std::get<protocol::TextBody>(part.body).text;
    if (const json::Value* next = part.meta.find("sluice/next")) out.next = *next->if_string();
    out.is_part = true;
  } else if (uri.is_list()) {
    ListPage page = list_page(uri, *object, room);
    out.text = std::move(page.text);
    out.next = std::move(page.next);
  } else {
    Truncated shown = truncate(*object, room);
    out.text = std::move(shown.text);
    if (shown.is_cut) out.hint = hint_for(uri);
  }
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(out.expires - api_.clock().now());
  const std::size_t bytes = out.text.size() + out.next.size() + out.hint.size();
  return cache::Loaded<Rendered>{
      .value = std::move(out), .bytes = bytes, .lifetime = std::max(left, std::chrono::milliseconds(0))};
}

Result<protocol::ReadResult> Resources::read(const ResourceUri& uri, const catalog::Context& context) {
  const TextRoom room = text_room(api_.spec().characters_max, context.budget());
  const cache::Key key = resource_key(uri, room);
  cache::Cache<Rendered>::Handle rendered = rendered_.find(key);
  if (!rendered) {
    const Result<PortalUri> parsed = parse_portal_uri(uri.text());
    if (!parsed.ok()) return read_failed(parsed.error(), uri);
    const Monotonic deadline = context.deadline();
    const auto load = [&](std::stop_token stop) {
      return render(*parsed, room, {.stop = std::move(stop), .deadline = deadline});
    };
    Result<cache::Cache<Rendered>::Handle> loaded = rendered_.get_or_load(key, load, context.stop());
    if (!loaded.ok()) return read_failed(loaded.error(), uri);
    rendered = *std::move(loaded);
  }
  protocol::ResourceContents contents;
  contents.uri = contents::plain_uri(uri);
  contents.mime_type = std::string(rendered->is_part ? kPartType : kJsonType);
  contents.body = protocol::TextBody{.text = rendered->text};
  if (!rendered->next.empty()) contents.meta.set("sluice/next", rendered->next);
  if (!rendered->hint.empty()) contents.meta.set("sluice/hint", rendered->hint);
  protocol::ReadResult out;
  out.contents.push_back(std::move(contents));
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(rendered->expires - api_.clock().now());
  out.cache = {.ttl = std::max(left, std::chrono::milliseconds(0)), .shared = false};
  return out;
}

Result<protocol::Completion> Resources::complete(const protocol::CompletionRequest& request,
                                                 const catalog::Context& context) {
  const auto* reference = std::get_if<protocol::TemplateReference>(&request.reference);
  const bool is_ours = reference != nullptr && reference->uri_template.starts_with("ckan://{server}/");
  if (!is_ours) return protocol::Completion{};
  if (request.argument == "server") return contents::complete_among(api_.directory().names(), request.typed);
  const auto server = request.resolved.find("server");
  if (server == request.resolved.end()) return protocol::Completion{};
  const Result<PortalPtr> portal = api_.directory().find_server(server->second);
  if (!portal.ok()) return protocol::Completion{};
  std::string_view type = reference->uri_template;
  type.remove_prefix(std::string_view("ckan://{server}/").size());
  type = type.substr(0, type.find('/'));
  Result<protocol::Completion> found = complete_name(**portal, type, request.typed, caller_of(context));
  // A portal that does not answer has no completions; that is no error of whoever types.
  if (!found.ok() && found.error().kind != ErrorKind::kCancelled) return protocol::Completion{};
  return found;
}

Result<protocol::Completion> Resources::complete_name(const Portal& portal, std::string_view type,
                                                      const std::string& typed, const Caller& caller) {
  std::vector<std::string> names;
  if (type == "dataset") {
    SLUICE_TRY(const ActionResultPtr result,
               api_.get(portal, "package_autocomplete",
                        {{"q", typed}, {"limit", std::to_string(kCompletionsMax)}}, caller));
    if (const json::Array* list = result->value.if_array()) {
      for (const json::Value& each : *list) names.push_back(text_of(each, "name"));
    }
    names.erase(std::remove(names.begin(), names.end(), ""), names.end());
    return protocol::Completion{.values = std::move(names), .total = std::nullopt};
  }
  if (type == "resource") return protocol::Completion{};  // No portal can list their ids.
  const std::string facet = type == "group"          ? "groups"
                            : type == "tag"          ? "tags"
                            : type == "organization" ? "organization"
                                                     : "res_format";
  SLUICE_TRY(const ActionResultPtr result,
             api_.get(portal, "package_search",
                      {{"q", "*:*"},
                       {"rows", "0"},
                       {"facet.field", json::to_text(json::Value(json::Array{facet}))},
                       {"facet.limit", "1000"}},
                      caller));
  const json::Value* facets = result->value.find("facets");
  const json::Value* values = facets == nullptr ? nullptr : facets->find(facet);
  if (values != nullptr && values->if_object() != nullptr) {
    for (const json::Member& member : *values->if_object()) names.push_back(member.key);
  }
  std::sort(names.begin(), names.end());
  return contents::complete_among(std::move(names), typed);
}

}  // namespace sluice::ckan
