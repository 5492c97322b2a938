// Every list of a portal, read to its end with small limits: each row is shown exactly once, and no answer is
// larger than the operator allows.

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "sluice/json/reader.h"

#include "ckan_server.h"

namespace sluice::ckan::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kDatasets = 61;
constexpr int kRecords = 240;
constexpr int kResources = 90;
constexpr int kOrganizations = 620;
constexpr int kListCap =
    25;  // Organizations with all fields that the portal gives at once, whatever is asked.

int number(const Asked& asked, const std::string& name, int usual) {
  return asked[name].empty() ? usual : std::stoi(asked[name]);
}

std::string numbered(const std::string& prefix, int i) {
  const std::string digits = std::to_string(i);
  return prefix + std::string(4 - digits.size(), '0') + digits;
}

// Some are short, a few are longer than a whole answer, and some take more room once they are written.
std::string prose(int i) {
  if (i % 23 == 7) return std::string(20'000, 'n');
  if (i % 5 == 3) return std::string(300, '`') + "\"\\ è 😀";
  return "About " + std::to_string(i);
}

json::Object dataset(int i) {
  json::Array extras;
  for (int k = 0; k < (i % 17 == 4 ? 500 : 2); ++k)
    extras.push_back(json::Object{{"key", "extra" + std::to_string(k)}, {"value", "some value"}});
  return {{"id", numbered("id-", i)},
          {"name", numbered("dataset-", i)},
          {"title", "Dataset " + std::to_string(i)},
          {"notes", prose(i)},
          {"extras", std::move(extras)},
          {"resources", json::Array{json::Object{{"id", numbered("r-", i)}, {"format", "CSV"}}}}};
}

template <typename Make>
json::Array slice(int all, int offset, int limit, const Make& make) {
  json::Array out;
  for (int i = std::min(offset, all); i < std::min(all, offset + limit); ++i) out.push_back(make(i));
  return out;
}

json::Value record(int i) { return json::Object{{"_id", i}, {"key", numbered("k", i)}, {"note", prose(i)}}; }

void answer_search(const Asked& asked, Answer& answer) {
  json::Object result{
      {"count", kDatasets},
      {"results", slice(kDatasets, number(asked, "start", 0), number(asked, "rows", 10), dataset)}};
  const std::string field = asked["facet.field"];
  if (!field.empty()) {
    const int limit = number(asked, "facet.limit", 50);
    json::Object counts;
    for (int i = 0; i < (limit < 0 ? kOrganizations : std::min(limit, kOrganizations)); ++i)
      counts.append_unchecked(numbered("name-", i), 1'000 - i);
    result.set("facets", json::Object{{*json::read(field)->if_array()->front().if_string(), counts}});
  }
  answer.json(success(json::to_text(result)));
}

void answer_list(const Asked& asked, Answer& answer) {
  const bool all_fields = asked["all_fields"] == "true";
  const int limit = std::min(number(asked, "limit", 1'000), all_fields ? kListCap : 1'000);
  answer.json(success(json::to_text(
      json::Value(slice(kOrganizations, number(asked, "offset", 0), limit, [&](int i) -> json::Value {
        if (!all_fields) return numbered("name-", i);
        return json::Object{{"name", numbered("name-", i)}, {"title", prose(i)}};
      })))));
}

// A portal with more of everything than an answer holds.
class LargePortal {
 public:
  LargePortal() {
    const auto answers = [&](const std::string& action, void (*handler)(const Asked&, Answer&)) {
      fixture_.on(action, [handler](const Asked& asked, const SeenRequest&, Answer& answer) {
        handler(asked, answer);
      });
    };
    answers("package_search", answer_search);
    answers("organization_list", answer_list);
    answers("group_list", answer_list);
    answers("datastore_search", [](const Asked& asked, Answer& answer) {
      answer.json(success(json::to_text(json::Object{
          {"total", kRecords},
          {"fields", json::Array{json::Object{{"id", "_id"}}, json::Object{{"id", "key"}}}},
          {"records", slice(kRecords, number(asked, "offset", 0), number(asked, "limit", 100), record)}})));
    });
    answers("datastore_search_sql", [](const Asked&, Answer& answer) {
      answer.json(success(json::to_text(json::Object{{"records", slice(kRecords, 0, kRecords, record)}})));
    });
    answers("package_show", [](const Asked&, Answer& answer) {
      json::Object shown = dataset(3);
      shown.set("resources", slice(kResources, 0, kResources, [](int i) -> json::Value {
                  return json::Object{{"id", numbered("r", i)}, {"name", prose(i)}, {"format", "CSV"}};
                }));
      answer.json(success(json::to_text(shown)));
    });
    answers("organization_show", [](const Asked&, Answer& answer) {
      answer.json(
          success(json::to_text(json::Object{{"name", "o"},
                                             {"description", prose(7)},
                                             {"package_count", kDatasets},
                                             {"packages", slice(kDatasets, 0, kDatasets, dataset)}})));
    });
  }
  CkanServer server(std::uint64_t bytes) {
    return CkanServer(spec_at(fixture_),
                      {.rows = 5'000, .cells = 150'000, .bytes = bytes, .tokens = 1'000'000});
  }
  PortalFixture& fixture() { return fixture_; }

 private:
  PortalFixture fixture_;
};

struct ToolList {
  std::string tool;
  json::Object arguments;
  std::string rows;   // The member that lists them,
  std::string key;    // the member of each that names it; empty: they are names themselves,
  std::string first;  // and what the names begin with,
  int count = 0;      // of which there are so many.
  std::string next = "next_offset";
};

std::vector<ToolList> tool_lists() {
  return {
      {"ckan_package_search", {{"rows", 30}}, "results", "name", "dataset-", kDatasets, "next_start"},
      {"ckan_package_search",
       {{"page", 1}, {"page_size", 30}},
       "results",
       "name",
       "dataset-",
       kDatasets,
       "next_start"},
      {"ckan_analyze_datasets",
       {{"q", "*:*"}, {"rows", 20}},
       "datasets",
       "dataset",
       "",
       kDatasets,
       "next_start"},
      {"ckan_find_relevant_datasets",
       {{"query", "dataset"}, {"limit", 50}},
       "results",
       "name",
       "dataset-",
       50},
      {"ckan_datastore_search", {{"resource_id", "r"}, {"limit", 100}}, "records", "key", "k", kRecords},
      {"ckan_datastore_search_sql", {{"sql", "SELECT * FROM r"}}, "records", "key", "k", kRecords},
      {"ckan_list_resources", {{"id", "x"}}, "resources", "id", "r", kResources},
      {"ckan_organization_list", {}, "organizations", "", "name-", kOrganizations},
      {"ckan_organization_list", {{"all_fields", true}}, "organizations", "name", "name-", kOrganizations},
      {"ckan_group_list", {{"limit", 7}}, "groups", "", "name-", kOrganizations},
      {"ckan_organization_search", {{"pattern", "name"}}, "organizations", "name", "name-", kOrganizations},
      {"ckan_organization_show", {{"id", "o"}}, "packages", "name", "dataset-", kDatasets},
      {"ckan_tag_list", {{"limit", 200}}, "tags", "name", "name-", kOrganizations},
      {"ckan_tag_list", {{"tag_query", "name-01"}}, "tags", "name", "name-", 100}};
}

std::vector<std::string> names_in(const json::Value& answer, const ToolList& list) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < size_at(answer, list.rows); ++i) {
    std::string path = list.rows + "/" + std::to_string(i);
    if (!list.key.empty()) path += "/" + list.key;
    if (list.key == "dataset") path += "/name";
    out.push_back(at(answer, path));
  }
  return out;
}

// All names, page by page.
std::vector<std::string> walk(CkanServer& server, const ToolList& list, const std::string& form,
                              std::size_t bytes) {
  std::vector<std::string> seen;
  json::Object arguments{{"server_url", "dati.gov.it"}, {"response_format", form}};
  for (const json::Member& member : list.arguments) arguments.set(member.key, member.value);
  for (int pages = 0; pages < 2'000; ++pages) {
    const WireMessage reply = server.call_raw(list.tool, arguments);
    const json::Value answer = reply.at({"result", "structuredContent"});
    const std::string text = reply.text({"result", "content", 0, "text"});
    EXPECT_LE(json::to_text(answer).size(), bytes) << list.tool;
    EXPECT_LE(text.size(), bytes) << list.tool;
    const std::vector<std::string> names = names_in(answer, list);
    for (const std::string& name : names) EXPECT_THAT(text, HasSubstr(name)) << "both channels show it";
    seen.insert(seen.end(), names.begin(), names.end());
    if (at(answer, "has_more") != "true") return seen;
    EXPECT_FALSE(names.empty()) << list.tool << " goes on without showing anything";
    const std::string next = at(answer, list.next);
    EXPECT_NE(next, "(nothing)") << list.tool;
    if (names.empty() || next == "(nothing)") return seen;
    arguments.set(list.next == "next_start" ? "start" : "offset", next);
  }
  ADD_FAILURE() << list.tool << " does not end";
  return seen;
}

TEST(CkanWalk, ToolsShowEveryRowExactlyOnce) {
  LargePortal portal;
  for (const std::size_t bytes : {2'000U, 9'000U, 40'000U}) {
    CkanServer server = portal.server(bytes);
    for (const ToolList& list : tool_lists()) {
      for (const std::string form : {"json", "markdown"}) {
        std::vector<std::string> seen = walk(server, list, form, bytes);
        EXPECT_EQ(seen.size(), static_cast<std::size_t>(list.count))
            << list.tool << " " << form << " " << bytes;
        std::sort(seen.begin(), seen.end());
        EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end())
            << list.tool << ": a row was shown twice";
      }
    }
  }
}

TEST(CkanWalk, ListsOfDatasetsShowEveryDatasetExactlyOnce) {
  LargePortal portal;
  for (const std::size_t bytes : {2'000U, 9'000U, 40'000U}) {
    CkanServer server = portal.server(bytes);
    std::string uri = "ckan://dati.gov.it/tag/t/datasets?rows=20";
    int seen = 0;
    while (uri != "(nothing)") {
      const std::string text = server.text(uri);
      EXPECT_LE(text.size(), bytes);
      const json::Value page = *json::read(text);
      ASSERT_GT(size_at(page, "results"), 0U) << uri;
      for (std::size_t i = 0; i < size_at(page, "results"); ++i)
        ASSERT_EQ(at(page, "results/" + std::to_string(i) + "/name"), numbered("dataset-", seen++));
      const WireMessage reply = server.reply(uri);
      uri = at(page, "next");
      EXPECT_EQ(reply.has({"result", "contents", 0, "_meta", "sluice/next"})
                    ? reply.text({"result", "contents", 0, "_meta", "sluice/next"})
                    : "(nothing)",
                uri);
    }
    EXPECT_EQ(seen, kDatasets);
  }
}

TEST(CkanWalk, OrganizationsAreCountedBeyondFiveHundred) {
  LargePortal portal;
  CkanServer server = portal.server(40'000);
  const json::Value counted =
      server.call("ckan_organization_list", {{"server_url", "dati.gov.it"}, {"limit", 0}});
  EXPECT_EQ(at(counted, "count"), std::to_string(kOrganizations));
  EXPECT_EQ(at(counted, "has_more"), "false");
  const json::Value page =
      server.call("ckan_organization_list", {{"server_url", "dati.gov.it"}, {"limit", 20}});
  EXPECT_EQ(at(page, "count"), "20");
  EXPECT_EQ(at(page, "total"), "(nothing)") << "a page does not tell how many there are";
  const json::Value last =
      server.call("ckan_organization_list", {{"server_url", "dati.gov.it"}, {"limit", 20}, {"offset", 600}});
  EXPECT_EQ(at(last, "has_more"), "false") << "a full page may be the last one";
  EXPECT_EQ(at(last, "total"), std::to_string(kOrganizations));
}

TEST(CkanWalk, ADatasetWhoseBulkAreItsExtrasIsShortened) {
  LargePortal portal;
  json::Object large = dataset(4);
  large.set("notes", std::string(60'000, 'n'));
  portal.fixture().answer("package_show", json::to_text(large));
  CkanServer server = portal.server(8'000);
  const WireMessage reply = server.reply("ckan://dati.gov.it/dataset/dataset-0004");
  const std::string text = reply.text({"result", "contents", 0, "text"});
  EXPECT_LE(text.size(), 8'000U);
  const json::Value shown = *json::read(text);
  EXPECT_EQ(at(shown, "_truncated"), "true");
  EXPECT_EQ(at(shown, "title"), "Dataset 4");
  EXPECT_EQ(at(shown, "resources/0/id"), "r-0004");
  EXPECT_GT(size_at(shown, "extras"), 5U);
  EXPECT_THAT(at(shown, "notes"), ::testing::EndsWith("n…"));
  EXPECT_THAT(at(shown, "_shortened/notes"), HasSubstr("of 60000 characters"));
  EXPECT_THAT(at(shown, "_shortened/extras"), HasSubstr("of 500 items"));
  EXPECT_THAT(text, Not(HasSubstr("pagination")));
  EXPECT_THAT(reply.text({"result", "contents", 0, "_meta", "sluice/hint"}),
              HasSubstr("ckan_list_resources"));
}

TEST(CkanWalk, WhatThePortalLeavesOutIsListedByAnotherQuestion) {
  LargePortal portal;
  portal.fixture().answer(
      "organization_show",
      json::to_text(json::Object{
          {"name", "o"}, {"package_count", kDatasets}, {"packages", slice(10, 0, 10, dataset)}}));
  portal.fixture().answer(
      "datastore_search_sql",
      json::to_text(json::Object{{"records", slice(kRecords, 0, 30, record)}, {"records_truncated", true}}));
  CkanServer server = portal.server(9'000);
  const json::Value shown =
      server.call("ckan_organization_show", {{"server_url", "dati.gov.it"}, {"id", "o"}});
  EXPECT_EQ(size_at(shown, "packages"), 10U);
  EXPECT_EQ(at(shown, "has_more"), "true");
  EXPECT_EQ(at(shown, "next_offset"), "(nothing)");
  EXPECT_EQ(at(shown, "next_tool"), "ckan_package_search");
  EXPECT_EQ(at(shown, "next_arguments/fq"), R"(organization:"o")");
  json::Object arguments{{"server_url", "dati.gov.it"}, {"sql", "SELECT key FROM r"}};
  json::Value page = server.call("ckan_datastore_search_sql", arguments);
  EXPECT_EQ(at(page, "next_offset"), std::to_string(size_at(page, "records")))
      << "what the portal gave comes first";
  while (at(page, "next_offset") != "(nothing)") {
    arguments.set("offset", at(page, "next_offset"));
    page = server.call("ckan_datastore_search_sql", arguments);
  }
  EXPECT_EQ(at(page, "has_more"), "true");
  EXPECT_THAT(at(page, "hint"), HasSubstr("LIMIT and OFFSET"));
}

TEST(CkanWalk, RowsOfManyColumnsAreShownInPart) {
  LargePortal portal;
  const auto wide = [](int i) -> json::Value {
    json::Object out{{"key", numbered("k", i)}};
    for (int column = 0; column < 900; ++column)
      out.set(numbered("a_column_with_a_long_name_", column), "value " + std::to_string(column));
    return out;
  };
  portal.fixture().on("datastore_search", [&](const Asked& asked, const SeenRequest&, Answer& answer) {
    answer.json(success(json::to_text(
        json::Object{{"total", 5}, {"records", slice(5, number(asked, "offset", 0), 100, wide)}})));
  });
  portal.fixture().on("package_search", [&](const Asked& asked, const SeenRequest&, Answer& answer) {
    const int start = number(asked, "start", 0);
    answer.json(success(json::to_text(json::Object{{"count", 5}, {"results", slice(5, start, 100, wide)}})));
  });
  for (const std::size_t bytes : {2'000U, 32'000U}) {
    CkanServer server = portal.server(bytes);
    const ToolList list{
        "ckan_datastore_search", {{"resource_id", "r"}, {"limit", 100}}, "records", "key", "k", 5};
    for (const std::string form : {"json", "markdown"})
      EXPECT_THAT(walk(server, list, form, bytes), ElementsAre("k0000", "k0001", "k0002", "k0003", "k0004"));
    const json::Value page =
        server.call("ckan_datastore_search", {{"server_url", "dati.gov.it"}, {"resource_id", "r"}});
    EXPECT_THAT(at(page, "records/0/_shortened/*"), HasSubstr("of 901 members"));
    int seen = 0;
    for (std::string uri = "ckan://dati.gov.it/tag/t/datasets"; uri != "(nothing)"; ++seen) {
      const json::Value read = *json::read(server.text(uri));
      ASSERT_EQ(at(read, "results/0/key"), numbered("k", seen)) << bytes;
      uri = at(read, "next");
    }
    EXPECT_EQ(seen, 5);
  }
}

TEST(CkanWalk, WhatIsShortenedIsReadAsAWholeInParts) {
  LargePortal portal;
  json::Object large = dataset(4);
  large.set("notes", std::string(30'000, 'n') + "\"è😀\"");
  portal.fixture().answer("package_show", json::to_text(large));
  for (const std::size_t bytes : {2'000U, 9'000U}) {
    CkanServer server = portal.server(bytes);
    const json::Value shown = server.call("ckan_package_show", {{"server_url", "dati.gov.it"}, {"id", "x"}});
    EXPECT_EQ(at(shown, "_whole"), "ckan://dati.gov.it/dataset/id-0004?offset=0");
    EXPECT_THAT(server.reply("ckan://dati.gov.it/dataset/id-0004")
                    .text({"result", "contents", 0, "_meta", "sluice/hint"}),
                HasSubstr("ckan://dati.gov.it/dataset/id-0004?offset=0 "));
    std::string whole;
    std::string uri = at(shown, "_whole");
    for (int parts = 0; parts < 100 && !uri.empty(); ++parts) {
      const WireMessage reply = server.reply(uri);
      std::string text = reply.text({"result", "contents", 0, "text"});
      EXPECT_LE(text.size(), bytes);
      EXPECT_EQ(reply.text({"result", "contents", 0, "mimeType"}), "text/plain");
      const bool goes_on = reply.has({"result", "contents", 0, "_meta", "sluice/next"});
      uri = goes_on ? reply.text({"result", "contents", 0, "_meta", "sluice/next"}) : "";
      const std::string mark = "\n\n[Content truncated...]";
      if (goes_on && text.ends_with(mark)) text.resize(text.size() - mark.size());
      whole += text;
    }
    EXPECT_EQ(whole, json::to_text(large));
  }
  CkanServer server = portal.server(9'000);
  EXPECT_EQ(server.text("ckan://dati.gov.it/dataset/id-0004?offset=1&length=4"), "\"id\"");
  for (const char* bad : {"?offset=x", "?rows=1", "?length=0", "?offset=1&offset=2"})
    EXPECT_EQ(server.code(std::string("ckan://dati.gov.it/dataset/id-0004") + bad), "invalid_portal_uri");
}

TEST(CkanWalk, TheOperatorsLimitHoldsForEveryTool) {
  LargePortal portal;
  portal.fixture().answer("status_show",
                          json::to_text(json::Object{{"ckan_version", "2.11"}, {"extensions", prose(7)}}));
  CkanServer server = portal.server(3'000);
  for (const auto& [tool, arguments] : std::vector<std::pair<std::string, json::Object>>{
           {"ckan_package_show", {{"id", "x"}}},
           {"ckan_status_show", {}},
           {"ckan_catalog_stats", {{"facet_limit", 100}}},
           {"ckan_package_search", {{"facet_field", json::Array{"tags"}}, {"facet_limit", 1'000}}}}) {
    for (const std::string form : {"json", "markdown"}) {
      json::Object given{{"server_url", "dati.gov.it"}, {"response_format", form}};
      for (const json::Member& member : arguments) given.set(member.key, member.value);
      const WireMessage reply = server.call_raw(tool, given);
      EXPECT_LE(reply.text({"result", "content", 0, "text"}).size(), 3'000U) << tool;
      EXPECT_LE(json::to_text(reply.at({"result", "structuredContent"})).size(), 3'000U) << tool;
      EXPECT_GT(size_at(reply.at({"result", "structuredContent"}), ""), 1U)
          << tool << " still says something";
    }
  }
  const json::Value shown = server.call("ckan_package_show", {{"server_url", "dati.gov.it"}, {"id", "x"}});
  EXPECT_EQ(at(shown, "next_tool"), "ckan_list_resources");
  EXPECT_EQ(at(shown, "next_offset"), std::to_string(size_at(shown, "resources")));
}

TEST(CkanDatastoreColumns, ThatTheDataStoreAddsAreThereIfNamed) {
  LargePortal portal;
  CkanServer server = portal.server(40'000);
  json::Object arguments{{"server_url", "dati.gov.it"}, {"resource_id", "r"}, {"limit", 1}};
  EXPECT_EQ(at(server.call("ckan_datastore_search", arguments), "records/0/_id"), "(nothing)");
  arguments.set("fields", json::Array{"_id", "key"});
  const json::Value named = server.call("ckan_datastore_search", arguments);
  EXPECT_EQ(at(named, "records/0/_id"), "0");
  EXPECT_EQ(at(named, "fields/0/id"), "_id");
  const auto by_sql = [&](const std::string& sql) {
    return at(server.call("ckan_datastore_search_sql", {{"server_url", "dati.gov.it"}, {"sql", sql}}),
              "records/1/_id");
  };
  EXPECT_EQ(by_sql("SELECT * FROM r"), "(nothing)");
  EXPECT_EQ(by_sql("SELECT _id, key FROM r"), "1");
  EXPECT_EQ(by_sql("select _ID from r"), "1");
  EXPECT_EQ(by_sql("SELECT my_id FROM r"), "(nothing)");
}

TEST(CkanFormats, AreSearchedForAsTheyAreSpelled) {
  LargePortal portal;
  CkanServer server = portal.server(40'000);
  for (const std::string given : {"GeoJSON", "geojson"}) {
    server.text("ckan://dati.gov.it/format/" + given + "/datasets?rows=1");
    const std::string filter = portal.fixture().asked("package_search").back()["fq"];
    EXPECT_THAT(filter, HasSubstr(R"(res_format:"GeoJSON")")) << given;
    EXPECT_THAT(filter, HasSubstr(R"(res_format:"GEOJSON")")) << given;
  }
  server.text("ckan://dati.gov.it/format/MyFormat/datasets?rows=1");
  EXPECT_THAT(portal.fixture().asked("package_search").back()["fq"], HasSubstr(R"(res_format:"MyFormat")"));
}

}  // namespace
}  // namespace sluice::ckan::testing
