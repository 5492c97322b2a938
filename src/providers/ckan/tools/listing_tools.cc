#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/text/normalize.h"

#include "portal/portal_text.h"
#include "portal/portal_view.h"
#include "portal/search.h"
#include "portal/search_syntax.h"
#include "tools/tools.h"

namespace sluice::ckan {

namespace {

constexpr std::string_view kAllFacets = "-1";  // Solr takes a negative limit for none.
// Portals shorten a list of organizations by themselves (CKAN: to 25 with all fields, to 1,000 names). A list
// shorter than asked for that is as long as the least of these may go on.
constexpr std::size_t kPortalListMin = 25;

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
                                     {"facet.limit", std::string(kAllFacets)}});
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

ToolAnswer listed(const ToolCall& call, const Family& family, json::Array entries, RowPage page) {
  page.key = family.many;
  page.argument = "offset";
  ToolAnswer found{.value = json::Object{},
                   .title = fmt::format("{} of {}", family.many == "groups" ? "Groups" : "Organizations",
                                        call.portal.server_url()),
                   .facts = {},
                   .page = std::move(page)};
  if (found.page.total == 0U) found.facts.emplace_back(kNothingFound);
  found.value.set("count", 0);
  found.value.set(family.many, std::move(entries));
  return found;
}

// By what the datasets name, if a portal cannot list them, or only their number is wanted (`limit` 0), which
// is then `count`. Otherwise `count` is how many are shown, as in a list of the portal.
Result<ToolAnswer> list_by_facet(const ToolCall& call, const Family& family, const ListPlace& place) {
  SLUICE_TRY(const ActionResultPtr result, facets_by(call, family, "*:*"));
  std::vector<FacetItem> items = facet_items(result->value, family.facet);
  std::sort(items.begin(), items.end(),
            [](const FacetItem& a, const FacetItem& b) { return a.name < b.name; });
  json::Array entries;
  const auto begin = std::min(static_cast<std::size_t>(place.offset), items.size());
  const auto end = std::min(begin + static_cast<std::size_t>(place.limit), items.size());
  for (std::size_t i = begin; i < end; ++i) entries.push_back(facet_entry(items[i], place.all_fields));
  ToolAnswer found =
      listed(call, family, std::move(entries),
             {.offset = static_cast<std::uint64_t>(place.offset),
              .total = items.size(),
              .has_more = place.limit > 0 && end<items.size(), .count_key = place.limit> 0 ? "count" : ""});
  found.value.set("count", items.size());
  found.value.set("total", items.size());
  found.value.set("counted_by", "facets");
  return found;
}

Result<ActionResultPtr> request_list_page(const ToolCall& call, const Family& family,
                                          const ListPlace& place) {
  return call.get(std::string(family.one) + "_list", {{"all_fields", place.all_fields ? "true" : "false"},
                                                      {"sort", call.in.text("sort", "name asc")},
                                                      {"limit", std::to_string(place.limit)},
                                                      {"offset", std::to_string(place.offset)}});
}

// Whether the list goes on behind `count` entries, of which the portal was asked for one more than wanted.
Result<bool> goes_on(const ToolCall& call, const Family& family, const ListPlace& place, std::size_t count) {
  if (count > static_cast<std::size_t>(place.limit)) return true;
  if (count < kPortalListMin) return false;
  const ListPlace behind{
      .limit = 1, .offset = place.offset + static_cast<std::int64_t>(count), .all_fields = place.all_fields};
  SLUICE_TRY(const ActionResultPtr result, request_list_page(call, family, behind));
  const json::Array* list = result->value.if_array();
  return list != nullptr && !list->empty();
}

Result<ToolAnswer> list_family(const ToolCall& call, const Family& family) {
  SLUICE_TRY(const std::int64_t limit, call.in.number("limit", kListLimit));
  SLUICE_TRY(const std::int64_t offset, call.in.number("offset", kStart));
  const ListPlace place{.limit = limit, .offset = offset, .all_fields = call.in.flag("all_fields")};
  if (limit == 0) return list_by_facet(call, family, place);
  const ListPlace one_more{.limit = limit + 1, .offset = offset, .all_fields = place.all_fields};
  const Result<ActionResultPtr> result = request_list_page(call, family, one_more);
  if (!result.ok() && result.error().code == "ckan_error") return list_by_facet(call, family, place);
  if (!result.ok()) return result.error();
  json::Array entries;
  if (const json::Array* list = (*result)->value.if_array()) {
    for (const json::Value& each : *list) entries.push_back(list_entry(each, place.all_fields));
  }
  SLUICE_TRY(const bool has_more, goes_on(call, family, place, entries.size()));
  if (entries.size() > static_cast<std::size_t>(limit)) entries.resize(static_cast<std::size_t>(limit));
  RowPage page{.offset = static_cast<std::uint64_t>(offset), .has_more = has_more, .count_key = "count"};
  // The number of all is known where the list ends, and not behind its end.
  if (!has_more && (offset == 0 || !entries.empty())) page.total = page.offset + entries.size();
  ToolAnswer found = listed(call, family, std::move(entries), page);
  if (page.total) found.value.set("total", *page.total);
  return found;
}

Result<ToolAnswer> show_family(const ToolCall& call, const Family& family) {
  SLUICE_TRY(const std::int64_t offset, call.in.number("offset", kStart));
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
  const std::uint64_t count = count_of(shown, "package_count");
  const bool is_part = with_datasets && packages.size() < count;
  ToolAnswer found{.value = std::move(out),
                   .title = fmt::format("One of the {} of {}", family.many, call.portal.server_url()),
                   .facts = {fmt::format("{} datasets", count)},
                   .page = {.key = "packages",
                            .offset = static_cast<std::uint64_t>(offset),
                            .total = packages.size(),
                            .more_elsewhere = is_part,
                            .argument = "offset"}};
  if (family.has_pages) found.whole_uri = whole_uri(call.portal, family.one, text_of(shown, "name"));
  if (is_part) {
    found.page.other_tool = "ckan_package_search";
    found.page.other_arguments = {{"fq", family.facet + ":" + quoted_phrase(text_of(shown, "name"))}};
    found.facts.push_back(
        fmt::format("The portal lists {} of them here; ckan_package_search lists all with the "
                    "filter {}:<name>",
                    packages.size(), family.facet));
  }
  skip_rows(packages, static_cast<std::uint64_t>(offset));
  found.value.set("packages", std::move(packages));
  return found;
}

Result<ToolAnswer> search_family(const ToolCall& call, const Family& family) {
  SLUICE_TRY(const std::int64_t offset, call.in.number("offset", kStart));
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
  skip_rows(entries, static_cast<std::uint64_t>(offset));
  ToolAnswer found = listed(call, family, std::move(entries),
                            {.offset = static_cast<std::uint64_t>(offset), .total = count});
  found.value.set("count", count);
  found.value.set("total_datasets", count_of(result->value));
  return found;
}

}  // namespace

Result<ToolAnswer> organization_list(const ToolCall& call) { return list_family(call, kOrganizations); }
Result<ToolAnswer> organization_show(const ToolCall& call) { return show_family(call, kOrganizations); }
Result<ToolAnswer> organization_search(const ToolCall& call) { return search_family(call, kOrganizations); }
Result<ToolAnswer> group_list(const ToolCall& call) { return list_family(call, kGroups); }
Result<ToolAnswer> group_show(const ToolCall& call) { return show_family(call, kGroups); }
Result<ToolAnswer> group_search(const ToolCall& call) { return search_family(call, kGroups); }

Result<ToolAnswer> tag_list(const ToolCall& call) {
  SLUICE_TRY(const std::int64_t limit, call.in.number("limit", kTagLimit));
  SLUICE_TRY(const std::int64_t offset, call.in.number("offset", kTagOffset));
  const std::string wanted = text::normalize(call.in.text("tag_query"));
  // One more than wanted says whether there are more. Which tags contain a text is known from all of them.
  const std::string facets_max =
      wanted.empty() ? std::to_string(offset + limit + 1) : std::string(kAllFacets);
  Parameters parameters{{"rows", "0"}, {"facet.field", facet_fields({"tags"})}, {"facet.limit", facets_max}};
  if (call.in.has("fq")) parameters["fq"] = call.in.text("fq");
  SLUICE_TRY(const SearchOutcome outcome,
             search(call, {.q = call.in.text("q", "*:*"), .others = std::move(parameters)}));
  json::Array tags;
  for (const FacetItem& item : facet_items(outcome.result->value, "tags")) {
    if (text::normalize(item.display_name).find(wanted) == std::string::npos) continue;
    tags.push_back(
        json::Object{{"name", item.name}, {"count", item.count}, {"display_name", item.display_name}});
  }
  const auto end = static_cast<std::size_t>(offset + limit);
  RowPage page{.key = "tags",
               .offset = static_cast<std::uint64_t>(offset),
               .has_more = tags.size() > end,
               .argument = "offset",
               .count_key = "count"};
  if (!page.has_more || !wanted.empty()) page.total = tags.size();
  if (page.has_more) tags.resize(end);
  ToolAnswer found{.value = json::Object{},
                   .title = "Tags of " + call.portal.server_url(),
                   .facts = {"The most frequent first"},
                   .page = page};
  if (tags.empty()) found.facts.emplace_back(kNothingFound);
  skip_rows(tags, page.offset);
  found.value.set("tags", std::move(tags));
  return found;
}

}  // namespace sluice::ckan
