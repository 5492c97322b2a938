// What the tools of the original are called with and answer, by name; its bounds; the portals that it knows.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "sluice/fetch/rate_limit.h"
#include "sluice/fetch/url.h"
#include "sluice/json/reader.h"

#include "file_server.h"

namespace sluice::ckan::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

json::Object with(json::Object more = {}) {
  json::Object out{{"server_url", "dati.gov.it"}};
  for (const json::Member& member : more) out.set(member.key, member.value);
  return out;
}

std::set<std::string> keys_of(const json::Value& value) {
  std::set<std::string> out;
  if (const json::Object* object = value.if_object()) {
    for (const json::Member& member : *object) out.insert(member.key);
  }
  return out;
}

json::Value value_at(const json::Value& value, const std::string& path) {
  const std::string text = at(value, path);
  const Result<json::Value> read = json::read(text);
  return read.ok() ? *read : json::Value();
}

// "rows 10 0..1000": the name of an argument, its default, and between what it must be; "q!": required.
struct Signature {
  std::string tool;
  std::vector<std::string> arguments;
};

std::vector<std::string> described(const json::Value& schema) {
  std::vector<std::string> out;
  const json::Array& required = *schema.find("required")->if_array();
  for (const json::Member& member : *schema.find("properties")->if_object()) {
    std::string line = member.key;
    if (std::any_of(required.begin(), required.end(),
                    [&](const json::Value& each) { return *each.if_string() == member.key; }))
      line += "!";
    if (member.value.find("default") != nullptr)
      line += " " + at(member.value, "default") + " " + at(member.value, "minimum") + ".." +
              at(member.value, "maximum");
    if (member.key != "server_url" && member.key != "response_format") out.push_back(line);
  }
  return out;
}

TEST(CkanContract, ToolsHaveTheArgumentsAndDefaultsOfTheOriginal) {
  const std::vector<Signature> signatures = {
      {"ckan_package_search",
       {"q", "fq", "rows 10 0..1000", "start 0 0..10000000", "page 1 1..1000000", "page_size 10 1..1000",
        "sort", "facet_field", "facet_limit 50 1..1000", "include_drafts", "content_recent",
        "content_recent_days 30 1..36500", "query_parser"}},
      {"ckan_find_relevant_datasets",
       {"query!", "limit 10 1..50", "offset 0 0..49", "weights", "query_parser"}},
      {"ckan_package_show", {"id!", "include_tracking"}},
      {"ckan_list_resources", {"id!", "format_filter", "check_source_portal", "offset 0 0..10000000"}},
      {"ckan_datastore_search",
       {"resource_id!", "q", "filters", "limit 100 0..32000", "offset 0 0..10000000", "fields", "sort",
        "distinct"}},
      {"ckan_datastore_search_sql", {"sql!", "offset 0 0..10000000"}},
      {"ckan_status_show", {}},
      {"ckan_organization_list", {"all_fields", "sort", "limit 100 0..1000", "offset 0 0..10000000"}},
      {"ckan_organization_show", {"id!", "include_datasets", "include_users", "offset 0 0..10000000"}},
      {"ckan_organization_search", {"pattern!", "offset 0 0..10000000"}},
      {"ckan_group_list", {"all_fields", "sort", "limit 100 0..1000", "offset 0 0..10000000"}},
      {"ckan_group_show", {"id!", "include_datasets", "offset 0 0..10000000"}},
      {"ckan_group_search", {"pattern!", "offset 0 0..10000000"}},
      {"ckan_tag_list", {"q", "fq", "tag_query", "limit 100 1..1000", "offset 0 0..1000000"}},
      {"ckan_analyze_datasets", {"q!", "rows 5 1..20", "start 0 0..10000000"}},
      {"ckan_catalog_stats", {"facet_limit 20 1..100"}}};
  PortalFixture fixture;
  CkanServer server(fixture);
  const WireMessage list = server.client().call("tools/list");
  std::map<std::string, json::Value> schemas;
  for (int i = 0; i < static_cast<int>(list.size({"result", "tools"})); ++i)
    schemas[list.text({"result", "tools", i, "name"})] = list.at({"result", "tools", i, "inputSchema"});
  EXPECT_EQ(schemas.size(), signatures.size() + 1) << "ckan_list_portals is our own";
  for (const Signature& signature : signatures) {
    ASSERT_TRUE(schemas.contains(signature.tool)) << signature.tool;
    const json::Value& schema = schemas[signature.tool];
    EXPECT_EQ(described(schema), signature.arguments) << signature.tool;
    EXPECT_EQ(at(schema, "properties/response_format/enum"), R"(["markdown","json"])");
    EXPECT_EQ(at(schema, "required/0"), "server_url");
  }
  const json::Value weights = *schemas["ckan_find_relevant_datasets"].find("properties")->find("weights");
  for (const auto& [part, weight] : std::map<std::string, std::string>{{"title", "4"},
                                                                       {"notes", "2"},
                                                                       {"tags", "3"},
                                                                       {"organization", "1"},
                                                                       {"holder", "4"},
                                                                       {"publisher", "2"}})
    EXPECT_EQ(at(weights, "properties/" + part + "/default"), weight) << part;
}

TEST(CkanContract, ToolsAskForWhatTheDefaultsSay) {
  PortalFixture fixture;
  CkanServer server(fixture);
  const auto asked = [&](const std::string& tool, const json::Object& arguments, const std::string& action) {
    server.call(tool, with(arguments));
    return fixture.asked(action).back().parameters;
  };
  using Parameters = std::map<std::string, std::string>;
  EXPECT_EQ(asked("ckan_package_search", {}, "package_search"),
            (Parameters{{"q", "*:*"}, {"rows", "10"}, {"start", "0"}}));
  EXPECT_EQ(asked("ckan_find_relevant_datasets", {{"query", "acqua"}}, "package_search")["rows"], "50");
  EXPECT_EQ(asked("ckan_package_show", {{"id", "pkg-1"}}, "package_show"), (Parameters{{"id", "pkg-1"}}));
  EXPECT_EQ(asked("ckan_datastore_search", {{"resource_id", "res-1"}}, "datastore_search"),
            (Parameters{{"resource_id", "res-1"}, {"limit", "100"}, {"offset", "0"}}));
  EXPECT_EQ(asked("ckan_organization_list", {}, "organization_list"),
            (Parameters{{"all_fields", "false"}, {"sort", "name asc"}, {"limit", "101"}, {"offset", "0"}}));
  EXPECT_EQ(asked("ckan_organization_show", {{"id", "example-org"}}, "organization_show"),
            (Parameters{{"id", "example-org"}, {"include_datasets", "true"}, {"include_users", "false"}}));
  EXPECT_EQ(asked("ckan_group_list", {}, "group_list")["sort"], "name asc");
  EXPECT_EQ(asked("ckan_group_show", {{"id", "governo"}}, "group_show"),
            (Parameters{{"id", "governo"}, {"include_datasets", "true"}}));
  EXPECT_EQ(asked("ckan_organization_search", {{"pattern", "ROMA"}}, "package_search"),
            (Parameters{{"q", "organization:*roma*"},
                        {"rows", "0"},
                        {"facet.field", R"(["organization"])"},
                        {"facet.limit", "-1"}}));
  EXPECT_EQ(asked("ckan_group_search", {{"pattern", "Tur"}}, "package_search")["q"], "groups:*tur*");
  EXPECT_EQ(
      asked("ckan_tag_list", {}, "package_search"),
      (Parameters{{"q", "*:*"}, {"rows", "0"}, {"facet.field", R"(["tags"])"}, {"facet.limit", "101"}}));
  EXPECT_EQ(asked("ckan_analyze_datasets", {{"q", "acqua"}}, "package_search")["rows"], "5");
  EXPECT_EQ(asked("ckan_catalog_stats", {}, "package_search"),
            (Parameters{{"q", "*:*"},
                        {"rows", "0"},
                        {"facet.field", R"(["groups","res_format","organization"])"},
                        {"facet.limit", "20"}}));
}

TEST(CkanContract, AnswersHaveTheKeysOfTheOriginal) {
  PortalFixture fixture;
  CkanServer server(fixture);
  struct Expected {
    std::string tool;
    json::Object arguments;
    std::string path;  // Of an object within the answer.
    std::vector<std::string> keys;
  };
  const std::vector<std::string> record_keys = {"resource_id", "fields", "records", "total"};
  const std::vector<Expected> all = {
      {"ckan_package_search",
       {{"facet_field", json::Array{"tags"}}},
       "",
       {"count", "results", "facets", "search_facets"}},
      {"ckan_package_search",
       {},
       "results/0",
       {"id", "name", "title", "notes", "organization", "tags", "num_resources", "metadata_modified",
        "view_url"}},
      {"ckan_find_relevant_datasets",
       {{"query", "dataset"}},
       "",
       {"query", "terms", "weights", "total_results", "returned", "results"}},
      {"ckan_find_relevant_datasets",
       {{"query", "dataset"}},
       "results/0",
       {"id", "name", "title", "organization", "tags", "metadata_modified", "score", "breakdown"}},
      {"ckan_find_relevant_datasets",
       {{"query", "dataset"}},
       "results/0/breakdown",
       {"title", "notes", "tags", "organization", "holder", "publisher", "total"}},
      {"ckan_package_show",
       {{"id", "pkg-1"}},
       "",
       {"id",
        "name",
        "title",
        "notes",
        "organization",
        "tags",
        "state",
        "license_title",
        "metadata_created",
        "metadata_modified",
        "issued",
        "modified",
        "author",
        "maintainer",
        "frequency",
        "language",
        "publisher_name",
        "holder_name",
        "hvd_category",
        "applicable_legislation",
        "resources",
        "view_url",
        "api_json_url"}},
      {"ckan_package_show", {{"id", "pkg-1"}}, "organization", {"name", "title"}},
      {"ckan_package_show",
       {{"id", "pkg-1"}},
       "resources/0",
       {"id", "name", "format", "url", "size", "datastore_active", "created", "last_modified",
        "api_json_url"}},
      {"ckan_list_resources",
       {{"id", "pkg-1"}},
       "",
       {"dataset_id", "dataset_name", "dataset_title", "total_resources", "filtered_resources",
        "format_filter", "resources"}},
      {"ckan_list_resources",
       {{"id", "pkg-1"}},
       "resources/0",
       {"name", "id", "format", "size", "datastore_active", "url"}},
      {"ckan_datastore_search", {{"resource_id", "res-1"}}, "", record_keys},
      {"ckan_datastore_search_sql", {{"sql", "SELECT 1"}}, "", record_keys},
      {"ckan_status_show", {}, "", {"ckan_version", "site_title", "site_url", "locale_default"}},
      {"ckan_organization_list", {}, "", {"count", "organizations"}},
      {"ckan_organization_list",
       {{"all_fields", true}},
       "organizations/0",
       {"id", "name", "title", "package_count"}},
      {"ckan_organization_show",
       {{"id", "example-org"}},
       "",
       {"id", "name", "title", "description", "image_url", "package_count", "created", "view_url",
        "packages"}},
      {"ckan_group_show", {{"id", "governo"}}, "packages/0", {"id", "name", "title", "metadata_modified"}},
      {"ckan_organization_search", {{"pattern", "data"}}, "", {"count", "total_datasets", "organizations"}},
      {"ckan_organization_search",
       {{"pattern", "data"}},
       "organizations/0",
       {"name", "display_name", "dataset_count", "view_url"}},
      {"ckan_group_list", {}, "", {"count", "groups"}},
      {"ckan_group_show",
       {{"id", "governo"}},
       "",
       {"id", "name", "title", "description", "package_count", "created", "packages"}},
      {"ckan_group_search", {{"pattern", "data"}}, "groups/0", {"name", "display_name", "dataset_count"}},
      {"ckan_tag_list", {}, "", {"count", "tags"}},
      {"ckan_tag_list", {}, "tags/0", {"name", "count", "display_name"}},
      {"ckan_analyze_datasets", {{"q", "acqua"}}, "", {"total", "datasets"}},
      {"ckan_analyze_datasets",
       {{"q", "acqua"}},
       "datasets/0",
       {"dataset", "datastoreResources", "nonDatastoreResources"}},
      {"ckan_catalog_stats", {}, "", {"total", "facets"}},
      {"ckan_catalog_stats", {}, "facets", {"groups", "res_format", "organization"}}};
  for (const Expected& each : all) {
    const json::Value answer = server.call(each.tool, with(each.arguments));
    const std::set<std::string> keys = keys_of(value_at(answer, each.path));
    for (const std::string& key : each.keys)
      EXPECT_THAT(keys, Contains(key)) << each.tool << " " << each.path;
  }
}

TEST(CkanContract, BoundsAreThoseOfTheOriginal) {
  const CkanSpec spec;
  EXPECT_EQ(spec.characters_max, 50'000U);
  EXPECT_EQ(spec.timeout, std::chrono::seconds(30));
  EXPECT_EQ(spec.bytes_max, 32U * 1024 * 1024);
  EXPECT_FALSE(spec.portals_only);
  const PortalSpec portal;
  EXPECT_EQ(portal.api_path, "/api/3/action");
  EXPECT_FALSE(portal.allow_private);
  EXPECT_EQ(portal.rate.per_second, 5);
  EXPECT_EQ(portal.rate.burst, 10);
  EXPECT_EQ(portal.rate.wait_max, std::chrono::seconds(5));
}

// Each entry of the original's table is one of ours, under all of its addresses.
TEST(CkanContract, KnowsThePortalsOfTheTable) {
  const json::Value table = json::read(data_file("portals.json")).value();
  const json::Array& entries = *table.find("portals")->if_array();
  ASSERT_EQ(entries.size(), known_portals().size());
  for (const json::Value& entry : entries) {
    const std::string base = at(entry, "api_url");
    const auto known = std::find_if(known_portals().begin(), known_portals().end(),
                                    [&](const PortalSpec& each) { return each.base == base; });
    ASSERT_NE(known, known_portals().end()) << base;
    const auto stated = [&](const std::string& path, const std::string& usual) {
      const std::string text = at(entry, path);
      return text == "(nothing)" ? usual : text;
    };
    EXPECT_EQ(known->api_path, stated("api_path", "/api/3/action")) << base;
    EXPECT_EQ(known->text_field.value_or(false), stated("search/force_text_field", "false") == "true")
        << base;
    EXPECT_EQ(known->hvd_field, stated("hvd/category_field", "")) << base;
    EXPECT_EQ(known->dataset_url, stated("dataset_view_url", "")) << base;
    EXPECT_EQ(known->organization_url, stated("organization_view_url", "")) << base;
    std::set<std::string> hosts(known->aliases.begin(), known->aliases.end());
    hosts.insert({known->host, fetch::Url::parse(base).value().host()});
    for (std::size_t i = 0; i < size_at(entry, "api_url_aliases"); ++i) {
      const std::string alias = at(entry, "api_url_aliases/" + std::to_string(i));
      EXPECT_THAT(hosts, Contains(fetch::Url::parse(alias).value().host())) << base;
    }
  }
}

TEST(CkanContract, PromptsHaveTheArgumentsOfTheOriginal) {
  PortalFixture fixture;
  CkanServer server(fixture);
  const WireMessage list = server.client().call("prompts/list");
  std::vector<std::string> all;
  for (int i = 0; i < static_cast<int>(list.size({"result", "prompts"})); ++i) {
    std::string line = list.text({"result", "prompts", i, "name"});
    for (int k = 0; k < static_cast<int>(list.size({"result", "prompts", i, "arguments"})); ++k)
      line += " " + list.text({"result", "prompts", i, "arguments", k, "name"});
    all.push_back(line);
  }
  EXPECT_THAT(all,
              ElementsAre("ckan-analyze-dataset server_url id", "ckan-recent-datasets server_url rows",
                          "ckan-search-by-format server_url format rows",
                          "ckan-search-by-organization server_url organization rows",
                          "ckan-search-by-theme server_url theme rows", "ckan-search-hvd server_url rows"));
}

}  // namespace
}  // namespace sluice::ckan::testing
