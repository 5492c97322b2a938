#include <stop_token>
#include <thread>

#include "data_server.h"

namespace sluice::datasets::testing {
namespace {

using ::testing::HasSubstr;

TEST(Catalog, ListsDatasetsWithTheirDimensions) {
  DataServer server = DataServer::budget();
  const WireMessage answer(server.call("get_catalog", "{}"));
  EXPECT_EQ(answer.text({"total"}), "9");
  EXPECT_EQ(answer.text({"datasets", 0, "dataset"}), "2019_BUDGET_LAW");
  EXPECT_EQ(answer.text({"datasets", 0, "year"}), "2019");
  EXPECT_EQ(answer.text({"datasets", 0, "source_type"}), "BUDGET_LAW");
  EXPECT_EQ(answer.text({"datasets", 0, "path"}), "2019_BUDGET_LAW.csv");
  EXPECT_EQ(answer.text({"datasets", 0, "file_size_bytes"}), "911951");
  EXPECT_THAT(answer.text({"datasets", 0, "last_modified_iso"}),
              ::testing::MatchesRegex("20..-..-..T..:..:...*Z"));
  EXPECT_EQ(answer.text({"datasets", 0, "row_count_approx"}), "829");
  EXPECT_EQ(answer.text({"datasets", 0, "row_count_kind"}), "exact");
}

TEST(Catalog, FiltersByDimensionAndPages) {
  DataServer server = DataServer::budget();
  EXPECT_EQ(WireMessage(server.call("get_catalog", R"({"years":[2019]})")).text({"total"}), "2");
  EXPECT_EQ(WireMessage(server.call("get_catalog", R"({"source_types":["MTEP"]})")).text({"total"}), "1");
  const WireMessage page(server.call("get_catalog", R"({"limit":4,"offset":4})"));
  EXPECT_EQ(page.size({"datasets"}), 4U);
  EXPECT_EQ(page.text({"next_offset"}), "8");
}

TEST(Catalog, SaysWhatThereIsIfNothingFits) {
  DataServer server = DataServer::budget();
  const WireMessage none(server.call("get_catalog", R"({"years":[1999]})"));
  EXPECT_EQ(none.text({"total"}), "0");
  EXPECT_THAT(none.text({"hint"}), ::testing::AllOf(HasSubstr("year: 2019, "), HasSubstr("MTEP")));
  EXPECT_FALSE(WireMessage(server.call("get_catalog", "{}")).has({"hint"}));
  server.registry.replace(budget_collection(), {});
  EXPECT_THAT(WireMessage(server.call("get_catalog", "{}")).text({"hint"}), HasSubstr("no datasets yet"));
}

TEST(Catalog, SaysWhichFilesAreLeftOut) {
  DataServer server = DataServer::budget();
  EXPECT_FALSE(WireMessage(server.call("get_catalog", "{}")).has({"diagnostics"}));
  const query::Inventory inventory = server.registry.inventory();
  server.registry.replace(inventory.collections().front(), inventory.datasets(), {"x.csv is left out"});
  const WireMessage answer(server.call("get_catalog", "{}"));
  EXPECT_EQ(answer.text({"diagnostics"}), R"(["x.csv is left out"])");
  EXPECT_EQ(answer.text({"total"}), "9");
}

TEST(Schema, TellsColumnsTypesRolesAndUnit) {
  DataServer server = DataServer::budget();
  const WireMessage answer(server.call("get_schema", R"({"year":2019,"source_type":"BUDGET_LAW"})"));
  EXPECT_EQ(answer.size({"columns"}), 12U);
  EXPECT_EQ(answer.text({"dtypes", "program_code"}), "String");
  EXPECT_EQ(answer.text({"dtypes", "subprogram_total"}), "Float64");
  EXPECT_EQ(answer.text({"roles", "allocated"}), "subprogram_total");
  EXPECT_EQ(answer.text({"unit"}), "thousand AMD");
  EXPECT_EQ(answer.size({"sample_rows"}), 3U);
  EXPECT_EQ(answer.text({"schema_uri"}), "budget://2019/BUDGET_LAW/schema");
}

TEST(Schema, NamesTheRolesOfEveryKindOfReport) {
  DataServer server = DataServer::budget();
  const auto roles = [&](const char* dataset) {
    return WireMessage(server.call("get_schema", R"({"dataset":")" + std::string(dataset) + R"("})"))
        .text({"roles"});
  };
  EXPECT_EQ(roles("2024_MTEP"), R"({"allocated":"program_total_y0","allocated_y1":"program_total_y1",)"
                                R"("allocated_y2":"program_total_y2"})");
  EXPECT_EQ(roles("2023_SPENDING_Q1234"),
            R"({"allocated":"subprogram_annual_plan","revised":"subprogram_rev_annual_plan",)"
            R"("actual":"subprogram_actual","execution_rate":"subprogram_actual_vs_rev_annual_plan"})");
  EXPECT_THAT(WireMessage(server.call("get_schema", R"({"dataset":"2024_MTEP"})")).text({"about"}),
              ::testing::AllOf(HasSubstr("y0 is the year of the dataset"), HasSubstr("are fractions")));
}

TEST(Schema, NamesTheDatasetsThereAre) {
  DataServer server = DataServer::budget();
  const std::string text = server.text("get_schema", R"({"year":2018,"source_type":"BUDGET_LAW"})");
  EXPECT_THAT(text, HasSubstr(R"("code":"dataset_not_found")"));
  EXPECT_THAT(text, HasSubstr("2019_BUDGET_LAW"));
  EXPECT_EQ(server.code("get_schema", R"({"dataset":"2019_BUDGET_LAV"})"), "dataset_not_found");
  EXPECT_EQ(server.code("get_schema", "{}"), "missing_dataset");
  EXPECT_EQ(server.code("get_schema", R"({"year":"2019","source_type":"BUDGET_LAW"})"), "invalid_arguments");
}

TEST(Schema, TakesANameOrAUri) {
  DataServer server = DataServer::budget();
  EXPECT_EQ(server.code("get_schema", R"({"dataset":"2024_MTEP"})"), "");
  EXPECT_EQ(server.code("get_schema", R"({"dataset":"budget://2024/MTEP"})"), "");
  EXPECT_EQ(server.code("get_schema", R"({"dataset":"budget://2024/MTEP/schema"})"), "");
}

TEST(DistinctValues, CountsThem) {
  DataServer server = DataServer::budget();
  const WireMessage answer(server.call(
      "distinct_values", R"({"year":2019,"source_type":"BUDGET_LAW","column":"state_body","limit":3})"));
  EXPECT_EQ(answer.size({"values"}), 3U);
  EXPECT_EQ(answer.text({"values", 0, "count"}), "102");
  EXPECT_EQ(answer.text({"has_more"}), "false");  // The caller wanted no more than three.
  EXPECT_EQ(answer.text({"limited"}), "true");
  const WireMessage frequent(
      server.call("distinct_values",
                  R"({"year":2019,"source_type":"BUDGET_LAW","column":"state_body","min_count":102})"));
  EXPECT_EQ(frequent.size({"values"}), 1U);
  EXPECT_EQ(frequent.text({"has_more"}), "false");
}

TEST(DescribeDataset, GivesStatisticsBeforeRows) {
  DataServer server = DataServer::budget();
  const WireMessage answer(server.call("describe_dataset", R"({"year":2024,"source_type":"MTEP"})"));
  EXPECT_EQ(answer.size({"columns"}), 11U);
  EXPECT_EQ(answer.text({"columns", 0, "column"}), "state_body");
  EXPECT_EQ(answer.text({"columns", 0, "count"}), "169");
  EXPECT_EQ(answer.text({"columns", 0, "nulls"}), "0");
  EXPECT_EQ(answer.size({"columns", 0, "top"}), 3U);
}

TEST(Overall, GivesPublishedTotals) {
  DataServer server = DataServer::budget();
  const WireMessage answer(server.call("get_dataset_overall", R"({"year":2019,"source_type":"BUDGET_LAW"})"));
  EXPECT_EQ(answer.text({"count"}), "1");
  EXPECT_EQ(answer.text({"overalls", 0, "overall", "overall_total"}), "1648063122.318");
}

TEST(Overall, TakesANameOrAUri) {
  DataServer server = DataServer::budget();
  for (const char* dataset :
       {"2019_BUDGET_LAW", "budget://2019/BUDGET_LAW", "budget://2019/BUDGET_LAW/schema"}) {
    const WireMessage answer(
        server.call("get_dataset_overall", R"({"dataset":")" + std::string(dataset) + R"("})"));
    EXPECT_EQ(answer.text({"count"}), "1") << dataset;
  }
  EXPECT_EQ(server.code("get_dataset_overall", R"({"dataset":"2019_BUDGET_LAV"})"), "dataset_not_found");
}

TEST(Overall, SaysWhichTotalsThereAre) {
  DataServer server = DataServer::budget();
  const WireMessage none(server.call("get_dataset_overall", R"({"year":1999})"));
  EXPECT_EQ(none.text({"count"}), "0");
  EXPECT_THAT(none.text({"hint"}), HasSubstr("2019_BUDGET_LAW"));
}

TEST(ServerInfo, TellsTheLimits) {
  DataServer server = DataServer::budget();
  EXPECT_EQ(WireMessage(server.call("get_server_info", "{}")).text({"limits", "max_rows"}), "5000");
}

TEST(Resources, OfADatasetAreReadByUri) {
  DataServer server = DataServer::budget();
  TestClient& client = server.client();
  EXPECT_EQ(client.call("resources/list").size({"result", "resources"}), 9U);
  EXPECT_EQ(client.call("resources/templates/list").size({"result", "resourceTemplates"}), 10U);
  for (const char* part : {"schema", "catalog", "summary", "full"}) {
    const WireMessage read =
        client.call("resources/read", R"({"uri":"budget://2024/MTEP/)" + std::string(part) + R"("})");
    EXPECT_TRUE(read.is_result()) << part << read.error();
    EXPECT_LE(read.text({"result", "contents", 0, "text"}).size(), 40'000U) << part;
  }
  const auto first_line = [&](const std::string& uri) {
    const std::string text =
        client.call("resources/read", R"({"uri":")" + uri + R"("})").text({"result", "contents", 0, "text"});
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(first_line("budget://2019/state-bodies-summary"), "state_body,state_body_total");
  EXPECT_EQ(first_line("budget://2019/programs-summary"),
            "state_body,program_code,program_name,program_total");
  EXPECT_THAT(first_line("budget://2019/full-data"),
              HasSubstr("state_body,program_code,program_name,program_goal"));
  EXPECT_EQ(client.call("resources/read", R"({"uri":"budget://2018/full-data"})").code(), -32602);
  EXPECT_EQ(client.call("resources/read", R"({"uri":"budget://2018/MTEP/schema"})").code(), -32602);
  EXPECT_EQ(client.call("resources/read", R"({"uri":"budget://2024/MTEP/other"})").code(), -32602);
}

TEST(Prompts, TellWhatAnAgentShouldKnowFirst) {
  DataServer server = DataServer::budget();
  TestClient& client = server.client();
  EXPECT_EQ(client.call("prompts/list").size({"result", "prompts"}), 4U);
  const auto text = [&](const std::string& name) {
    return client.call("prompts/get", R"({"name":")" + name + R"("})")
        .text({"result", "messages", 0, "content", "text"});
  };
  EXPECT_THAT(text("schema_cards_overview"), HasSubstr("subprogram_total"));
  EXPECT_THAT(text("schema_cards_overview"), HasSubstr("thousand AMD"));
  EXPECT_THAT(text("schema_cards_overview"), HasSubstr("- BUDGET_LAW: allocated is subprogram_total\n"));
  EXPECT_THAT(text("schema_cards_overview"),
              HasSubstr("- MTEP: allocated is program_total_y0, allocated_y1 is program_total_y1, "
                        "allocated_y2 is program_total_y2\n"));
  EXPECT_THAT(text("schema_cards_overview"), HasSubstr("actual is subprogram_actual"));
  EXPECT_THAT(text("query_examples"), HasSubstr(R"("year": 2025, "source_type": "BUDGET_LAW")"));
  EXPECT_THAT(text("query_examples"), HasSubstr(R"("aggs": [{"col": "subprogram_total", "fn": "sum"}])"));
  EXPECT_THAT(text("query_examples"), HasSubstr(R"("source_types": ["BUDGET_LAW"])"));
  for (const char* tool : {"estimate_query", "pattern_filter", "bulk_filter_multiple_datasets", "\"range\""})
    EXPECT_THAT(text("query_examples"), HasSubstr(tool));
  EXPECT_THAT(text("pattern_disambiguation_guidelines"), HasSubstr("needs_confirmation"));
  EXPECT_THAT(text("size_management_guidelines"), HasSubstr("8000 tokens"));
}

// Every call of the examples can be made as it stands.
TEST(Prompts, ExamplesAreAnswered) {
  DataServer server = DataServer::budget();
  const std::string text = server.client()
                               .call("prompts/get", R"({"name":"query_examples"})")
                               .text({"result", "messages", 0, "content", "text"});
  int calls = 0;
  for (const char* tool : {"get_catalog", "get_schema", "distinct_values", "aggregate", "estimate_query",
                           "query_data", "bulk_filter_multiple_datasets"}) {
    const std::size_t begin = text.find('{', text.find(std::string(" ") + tool + " {"));
    ASSERT_NE(begin, std::string::npos) << tool;
    EXPECT_EQ(server.code(tool, text.substr(begin, text.find('\n', begin) - begin)), "") << tool;
    ++calls;
  }
  EXPECT_EQ(calls, 7);
}

TEST(Prompts, ExamplesOfAPlainFolderHaveItsColumns) {
  const TestFolder folder;
  folder.write("shop.csv", "id,city,note,price\n1,Rome,x,2.5\n2,Oslo,y,3.5\n");
  DataServer server(folder.path(), plain_collection());
  const std::string text = server.client()
                               .call("prompts/get", R"({"name":"query_examples"})")
                               .text({"result", "messages", 0, "content", "text"});
  EXPECT_THAT(text, HasSubstr(R"(distinct_values {"dataset": "shop", "column": "city")"));
  EXPECT_THAT(text, HasSubstr(R"("field": "note")"));
}

TEST(Completion, KnowsTheValuesOfTemplateVariables) {
  DataServer server = DataServer::budget();
  const auto complete = [&](const std::string& argument, const std::string& context) {
    return server.client()
        .call("completion/complete",
              R"({"ref":{"type":"ref/resource","uri":"budget://{year}/{source_type}/schema"},"argument":)" +
                  argument + context + "}")
        .text({"result", "completion", "values"});
  };
  EXPECT_EQ(complete(R"({"name":"year","value":"202"})", ""), R"(["2020","2023","2024","2025"])");
  EXPECT_EQ(complete(R"({"name":"source_type","value":"s"})", R"(,"context":{"arguments":{"year":"2025"}})"),
            R"(["SPENDING_Q1"])");
}

// A loop over the lists of an inventory must not outlive it.
TEST(Discovery, ListsStandWhileTheDatasetsAreReplaced) {
  DataServer server = DataServer::budget();
  std::jthread replacing([&server](const std::stop_token& stop) {
    while (!stop.stop_requested()) server.rescan();
  });
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(server.client().call("resources/templates/list").size({"result", "resourceTemplates"}), 10U);
    EXPECT_EQ(WireMessage(server.call("get_catalog", "{}")).text({"total"}), "9");
  }
}

}  // namespace
}  // namespace sluice::datasets::testing
