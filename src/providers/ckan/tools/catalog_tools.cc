#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "portal/portal_text.h"
#include "portal/portal_view.h"
#include "portal/search.h"
#include "tools/tools.h"

namespace sluice::ckan {

namespace {

constexpr std::chrono::seconds kCountTimeout{5};  // A status is not waited for longer because of a number.
constexpr std::size_t kSchemasMax = 40;           // In one call, however many resources the datasets have.

bool is_in_datastore(const json::Value& resource) {
  const json::Value active = member_of(resource, "datastore_active");
  return active.if_bool() != nullptr && *active.if_bool();
}

json::Object brief(const json::Value& value, std::initializer_list<const char*> keys) {
  json::Object out;
  for (const char* key : keys) out.set(key, member_of(value, key));
  return out;
}

json::Object schema_of(const json::Value& result) {
  json::Array fields;
  for (const json::Value& field : list_of(result, "fields")) {
    if (text_of(field, "id") == "_id" || text_of(field, "id") == "_full_text") continue;
    json::Object one{{"id", member_of(field, "id")}, {"type", member_of(field, "type")}};
    const json::Value info = member_of(field, "info");
    for (const char* key : {"label", "notes"}) {
      if (const std::string text = text_of(info, key); !text.empty()) one.set(key, text);
    }
    fields.push_back(std::move(one));
  }
  return {{"fields", std::move(fields)}, {"total", count_of(result, "total")}};
}

json::Object analyzed(const ToolCall& call, const json::Value& dataset, std::size_t& schemas) {
  json::Array inside;
  json::Array outside;
  for (const json::Value& resource : list_of(dataset, "resources")) {
    json::Object one = brief(resource, {"id", "name", "format"});
    if (!is_in_datastore(resource)) {
      one.set("url", member_of(resource, "url"));
      outside.push_back(std::move(one));
      continue;
    }
    json::Object entry{{"resource", std::move(one)}, {"schema", nullptr}};
    if (schemas++ >= kSchemasMax) {
      entry.set("error", "not looked at: too many resources in one call");
    } else if (const Result<ActionResultPtr> result =
                   call.get("datastore_search", {{"resource_id", text_of(resource, "id")}, {"limit", "0"}});
               result.ok()) {
      entry.set("schema", schema_of((*result)->value));
    } else {
      entry.set("error", result.error().message);
    }
    inside.push_back(std::move(entry));
  }
  json::Object shown = brief(dataset, {"id", "name", "title"});
  shown.set("organization", organization_of(dataset));
  shown.set("notes", cut(text_of(dataset, "notes"), 200));
  shown.set("view_url", dataset_url(call.portal, text_of(dataset, "id"), text_of(dataset, "name")));
  return {{"dataset", std::move(shown)},
          {"datastoreResources", std::move(inside)},
          {"nonDatastoreResources", std::move(outside)}};
}

}  // namespace

namespace {

// Nothing where the portal has no such field, or does not say: its status is worth having all the same.
Result<std::optional<std::uint64_t>> count_high_value(const ToolCall& call) {
  const std::string& field = call.portal.spec.hvd_field;
  if (field.empty()) return std::optional<std::uint64_t>();
  const Monotonic deadline = std::min(call.caller.deadline, call.api.clock().now() + kCountTimeout);
  const Result<ActionResultPtr> result =
      call.api.get(call.portal, "package_search", {{"q", "*:*"}, {"fq", field + ":*"}, {"rows", "0"}},
                   {.stop = call.caller.stop, .deadline = deadline});
  if (result.ok()) return std::optional(count_of((*result)->value));
  if (result.error().kind == ErrorKind::kCancelled) return result.error();
  return std::optional<std::uint64_t>();
}

}  // namespace

Result<ToolAnswer> status_show(const ToolCall& call) {
  SLUICE_TRY(const ActionResultPtr result, call.get("status_show", {}));
  const json::Object* status = result->value.if_object();
  if (status == nullptr)
    return unavailable("The portal's answer is not what CKAN's API gives").with_code("ckan_not_json");
  ToolAnswer found{
      .value = *status, .title = "Status of " + call.portal.server_url(), .facts = {"The portal answers"}};
  SLUICE_TRY(const std::optional<std::uint64_t> high_value, count_high_value(call));
  if (high_value) {
    found.value.set("hvd_count", *high_value);
    found.facts.push_back(fmt::format("{} high-value datasets (HVD)", *high_value));
  }
  return found;
}

Result<ToolAnswer> analyze_datasets(const ToolCall& call) {
  SLUICE_TRY(const std::int64_t rows, call.in.number("rows", kAnalyzeRows));
  SLUICE_TRY(const std::int64_t start, call.in.number("start", kStart));
  SLUICE_TRY(const SearchOutcome outcome,
             search(call, {.q = call.in.text("q"),
                           .others = {{"rows", std::to_string(rows)}, {"start", std::to_string(start)}}}));
  json::Array datasets;
  std::size_t schemas = 0;
  for (const json::Value& dataset : list_of(outcome.result->value, "results"))
    datasets.push_back(analyzed(call, dataset, schemas));
  const std::uint64_t total = count_of(outcome.result->value);
  ToolAnswer found{
      .value = json::Object{{"total", total}},
      .title = "Datasets of " + call.portal.server_url() + " with their columns",
      .facts = {},
      .page = {.key = "datasets",
               .offset = static_cast<std::uint64_t>(start),
               .total = total,
               .has_more = !datasets.empty() && static_cast<std::uint64_t>(start) + datasets.size() < total,
               .argument = "start"}};
  if (total == 0) found.facts.emplace_back(kNothingFound);
  found.value.set("datasets", std::move(datasets));
  return found;
}

Result<ToolAnswer> catalog_stats(const ToolCall& call) {
  SLUICE_TRY(const std::int64_t limit, call.in.number("facet_limit", kStatsLimit));
  SLUICE_TRY(
      const ActionResultPtr result,
      call.get("package_search", {{"q", "*:*"},
                                  {"rows", "0"},
                                  {"facet.field", facet_fields({"groups", "res_format", "organization"})},
                                  {"facet.limit", std::to_string(limit)}}));
  json::Object facets;
  for (const char* field : {"groups", "res_format", "organization"}) {
    json::Object counts;
    for (const FacetItem& item : facet_items(result->value, field)) counts.set(item.name, item.count);
    facets.set(field, std::move(counts));
  }
  const std::uint64_t total = count_of(result->value);
  return ToolAnswer{.value = json::Object{{"total", total}, {"facets", std::move(facets)}},
                    .title = "The catalog of " + call.portal.server_url(),
                    .facts = {fmt::format("{} datasets", total)}};
}

}  // namespace sluice::ckan
