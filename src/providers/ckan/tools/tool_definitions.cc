#include "tools/tool_definitions.h"

#include <algorithm>
#include <utility>

#include "sluice/json/schema_words.h"

namespace sluice::ckan {

namespace {

using json::Array;
using json::Object;
using json::schema::described;
using json::schema::flag;
using json::schema::names;
using json::schema::one_of;
using json::schema::text;
using json::schema::typed;

Object name_schema(std::string_view description) {
  return {{"type", "string"}, {"minLength", 1}, {"maxLength", 512}, {"description", description}};
}

struct ToolDescription {
  std::string name;
  std::string title;
  std::string description;
  Object properties;
  std::vector<std::string> required;
  ToolFunction function = nullptr;
};

ToolDefinition define(ToolDescription words) {
  Object properties{{"server_url", name_schema("URL or host of a CKAN portal, e.g. https://demo.ckan.org")}};
  for (const json::Member& member : words.properties) properties.set(member.key, member.value);
  properties.set("response_format", described(one_of({"markdown", "json"}), "Default markdown"));
  Array required{"server_url"};
  for (std::string& each : words.required) required.emplace_back(std::move(each));
  ToolDefinition out;
  out.function = words.function;
  out.tool.name = std::move(words.name);
  out.tool.title = std::move(words.title);
  out.tool.description = std::move(words.description);
  out.tool.input_schema = Object{{"type", "object"},
                                 {"properties", std::move(properties)},
                                 {"required", std::move(required)},
                                 {"additionalProperties", false}};
  out.tool.output_schema = Object{{"type", "object"}};
  out.tool.annotations = protocol::ToolAnnotations{
      .read_only = true, .destructive = false, .idempotent = true, .open_world = true};
  return out;
}

Object parser() {
  return described(one_of({"default", "text"}),
                   "text: words anywhere in a dataset; default: what finds more");
}

void add_dataset_tools(std::vector<ToolDefinition>& out) {
  out.push_back(
      define({.name = "ckan_package_search",
              .title = "Search datasets",
              .description = "Searches the datasets of a CKAN portal with Solr syntax.",
              .properties = {{"q", text("Words, or field:value; default *:*")},
                             {"fq", text("Filter, e.g. organization:x AND res_format:CSV")},
                             {"rows", number_schema(kRows)},
                             {"start", number_schema(kStart)},
                             {"page", number_schema(kPage, "Instead of start, with page_size")},
                             {"page_size", number_schema(kPageSize)},
                             {"sort", text("e.g. metadata_modified desc")},
                             {"facet_field", described(names(), "e.g. organization, tags, res_format")},
                             {"facet_limit", number_schema(kFacetLimit)},
                             {"include_drafts", flag()},
                             {"content_recent", described(flag(), "Only datasets issued lately")},
                             {"content_recent_days", number_schema(kRecentDays)},
                             {"query_parser", parser()}},
              .required = {},
              .function = package_search}));
  Object weights;
  for (const char* part : {"title", "notes", "tags", "organization", "holder", "publisher"})
    weights.set(part, number_schema(kWeight));
  for (const auto& [part, weight] : {std::pair("title", 4), std::pair("notes", 2), std::pair("tags", 3),
                                     std::pair("holder", 4), std::pair("publisher", 2)})
    weights.find(part)->if_object()->set("default", weight);
  out.push_back(define(
      {.name = "ckan_find_relevant_datasets",
       .title = "Find relevant datasets",
       .description = "Searches, then ranks by which words stand in title, description, tags and publisher.",
       .properties = {{"query", Object{{"type", "string"}, {"minLength", 2}, {"description", "Words"}}},
                      {"limit", number_schema(kRelevantLimit)},
                      {"offset", number_schema(kRelevantOffset, "Rank to go on at: next_offset")},
                      {"weights", Object{{"type", "object"},
                                         {"properties", std::move(weights)},
                                         {"additionalProperties", false}}},
                      {"query_parser", parser()}},
       .required = {"query"},
       .function = find_relevant_datasets}));
  out.push_back(define({.name = "ckan_package_show",
                        .title = "Show a dataset",
                        .description = "Metadata of one dataset with its resources.",
                        .properties = {{"id", name_schema("Id or name")}, {"include_tracking", flag()}},
                        .required = {"id"},
                        .function = package_show}));
  out.push_back(
      define({.name = "ckan_list_resources",
              .title = "List resources of a dataset",
              .description =
                  "Files and services of one dataset: format, size, URL, and whether the DataStore has them.",
              .properties = {{"id", name_schema("Id or name of the dataset")},
                             {"format_filter", text("e.g. CSV")},
                             {"check_source_portal",
                              described(flag(), "Ask the portals that resources were harvested from")},
                             {"offset", number_schema(kStart, "To go on at: next_offset")}},
              .required = {"id"},
              .function = list_resources}));
  out.push_back(
      define({.name = "ckan_analyze_datasets",
              .title = "Datasets with their columns",
              .description = "Searches, and gives the columns of every resource that is in the DataStore.",
              .properties = {{"q", name_schema("Words, or field:value")},
                             {"rows", number_schema(kAnalyzeRows)},
                             {"start", number_schema(kStart)}},
              .required = {"q"},
              .function = analyze_datasets}));
}

void add_datastore_tools(std::vector<ToolDefinition>& out) {
  out.push_back(
      define({.name = "ckan_datastore_search",
              .title = "Records of a resource",
              .description = "Records of a resource in the DataStore, filtered and sorted by the portal.",
              .properties = {{"resource_id", name_schema("From ckan_list_resources")},
                             {"q", text("Words in any column")},
                             {"filters", described(typed("object"), "{column: value or list}")},
                             {"limit", number_schema(kRecordLimit)},
                             {"offset", number_schema(kStart)},
                             {"fields", described(names(), "Columns")},
                             {"sort", text("e.g. year desc")},
                             {"distinct", flag()}},
              .required = {"resource_id"},
              .function = datastore_search}));
  out.push_back(define(
      {.name = "ckan_datastore_search_sql",
       .title = "Records by SQL",
       .description =
           "One SELECT that the portal runs on its DataStore; tables are resource ids in double quotes.",
       .properties = {{"sql", Object{{"type", "string"}, {"minLength", 6}, {"maxLength", 4096}}},
                      {"offset", number_schema(kStart, "Records of the answer to skip: next_offset")}},
       .required = {"sql"},
       .function = datastore_search_sql}));
}

void add_family(std::vector<ToolDefinition>& out, const std::string& one, bool has_users, ToolFunction list,
                ToolFunction show, ToolFunction search) {
  out.push_back(define({.name = "ckan_" + one + "_list",
                        .title = "List " + one + "s",
                        .description = "The " + one + "s of a portal.",
                        .properties = {{"all_fields", flag()},
                                       {"sort", text("Default: name asc")},
                                       {"limit", number_schema(kListLimit, "0: only their number")},
                                       {"offset", number_schema(kStart)}},
                        .required = {},
                        .function = list}));
  Object shown{{"id", name_schema("Id or name")}, {"include_datasets", described(flag(), "Default true")}};
  if (has_users) shown.set("include_users", flag());
  shown.set("offset", number_schema(kStart, "Dataset to go on at: next_offset"));
  out.push_back(define({.name = "ckan_" + one + "_show",
                        .title = "Show one " + one,
                        .description = "One " + one + " with its datasets.",
                        .properties = std::move(shown),
                        .required = {"id"},
                        .function = show}));
  out.push_back(
      define({.name = "ckan_" + one + "_search",
              .title = "Find " + one + "s by name",
              .description = "The " + one + "s whose name contains a text, with how many datasets they have.",
              .properties = {{"pattern", name_schema("A part of the name, without wildcards")},
                             {"offset", number_schema(kStart, "To go on at: next_offset")}},
              .required = {"pattern"},
              .function = search}));
}

std::vector<ToolDefinition> build() {
  std::vector<ToolDefinition> out;
  add_dataset_tools(out);
  add_datastore_tools(out);
  add_family(out, "organization", true, organization_list, organization_show, organization_search);
  add_family(out, "group", false, group_list, group_show, group_search);
  out.push_back(define(
      {.name = "ckan_status_show",
       .title = "Status of a portal",
       .description =
           "Whether a portal answers, its version and extensions; where it marks them, how many high-value "
           "datasets (HVD) it has.",
       .properties = {},
       .required = {},
       .function = status_show}));
  out.push_back(define({.name = "ckan_tag_list",
                        .title = "List tags",
                        .description = "Tags of a portal's datasets, the most frequent first.",
                        .properties = {{"q", text("Of which datasets; default *:*")},
                                       {"fq", text("Filter")},
                                       {"tag_query", text("A part of the tag")},
                                       {"limit", number_schema(kTagLimit)},
                                       {"offset", number_schema(kTagOffset)}},
                        .required = {},
                        .function = tag_list}));
  out.push_back(define({.name = "ckan_catalog_stats",
                        .title = "What a portal has",
                        .description = "Number of datasets, by group, format and organization.",
                        .properties = {{"facet_limit", number_schema(kStatsLimit)}},
                        .required = {},
                        .function = catalog_stats}));
  std::sort(out.begin(), out.end(),
            [](const ToolDefinition& a, const ToolDefinition& b) { return a.tool.name < b.tool.name; });
  return out;
}

}  // namespace

const std::vector<ToolDefinition>& tool_definitions() {
  static const std::vector<ToolDefinition> kTools = build();
  return kTools;
}

const ToolDefinition* find_tool(std::string_view name) {
  const std::vector<ToolDefinition>& all = tool_definitions();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const ToolDefinition& each) { return each.tool.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace sluice::ckan
