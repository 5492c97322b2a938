#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

#include "portal/portal_text.h"
#include "portal/portal_view.h"
#include "portal/relevance.h"
#include "portal/search.h"
#include "portal/search_syntax.h"
#include "tools/tools.h"

namespace sluice::ckan {

namespace {

constexpr std::size_t kNotesCharacters = 200;
constexpr std::int64_t kCandidatesMax = 100;
constexpr std::int64_t kCandidatesPerResult = 5;

json::Object summary_of(const Portal& portal, const json::Value& dataset) {
  const std::string id = text_of(dataset, "id");
  const std::string name = text_of(dataset, "name");
  const json::Value resources = member_of(dataset, "num_resources");
  return {
      {"id", id},
      {"name", name},
      {"title", member_of(dataset, "title")},
      {"notes", cut(text_of(dataset, "notes"), kNotesCharacters)},
      {"organization", organization_of(dataset)},
      {"tags", tag_names(dataset)},
      {"num_resources", resources.is_null() ? json::Value(list_of(dataset, "resources").size()) : resources},
      {"metadata_modified", member_of(dataset, "metadata_modified")},
      {"view_url", dataset_url(portal, id, name)}};
}

// Datasets whose content is new, whatever was done to their description.
std::string recent_filter(const ToolCall& call, std::int64_t days) {
  return with_dates(
      fmt::format("(issued:[NOW-{0}DAYS TO *] OR (-issued:* AND metadata_created:[NOW-{0}DAYS TO *]))", days),
      call.api.clock().wall());
}

struct Place {
  std::int64_t rows = 0;
  std::int64_t start = 0;
};
// A caller who reads on at `next_start` may leave `page` as it was.
Result<Place> place_of(const Arguments& in) {
  SLUICE_TRY(const std::int64_t start, in.number("start", kStart));
  if (in.has("page") || in.has("page_size")) {
    SLUICE_TRY(const std::int64_t page, in.number("page", kPage));
    SLUICE_TRY(const std::int64_t size, in.number("page_size", kPageSize));
    return Place{.rows = size, .start = start > 0 ? start : (page - 1) * size};
  }
  SLUICE_TRY(const std::int64_t rows, in.number("rows", kRows));
  return Place{.rows = rows, .start = start};
}

Result<Parameters> search_parameters(const ToolCall& call, const Place& place) {
  Parameters out{{"rows", std::to_string(place.rows)}, {"start", std::to_string(place.start)}};
  std::string fq = with_dates(call.in.text("fq"), call.api.clock().wall());
  if (call.in.flag("content_recent")) {
    SLUICE_TRY(const std::int64_t days, call.in.number("content_recent_days", kRecentDays));
    const std::string recent = recent_filter(call, days);
    fq = fq.empty() ? recent : fmt::format("({}) AND {}", fq, recent);
  }
  if (!fq.empty()) out["fq"] = fq;
  if (call.in.has("sort")) out["sort"] = call.in.text("sort");
  if (call.in.flag("include_drafts")) out["include_drafts"] = "true";
  const std::vector<std::string> facets = call.in.texts("facet_field");
  if (!facets.empty()) {
    SLUICE_TRY(const std::int64_t limit, call.in.number("facet_limit", kFacetLimit));
    out["facet.field"] = facet_fields(facets);
    out["facet.limit"] = std::to_string(limit);
  }
  return out;
}

}  // namespace

Result<ToolAnswer> package_search(const ToolCall& call) {
  SLUICE_TRY(const Place place, place_of(call.in));
  SLUICE_TRY(Parameters parameters, search_parameters(call, place));
  SLUICE_TRY(const SearchOutcome outcome,
             search(call, {.q = call.in.text("q", "*:*"), .others = std::move(parameters)}));
  const json::Value& result = outcome.result->value;
  const std::uint64_t count = count_of(result);
  json::Array datasets;
  for (const json::Value& dataset : list_of(result, "results"))
    datasets.push_back(summary_of(call.portal, dataset));
  const auto start = static_cast<std::uint64_t>(place.start);
  ToolAnswer found{.value = json::Object{{"count", count}, {"start", start}},
                   .title = "Datasets of " + call.portal.server_url(),
                   .facts = {},
                   .page = {.key = "results",
                            .offset = start,
                            .total = count,
                            .has_more = !datasets.empty() && start + datasets.size() < count,
                            .argument = "start"}};
  if (outcome.without_accents) {
    found.value.set("searched_for", outcome.q);
    found.facts.emplace_back("Nothing with these accents; searched without them");
  }
  if (count == 0) found.facts.emplace_back(kNothingFound);
  found.value.set("results", std::move(datasets));
  if (!call.in.texts("facet_field").empty()) {
    found.value.set("facets", member_of(result, "facets"));
    found.value.set("search_facets", member_of(result, "search_facets"));
  }
  return found;
}

Result<ToolAnswer> find_relevant_datasets(const ToolCall& call) {
  SLUICE_TRY(const std::int64_t limit, call.in.number("limit", kRelevantLimit));
  SLUICE_TRY(const std::int64_t offset, call.in.number("offset", kRelevantOffset));
  Weights weights = kUsualWeights;
  json::Object used;
  const json::Object none;
  const json::Object* given = call.in.object("weights");
  const Arguments in(given == nullptr ? none : *given);
  for (Weighted& weighted : weights) {
    SLUICE_TRY(const std::int64_t weight,
               in.number(weighted.name, {.usual = static_cast<std::int64_t>(weighted.weight),
                                         .least = kWeight.least,
                                         .most = kWeight.most}));
    weighted.weight = static_cast<double>(weight);
    used.set(std::string(weighted.name), weight);
  }
  const std::string query = call.in.text("query");
  const std::vector<std::string> terms = terms_of(query);
  const std::int64_t rows = std::min(limit * kCandidatesPerResult, kCandidatesMax);
  SLUICE_TRY(const SearchOutcome outcome,
             search(call, {.q = query, .others = {{"rows", std::to_string(rows)}, {"start", "0"}}}));
  struct Scored {
    Score score;
    json::Object dataset;
  };
  std::vector<Scored> scored;
  for (const json::Value& dataset : list_of(outcome.result->value, "results")) {
    Scored one{.score = score_of(dataset, terms, weights), .dataset = summary_of(call.portal, dataset)};
    for (const char* key : {"notes", "num_resources", "view_url"}) one.dataset.erase(key);
    one.dataset.set("score", one.score.breakdown.find("total") == nullptr
                                 ? json::Value(0)
                                 : *one.score.breakdown.find("total"));
    one.dataset.set("breakdown", one.score.breakdown);
    scored.push_back(std::move(one));
  }
  std::stable_sort(scored.begin(), scored.end(),
                   [](const Scored& a, const Scored& b) { return a.score.total > b.score.total; });
  scored.resize(std::min(scored.size(), static_cast<std::size_t>(limit)));
  json::Array results;
  for (Scored& one : scored) results.push_back(std::move(one.dataset));
  const std::size_t ranked = results.size();
  skip_rows(results, static_cast<std::uint64_t>(offset));
  json::Array listed;
  for (const std::string& term : terms) listed.emplace_back(term);
  const std::uint64_t count = count_of(outcome.result->value);
  ToolAnswer found{.value = json::Object{{"query", query},
                                         {"terms", std::move(listed)},
                                         {"weights", std::move(used)},
                                         {"total_results", count},
                                         {"returned", results.size()},
                                         {"results", results}},
                   .title = "Relevant datasets of " + call.portal.server_url(),
                   .facts = {fmt::format("{} found, of which the best {} are ranked", count, ranked)},
                   .page = {.key = "results",
                            .offset = static_cast<std::uint64_t>(offset),
                            .total = ranked,
                            .argument = "offset",
                            .count_key = "returned"}};
  if (count == 0) found.facts.emplace_back(kNothingFound);
  return found;
}

Result<ToolAnswer> package_show(const ToolCall& call) {
  Parameters parameters{{"id", call.in.text("id")}};
  if (call.in.flag("include_tracking")) parameters["include_tracking"] = "true";
  SLUICE_TRY(const ActionResultPtr result, call.get("package_show", parameters));
  const json::Value& dataset = result->value;
  const json::Value organization = member_of(dataset, "organization");
  const std::string id = text_of(dataset, "id");
  const std::string name = text_of(dataset, "name");
  json::Object out{{"id", id}, {"name", name}};
  out.set("title", member_of(dataset, "title"));
  out.set("notes", member_of(dataset, "notes"));
  out.set("organization", organization.is_object()
                              ? json::Value(json::Object{{"name", member_of(organization, "name")},
                                                         {"title", member_of(organization, "title")}})
                              : json::Value());
  out.set("tags", tag_names(dataset));
  for (const char* key : {"state", "license_title", "metadata_created", "metadata_modified", "issued",
                          "modified", "author", "maintainer", "frequency", "language", "publisher_name",
                          "holder_name", "hvd_category", "applicable_legislation"})
    out.set(key, field_of(dataset, key));
  if (call.in.flag("include_tracking")) out.set("tracking_summary", member_of(dataset, "tracking_summary"));
  json::Array resources;
  for (const json::Value& resource : list_of(dataset, "resources")) {
    json::Object one;
    for (const char* key :
         {"id", "name", "format", "url", "size", "datastore_active", "created", "last_modified"})
      one.set(key, member_of(resource, key));
    one.set("api_json_url", api_url(call.portal, "resource_show", "id", text_of(resource, "id")));
    resources.push_back(std::move(one));
  }
  out.set("view_url", dataset_url(call.portal, id, name));
  out.set("api_json_url", api_url(call.portal, "package_show", "id", id));
  const std::size_t count = resources.size();
  out.set("resources", std::move(resources));
  return ToolAnswer{
      .value = std::move(out),
      .title = "A dataset of " + call.portal.server_url(),
      .facts = {fmt::format("{} resources", count)},
      .page = {.key = "resources", .total = count, .argument = "offset", .next_tool = "ckan_list_resources"},
      .whole_uri = whole_uri(call.portal, "dataset", id)};
}

}  // namespace sluice::ckan
