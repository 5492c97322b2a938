#include <fstream>
#include <sstream>

#include "sluice/json/reader.h"

#include "data_server.h"

namespace sluice::datasets::testing {
namespace {

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

TEST_F(Query, TakesHugeOffsetsAndManyFilters) {
  EXPECT_EQ(ids(R"(,"offset":9007199254740991)"), "");
  std::string filters;
  for (int i = 0; i < 10'000; ++i)
    filters += std::string(i > 0 ? "," : "") + R"({"col":"id","op":"gt","value":0})";
  EXPECT_EQ(server->code("query_data", R"({"dataset":"shop","filters":[)" + filters + "]}"),
            "too_many_values");
}

}  // namespace
}  // namespace sluice::datasets::testing
