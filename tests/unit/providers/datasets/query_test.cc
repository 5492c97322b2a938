#include <fstream>
#include <sstream>

#include "sluice/json/reader.h"

#include "data_server.h"

namespace sluice::datasets::testing {
namespace {

using ::testing::HasSubstr;

std::string read_file(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// Row count, columns and leaf sums of all nine files, through the tools.
TEST(Exactness, OfTheSampleDataIsThatOfAnIndependentReader) {
  DataServer server = DataServer::budget();
  const json::Value golden = *json::read(read_file(test_data("budget/golden_facts.json")));
  for (const json::Value& facts : *golden.if_array()) {
    const WireMessage fact(facts);
    const std::string name = fact.text({"dataset"});
    const WireMessage schema(server.call("get_schema", R"({"dataset":")" + name + R"("})"));
    EXPECT_EQ(json::to_text(schema.at({"columns"})), json::to_text(fact.at({"columns"}))) << name;
    std::string aggs = R"([{"fn":"count"})";
    for (const json::Member& leaf : *fact.at({"leaf_sums"}).if_object()) {
      aggs += R"(,{"col":")" + leaf.key + R"(","fn":"sum"})";
    }
    const WireMessage sums(server.call("aggregate", R"({"dataset":")" + name + R"(","aggs":)" + aggs + "]}"));
    EXPECT_EQ(sums.text({"data", 0, "count"}), fact.text({"rows"})) << name;
    for (const json::Member& leaf : *fact.at({"leaf_sums"}).if_object()) {
      const double sum = sums.at({"data", 0, (leaf.key + "_sum").c_str()}).if_number()->as_double();
      const double expected = leaf.value.if_number()->as_double();
      EXPECT_NEAR(sum, expected, std::abs(expected) * 1e-12) << name << " " << leaf.key;
    }
  }
}

class Query : public ::testing::Test {
 protected:
  Query() {
    folder.write("shop.csv",
                 "id,city,price,day,note\n"
                 "1,Yerevan,10.5,2024-01-01,first\n"
                 "2,Gyumri,20,2024-01-02,\n"
                 "3,Yerevan,30.25,2024-01-03,Café au lait\n"
                 "4,,5,2024-01-03,\"two\nlines\"\n"
                 "5,Gyumri,20,2024-02-01,x\n");
    server = std::make_unique<DataServer>(folder.path(), plain_collection());
  }
  // `ids` of the rows that a query gives.
  std::string ids(const std::string& more) {
    const WireMessage answer(
        server->call("query_data", R"({"dataset":"shop","columns":["id"])" + more + "}"));
    std::string out;
    for (std::size_t i = 0; i < answer.size({"data"}); ++i) {
      out += answer.text({"data", static_cast<int>(i), "id"});
    }
    return answer.has({"error"}) ? answer.text({"code"}) : out;
  }

  TestFolder folder;
  std::unique_ptr<DataServer> server;
};

TEST_F(Query, GivesRecordsInFileOrder) {
  EXPECT_EQ(
      server->text("query_data", R"({"dataset":"shop","columns":["id","city"],"limit":2})"),
      R"({"method":"direct","row_count":2,"page_info":{"offset":0,"size":2,"has_more":false,"limited":true},)"
      R"("data":[{"id":1,"city":"Yerevan"},{"id":2,"city":"Gyumri"}]})");
}

TEST_F(Query, GivesColumnsAndRowsWhereAskedFor) {
  EXPECT_EQ(
      server->text("query_data", R"({"dataset":"shop","columns":["id"],"limit":1,"shape":"columns"})"),
      R"({"method":"direct","row_count":1,"page_info":{"offset":0,"size":1,"has_more":false,"limited":true},)"
      R"("columns":["id"],"rows":[[1]]})");
}

TEST_F(Query, FiltersByEveryOperator) {
  struct Case {
    const char* filter;
    const char* ids;
  };
  for (const Case& one : {
           Case{R"({"col":"city","op":"eq","value":"Gyumri"})", "25"},
           Case{R"({"col":"city","op":"neq","value":"Gyumri"})", "13"},
           Case{R"({"col":"city","op":"in","value":["Gyumri",null]})", "245"},
           Case{R"({"col":"id","op":"in","value":[1,"5"]})", "15"},
           Case{R"({"col":"note","op":"contains","value":"two"})", "4"},
           Case{R"({"col":"note","op":"contains","value":"TWO"})", ""},
           Case{R"({"col":"city","op":"regex","value":"^[GY].*i$"})", "25"},
           Case{R"({"col":"price","op":"range","value":{"min":10.5,"max":20}})", "125"},
           Case{R"({"col":"price","op":"range","value":{"max":10}})", "4"},
           Case{R"({"col":"day","op":"range","value":{"min":"2024-01-03","max":"2024-01-31"}})", "34"},
           Case{R"({"col":"price","op":"gt","value":20})", "3"},
           Case{R"({"col":"price","op":"gte","value":20})", "235"},
           Case{R"({"col":"day","op":"lt","value":"2024-01-02"})", "1"},
           Case{R"({"col":"price","op":"lte","value":"10.5"})", "14"},
           Case{R"({"col":"city","op":"is_null"})", "4"},
           Case{R"({"col":"city","op":"is_null","value":false})", "1235"},
           Case{R"({"col":"city","op":"eq","value":null})", "4"},
       }) {
    EXPECT_EQ(ids(R"(,"filters":[)" + std::string(one.filter) + "]"), one.ids) << one.filter;
  }
}

TEST_F(Query, OrdersWithTiesByRowAndNullsLast) {
  EXPECT_EQ(ids(R"(,"order_by":[{"col":"price","desc":true}])"), "32514");
  EXPECT_EQ(ids(R"(,"order_by":["city"])"), "25134");
  EXPECT_EQ(ids(R"(,"order_by":[{"col":"city","desc":true}])"), "13254");
  EXPECT_EQ(ids(R"(,"order_by":["price"],"limit":2,"offset":1)"), "12");
}

TEST_F(Query, DropsDuplicatesByWhatIsAsked) {
  EXPECT_EQ(ids(R"(,"deduplicate":["city"])"), "124");
  EXPECT_EQ(ids(R"(,"deduplicate":true)"), "12345");
  EXPECT_EQ(ids(R"(,"null_policy":"drop")"), "12345");
  EXPECT_THAT(server->text("query_data", R"({"dataset":"shop","columns":["city"],"null_policy":"drop"})"),
              HasSubstr(R"("row_count":4)"));
  EXPECT_THAT(server->text("query_data", R"({"dataset":"shop","columns":["city"],"distinct":true})"),
              HasSubstr(R"([{"city":"Gyumri"},{"city":"Yerevan"},{"city":null}])"));
}

TEST_F(Query, AsksBeforeRowsAreLostWhereWanted) {
  const std::string base = R"({"dataset":"shop","deduplicate":["city"],"confirm_lossy":true)";
  EXPECT_EQ(WireMessage(server->call("query_data", base + "}")).text({"status"}), "needs_confirmation");
  const WireMessage confirmed(server->call("query_data", base + R"(,"confirm":true})"));
  EXPECT_EQ(confirmed.text({"row_count"}), "3");
  EXPECT_THAT(confirmed.text({"warnings", 0}), HasSubstr("dropped"));
}

TEST_F(Query, GroupsAndAggregates) {
  EXPECT_THAT(
      server->text("aggregate",
                   R"({"dataset":"shop","group_by":["city"],"aggs":{"price":["sum","avg"],"id":"count"}})"),
      HasSubstr(R"([{"city":"Gyumri","price_sum":40,"price_avg":20,"id_count":2},)"
                R"({"city":"Yerevan","price_sum":40.75,"price_avg":20.375,"id_count":2},)"
                R"({"city":null,"price_sum":5,"price_avg":5,"id_count":1}])"));
  EXPECT_THAT(
      server->text("aggregate",
                   R"({"dataset":"shop","group_by":["city"],"aggs":[{"col":"price","fn":"max"}],"top_n":1})"),
      HasSubstr(R"([{"city":"Yerevan","price_max":30.25}])"));
  EXPECT_THAT(
      server->text(
          "aggregate",
          R"({"dataset":"shop","group_by":[],"aggs":[{"fn":"count"},{"col":"city","fn":"count_distinct"},{"col":"price","fn":"median"}]})"),
      HasSubstr(R"([{"count":5,"city_count_distinct":2,"price_median":20}])"));
}

TEST_F(Query, RefusesWhatTheTableHasNot) {
  const std::string base = R"({"dataset":"shop",)";
  EXPECT_EQ(server->code("query_data", base + R"("columns":["prise"]})"), "invalid_column");
  EXPECT_THAT(server->text("query_data", base + R"("columns":["prise"]})"), HasSubstr("Did you mean price?"));
  EXPECT_EQ(server->code("query_data", base + R"("filters":[{"col":"x","op":"eq","value":1}]})"),
            "invalid_column");
  EXPECT_EQ(server->code("query_data", base + R"("filters":[{"col":"id","op":"equals","value":1}]})"),
            "invalid_filter");
  EXPECT_EQ(server->code("query_data", base + R"("filters":[{"col":"id","op":"in","value":[]}]})"),
            "invalid_filter");
  EXPECT_EQ(server->code("query_data", base + R"("filters":[{"col":"day","op":"eq","value":5}]})"),
            "invalid_filter");
  EXPECT_EQ(server->code("query_data", base + R"("filters":[{"col":"day","op":"eq","value":"soon"}]})"),
            "invalid_value");
  EXPECT_EQ(server->code("query_data", base + R"("filters":[{"col":"city","op":"regex","value":"("}]})"),
            "invalid_value");
  EXPECT_EQ(server->code("aggregate", base + R"("aggs":[{"col":"city","fn":"sum"}]})"), "invalid_aggregate");
  EXPECT_EQ(server->code("aggregate", base + R"("aggs":[{"col":"price","fn":"total"}]})"),
            "invalid_aggregate");
  EXPECT_EQ(server->code("query_data", base + R"("order_by":["cost"]})"), "invalid_column");
  EXPECT_EQ(server->code("query_data", base + R"("limit":-1})"), "invalid_arguments");
  EXPECT_EQ(server->code("query_data", base + R"("output_format":"xlsx"})"), "unsupported_format");
  EXPECT_EQ(server->code("query_data", base + R"("colums":["id"]})"), "invalid_arguments");
}

TEST_F(Query, SaysWhyThereAreNoRows) {
  folder.write("names.csv", "name,kind\nMinistry of  Finance,a\nMINISTRY OF HEALTH,b\n");
  server->rescan();
  const auto warnings = [&](const std::string& filters, const std::string& more = "") {
    const WireMessage answer(
        server->call("query_data", R"({"dataset":"names","filters":[)" + filters + "]" + more + "}"));
    EXPECT_TRUE(answer.has({"data"})) << filters;
    return answer.has({"warnings"}) ? answer.text({"warnings"}) : "none";
  };
  const std::string one_space = R"({"col":"name","op":"eq","value":"Ministry of Finance"})";
  EXPECT_THAT(warnings(one_space), HasSubstr(R"(Written otherwise: \"Ministry of  Finance\")"));
  EXPECT_THAT(warnings(R"({"col":"name","op":"contains","value":"Health"})"),
              HasSubstr(R"(Written otherwise: \"MINISTRY OF HEALTH\")"));
  EXPECT_THAT(warnings(R"({"col":"name","op":"eq","value":"Police"})"),
              HasSubstr("No row fits the filter on name with \\\"Police\\\"; `columns`"));
  const std::string health = R"({"col":"name","op":"contains","value":"HEALTH"})";
  EXPECT_THAT(warnings(health + R"(,{"col":"kind","op":"eq","value":"a"})"),
              HasSubstr("Each of the filters fits some rows"));
  EXPECT_THAT(warnings(health + "," + one_space), ::testing::Not(HasSubstr("HEALTH")));
  EXPECT_THAT(warnings(health, R"(,"offset":5)"), HasSubstr("no rows from offset 5 on"));
  EXPECT_EQ(warnings(health), "none");
  EXPECT_EQ(warnings(health, R"(,"limit":0)"), "none");
}

TEST_F(Query, TakesHugeOffsetsAndManyFilters) {
  EXPECT_EQ(ids(R"(,"offset":9007199254740991)"), "");
  std::string filters;
  for (int i = 0; i < 10'000; ++i)
    filters += std::string(i > 0 ? "," : "") + R"({"col":"id","op":"gt","value":0})";
  EXPECT_EQ(server->code("query_data", R"({"dataset":"shop","filters":[)" + filters + "]}"),
            "too_many_values");
}

TEST_F(Query, RegexIsLinear) {
  folder.write("long.csv", "t\n" + std::string(200'000, 'a') + "\n");
  server->rescan();
  EXPECT_EQ(
      WireMessage(
          server->call(
              "query_data",
              R"({"dataset":"long","filters":[{"col":"t","op":"regex","value":"(a+)+$|(a|aa)+b"}],"aggs":[{"fn":"count"}]})"))
          .text({"data", 0, "count"}),
      "1");
}

TEST(Warnings, TellOfTotalsThatRepeat) {
  DataServer server = DataServer::budget();
  const WireMessage answer(server.call(
      "aggregate",
      R"({"year":2019,"source_type":"BUDGET_LAW","aggs":[{"col":"state_body_total","fn":"sum"}]})"));
  EXPECT_THAT(answer.text({"warnings", 0}), HasSubstr("state_body_total repeats on every row"));
  EXPECT_THAT(answer.text({"warnings", 0}), HasSubstr("subprogram_total"));
  EXPECT_FALSE(
      WireMessage(
          server.call(
              "aggregate",
              R"({"year":2019,"source_type":"BUDGET_LAW","aggs":[{"col":"subprogram_total","fn":"sum"}]})"))
          .has({"warnings"}));
  EXPECT_FALSE(
      WireMessage(
          server.call("aggregate",
                      R"({"year":2024,"source_type":"MTEP","aggs":[{"col":"program_total_y0","fn":"sum"}]})"))
          .has({"warnings"}));
}

TEST(BulkFilter, AsksSeveralDatasetsAtOnce) {
  DataServer server = DataServer::budget();
  const WireMessage answer(server.call(
      "bulk_filter_multiple_datasets",
      R"({"years":[2019,2020],"source_types":["BUDGET_LAW"],"group_by":["year"],"aggs":[{"fn":"count"},{"col":"subprogram_total","fn":"sum"}]})"));
  EXPECT_EQ(answer.size({"data"}), 2U);
  EXPECT_EQ(answer.text({"data", 0, "year"}), "2019");
  EXPECT_EQ(answer.text({"data", 0, "count"}), "829");
  EXPECT_EQ(answer.text({"data", 1, "count"}), "802");
  EXPECT_EQ(server.code("bulk_filter_multiple_datasets", R"({"years":[1999]})"), "dataset_not_found");
  const WireMessage mixed(server.call(
      "bulk_filter_multiple_datasets",
      R"({"datasets":["2024_MTEP","2024_BUDGET_LAW"],"columns":["dataset","subprogram_name"],"filters":[{"col":"subprogram_name","op":"is_null"}],"limit":1})"));
  EXPECT_EQ(mixed.text({"data", 0, "dataset"}), "2024_MTEP");
}

TEST(BulkFilter, KeepsColumnsApartThatDifferOnlyInCase) {
  const TestFolder folder;
  folder.write("a.csv", "x,y\n1,2\n");
  folder.write("b.csv", "X,y\n3,4\n");
  DataServer server(folder.path(), plain_collection());
  server.rescan();
  EXPECT_THAT(server.text("bulk_filter_multiple_datasets",
                          R"({"datasets":["a","b"],"columns":["dataset","x","X_","y"]})"),
              HasSubstr(R"([{"dataset":"a","x":1,"X_":null,"y":2},{"dataset":"b","x":null,"X_":3,"y":4}])"));
}

TEST(BulkFilter, TakesWhatAQueryOfOneDatasetTakes) {
  TestFolder folder;
  folder.write("a.csv", "x,y\n1,p\n1,p\n2,\n");
  folder.write("b.csv", "x,y\n1,p\n3,q\n");
  DataServer server(folder.path(), plain_collection());
  const auto rows = [&](const std::string& more) {
    return WireMessage(server.call("bulk_filter_multiple_datasets",
                                   R"({"columns":["x"],"order_by":["x"],)" + more + "}"))
        .text({"data"});
  };
  EXPECT_EQ(rows(R"("deduplicate":["x"])"), R"([{"x":1},{"x":2},{"x":3}])");
  EXPECT_EQ(rows(R"("distinct":true,"offset":1,"limit":1)"), R"([{"x":2}])");
  EXPECT_EQ(rows(R"("filters":[{"col":"x","op":"gt","value":1}],"null_policy":"drop")"),
            R"([{"x":2},{"x":3}])");
}

TEST(Estimate, SaysHowItKnows) {
  DataServer server = DataServer::budget();
  const WireMessage answer(server.call(
      "estimate_query",
      R"({"year":2023,"source_type":"BUDGET_LAW","columns":["program_name"],"filters":[{"col":"program_code","op":"eq","value":"1162"}]})"));
  EXPECT_EQ(answer.text({"row_estimate_kind"}), "exact");
  EXPECT_GT(answer.at({"row_estimate"}).if_number()->as_double(), 0);
  EXPECT_LE(answer.size({"preview"}), 5U);
  const WireMessage whole(server.call("estimate_query", R"({"year":2023,"source_type":"BUDGET_LAW"})"));
  EXPECT_EQ(whole.text({"fits_inline"}), "false");
  EXPECT_THAT(whole.text({"alternatives"}),
              HasSubstr(R"({"label":"Totals by state_body","changes":{"group_by":["state_body"],)"
                        R"("aggs":[{"col":"subprogram_total","fn":"sum"}]}})"));
  EXPECT_THAT(whole.text({"warnings", 0}), HasSubstr("handle"));
}

}  // namespace
}  // namespace sluice::datasets::testing
