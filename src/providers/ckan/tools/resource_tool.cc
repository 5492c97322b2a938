#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/base/uri.h"

#include "portal/portal_text.h"
#include "portal/portal_view.h"
#include "tools/tools.h"

namespace sluice::ckan {

namespace {

constexpr std::size_t kSourceProbesMax = 10;

// "12.3 MB"; null where the portal does not say.
json::Value human_size(const json::Value& size) {
  std::optional<double> bytes;
  if (const json::Number* number = size.if_number()) bytes = number->as_double();
  if (const std::string* text = size.if_string(); text != nullptr && !text->empty()) {
    const bool is_number = text->find_first_not_of("0123456789") == std::string::npos && text->size() < 16;
    if (!is_number) return *text;
    bytes = std::stod(*text);
  }
  if (!bytes || *bytes <= 0) return nullptr;
  constexpr std::array<std::string_view, 5> kUnits = {"B", "KB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (*bytes >= 1'024 && unit + 1 < kUnits.size()) {
    *bytes /= 1'024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", *bytes) : fmt::format("{:.1f} {}", *bytes, kUnits[unit]);
}

// Where a resource that was harvested comes from, if its URL is one of CKAN:
// https://source.example/dataset/x/resource/{id}/…
struct Source {
  PortalPtr portal;
  std::string resource;
};
std::optional<Source> source_of(const ToolCall& call, const std::string& text) {
  const Result<fetch::Url> url = fetch::Url::parse(text);
  if (!url.ok() || url->origin() == call.portal.base.origin()) return std::nullopt;
  constexpr std::string_view kMark = "/resource/";
  const std::size_t at = url->path().find(kMark);
  if (at == std::string::npos) return std::nullopt;
  std::string_view id = std::string_view(url->path()).substr(at + kMark.size());
  id = id.substr(0, id.find('/'));
  const Result<std::string> decoded = percent_decode(id);
  if (!decoded.ok() || !is_portal_name(*decoded)) return std::nullopt;
  Result<PortalPtr> portal = call.api.directory().find_url(url->origin());
  if (!portal.ok()) return std::nullopt;
  return Source{.portal = *std::move(portal), .resource = *decoded};
}

void add_source(const ToolCall& call, const Source& source, json::Object& resource) {
  const Result<ActionResultPtr> answer = call.api.get(
      *source.portal, "datastore_search", {{"resource_id", source.resource}, {"limit", "0"}}, call.caller);
  const bool is_known = answer.ok() || answer.error().kind == ErrorKind::kNotFound;
  resource.set("source_datastore_active", is_known ? json::Value(answer.ok()) : json::Value());
  resource.set("source_portal_url", source.portal->server_url());
}

}  // namespace

Result<ToolAnswer> list_resources(const ToolCall& call) {
  SLUICE_TRY(const std::int64_t offset, call.in.number("offset", kStart));
  SLUICE_TRY(const ActionResultPtr result, call.get("package_show", {{"id", call.in.text("id")}}));
  const json::Value& dataset = result->value;
  const std::string filter = call.in.text("format_filter");
  const json::Array& all = list_of(dataset, "resources");
  json::Array resources;
  std::int64_t matching = 0;
  std::size_t probes = 0;
  for (const json::Value& resource : all) {
    if (!filter.empty() && !equal_ignoring_case(text_of(resource, "format"), filter)) continue;
    if (matching++ < offset) continue;
    const std::string url = text_of(resource, "url");
    json::Object one{{"name", member_of(resource, "name")},
                     {"id", member_of(resource, "id")},
                     {"format", member_of(resource, "format")},
                     {"size", human_size(member_of(resource, "size"))},
                     {"datastore_active", member_of(resource, "datastore_active")},
                     {"url", url}};
    if (call.in.flag("check_source_portal") && probes < kSourceProbesMax) {
      if (const std::optional<Source> source = source_of(call, url)) {
        ++probes;
        add_source(call, *source, one);
      }
    }
    resources.push_back(std::move(one));
  }
  ToolAnswer found{
      .value = json::Object{{"dataset_id", member_of(dataset, "id")},
                            {"dataset_name", member_of(dataset, "name")},
                            {"dataset_title", member_of(dataset, "title")},
                            {"total_resources", all.size()},
                            {"filtered_resources", matching},
                            {"format_filter", filter.empty() ? json::Value() : json::Value(filter)},
                            {"resources", resources}},
      .title = "Resources of a dataset of " + call.portal.server_url(),
      .facts = {fmt::format("{} of {} resources", matching, all.size()),
                "datastore_active: ckan_datastore_search; otherwise ckan_query_file reads tables"},
      .page = {.key = "resources",
               .offset = static_cast<std::uint64_t>(offset),
               .total = static_cast<std::uint64_t>(matching),
               .argument = "offset"}};
  return found;
}

}  // namespace sluice::ckan
