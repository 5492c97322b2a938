#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/text/normalize.h"

#include "portal_text.h"
#include "portal_view.h"
#include "search.h"
#include "search_syntax.h"
#include "tools.h"

namespace sluice::ckan {

namespace {

constexpr std::string_view kFacetsMax = "500";

// Organizations and groups are asked for in the same ways.
struct Family {
  std::string_view one;    // Also the beginning of its actions.
  std::string many;        // The member that lists them.
  std::string facet;       // Of package_search.
  bool has_pages = false;  // For people to look at.
};
const Family kOrganizations{
    .one = "organization", .many = "organizations", .facet = "organization", .has_pages = true};
const Family kGroups{.one = "group", .many = "groups", .facet = "groups", .has_pages = false};

Result<ActionResultPtr> facets_by(const ToolCall& call, const Family& family, const std::string& q) {
  return call.get("package_search", {{"q", q},
                                     {"rows", "0"},
                                     {"facet.field", facet_fields({family.facet})},
                                     {"facet.limit", std::string(kFacetsMax)}});
}

json::Value facet_entry(const FacetItem& item, bool all_fields) {
  if (!all_fields) return item.name;
  return json::Object{
      {"id", nullptr}, {"name", item.name}, {"title", item.display_name}, {"package_count", item.count}};
}

json::Value list_entry(const json::Value& listed, bool all_fields) {
  if (listed.if_string() != nullptr) return listed;
  if (!all_fields) return text_of(listed, "name");
  return json::Object{{"id", member_of(listed, "id")},
                      {"name", member_of(listed, "name")},
                      {"title", member_of(listed, "title")},
                      {"package_count", member_of(listed, "package_count")}};
}

struct ListPlace {
  std::int64_t limit = 0;
  std::int64_t offset = 0;
  bool all_fields = false;
};

Found listed(const ToolCall& call, const Family& family, json::Array entries, std::uint64_t count) {
  Found found{.value = json::Object{{"count", count}},
              .title = fmt::format("{} of {}", family.many == "groups" ? "Groups" : "Organizations",
                                   call.portal.server_url()),
              .facts = {fmt::format("{} {}, {} shown", count, family.many, entries.size())},
              .rows = family.many};
  if (count == 0) found.facts.emplace_back(kNothingFound);
  found.value.set(family.many, std::move(entries));
  return found;
}

// What the datasets name, where a portal cannot list, or only the number is wanted.
Result<Found> list_by_facet(const ToolCall& call, const Family& family, const ListPlace& place) {
  SLUICE_TRY(const ActionResultPtr result, facets_by(call, family, "*:*"));
  std::vector<FacetItem> items = facet_items(result->value, family.facet);
  const std::uint64_t count = items.size();
  std::sort(items.begin(), items.end(),
            [](const FacetItem& a, const FacetItem& b) { return a.name < b.name; });
  json::Array entries;
  const auto begin = std::min(static_cast<std::size_t>(place.offset), items.size());
  const auto end = std::min(begin + static_cast<std::size_t>(place.limit), items.size());
  for (std::size_t i = begin; i < end; ++i) entries.push_back(facet_entry(items[i], place.all_fields));
  Found found = listed(call, family, std::move(entries), count);
  found.value.set("has_more", place.limit > 0 && end < items.size());
  if (place.limit > 0 && end < items.size()) found.value.set("next_offset", end);
  found.value.set("counted_by", "facets");
  return found;
}

Result<Found> list_family(const ToolCall& call, const Family& family) {
  SLUICE_TRY(const std::int64_t limit, call.in.number("limit", kListLimit));
  SLUICE_TRY(const std::int64_t offset, call.in.number("offset", kStart));
  const ListPlace place{.limit = limit, .offset = offset, .all_fields = call.in.flag("all_fields")};
  if (limit == 0) return list_by_facet(call, family, place);
  const Result<ActionResultPtr> result =
      call.get(std::string(family.one) + "_list", {{"all_fields", place.all_fields ? "true" : "false"},
                                                   {"sort", call.in.text("sort", "name asc")},
                                                   {"limit", std::to_string(limit)},
                                                   {"offset", std::to_string(offset)}});
  if (!result.ok() && result.error().code == "ckan_error") return list_by_facet(call, family, place);
  if (!result.ok()) return result.error();
  json::Array entries;
  if (const json::Array* list = (*result)->value.if_array()) {
    for (const json::Value& each : *list) entries.push_back(list_entry(each, place.all_fields));
  }
  const std::size_t count = entries.size();
  const bool has_more = count >= static_cast<std::size_t>(limit);
  Found found = listed(call, family, std::move(entries), count);
  found.value.set("has_more", has_more);
  if (has_more) found.value.set("next_offset", offset + static_cast<std::int64_t>(count));
  return found;
}

Result<Found> show_family(const ToolCall& call, const Family& family) {
  const bool with_datasets = call.in.flag("include_datasets", true);
  Parameters parameters{{"id", call.in.text("id")}, {"include_datasets", with_datasets ? "true" : "false"}};
  if (family.has_pages) parameters["include_users"] = call.in.flag("include_users") ? "true" : "false";
  SLUICE_TRY(const ActionResultPtr result, call.get(std::string(family.one) + "_show", parameters));
  const json::Value& shown = result->value;
  json::Object out;
  for (const char* key : {"id", "name", "title", "description", "image_url", "package_count", "created"}) {
    if (family.has_pages || std::string_view(key) != "image_url") out.set(key, member_of(shown, key));
  }
  if (family.has_pages) out.set("view_url", organization_url(call.portal, text_of(shown, "name")));
  if (family.has_pages && call.in.flag("include_users")) out.set("users", member_of(shown, "users"));
  json::Array packages;
  for (const json::Value& package : list_of(shown, "packages")) {
    json::Object one;
    for (const char* key : {"id", "name", "title", "metadata_modified"})
      one.set(key, member_of(package, key));
    packages.push_back(std::move(one));
  }
  const std::size_t count = packages.size();
  out.set("packages", std::move(packages));
  return Found{.value = std::move(out),
               .title = fmt::format("One of the {} of {}", family.many, call.portal.server_url()),
               .facts = {fmt::format("{} datasets, {} shown", count_of(shown, "package_count"), count)},
               .rows = "packages"};
}

Result<Found> search_family(const ToolCall& call, const Family& family) {
  const std::string pattern = call.in.text("pattern");
  SLUICE_TRY(const ActionResultPtr result,
             facets_by(call, family, fmt::format("{}:*{}*", family.facet, pattern_word(pattern))));
  const std::string wanted = text::normalize(pattern);
  json::Array entries;
  for (const FacetItem& item : facet_items(result->value, family.facet)) {
    // Datasets of several groups bring the others along.
    const bool fits = text::normalize(item.name).find(wanted) != std::string::npos ||
                      text::normalize(item.display_name).find(wanted) != std::string::npos;
    if (!fits) continue;
    json::Object one{{"name", item.name}, {"display_name", item.display_name}, {"dataset_count", item.count}};
    if (family.has_pages) one.set("view_url", organization_url(call.portal, item.name));
    entries.push_back(std::move(one));
  }
  const std::size_t count = entries.size();
  Found found = listed(call, family, std::move(entries), count);
  found.value.set("total_datasets", count_of(result->value));
  return found;
}

}  // namespace

Result<Found> organization_list(const ToolCall& call) { return list_family(call, kOrganizations); }
Result<Found> organization_show(const ToolCall& call) { return show_family(call, kOrganizations); }
Result<Found> organization_search(const ToolCall& call) { return search_family(call, kOrganizations); }
Result<Found> group_list(const ToolCall& call) { return list_family(call, kGroups); }
Result<Found> group_show(const ToolCall& call) { return show_family(call, kGroups); }
Result<Found> group_search(const ToolCall& call) { return search_family(call, kGroups); }

Result<Found> tag_list(const ToolCall& call) {
  SLUICE_TRY(const std::int64_t limit, call.in.number("limit", kTagLimit));
  const std::string wanted = text::normalize(call.in.text("tag_query"));
  Parameters parameters{{"rows", "0"},
                        {"facet.field", facet_fields({"tags"})},
                        {"facet.limit", std::to_string(wanted.empty() ? limit : kTagLimit.most)}};
  if (call.in.has("fq")) parameters["fq"] = call.in.text("fq");
  SLUICE_TRY(const SearchOutcome outcome,
             search(call, {.q = call.in.text("q", "*:*"), .others = std::move(parameters)}));
  json::Array tags;
  std::size_t fitting = 0;
  for (const FacetItem& item : facet_items(outcome.result->value, "tags")) {
    if (text::normalize(item.display_name).find(wanted) == std::string::npos) continue;
    if (++fitting > static_cast<std::size_t>(limit)) continue;
    tags.push_back(
        json::Object{{"name", item.name}, {"count", item.count}, {"display_name", item.display_name}});
  }
  const std::size_t count = tags.size();
  Found found{
      .value = json::Object{{"count", count},
                            {"has_more", fitting > count ||
                                             (wanted.empty() && count == static_cast<std::size_t>(limit))}},
      .title = "Tags of " + call.portal.server_url(),
      .facts = {fmt::format("{} tags, the most frequent first", count)},
      .rows = "tags"};
  if (count == 0) found.facts.emplace_back(kNothingFound);
  found.value.set("tags", std::move(tags));
  return found;
}

}  // namespace sluice::ckan
