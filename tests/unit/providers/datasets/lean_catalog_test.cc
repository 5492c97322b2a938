#include <gmock/gmock.h>

#include "lean_server.h"

namespace sluice::datasets::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class LeanCatalog : public ::testing::Test {
 protected:
  TestFolder folder;
};

TEST_F(LeanCatalog, ListsTablesWithRowsAndTypedColumns) {
  folder.write("airports.csv",
               "iata,city,latitude,opened\nSEA,Seattle,47.45,1949-07-09\nJFK,New York,40.64,1948-07-01\n");
  folder.write("2024 sales-eu.csv", "Order No,group,total\n1,a,2\n");
  LeanServer server(folder);
  EXPECT_EQ(server.text("catalog", "{}"),
            "\"2024 sales-eu\" 1: \"Order No\" int, \"group\", total int\n"
            "airports 2: iata, city, latitude real, opened date\n");
}

TEST_F(LeanCatalog, AddressesMembersOfStructsByPath) {
  folder.write("places.json",
               R"([{"name":"A","at":{"lat":1.5,"tags":["x"]}},{"name":"B","at":{"lat":2.5,"tags":[]}}])");
  LeanServer server(folder);
  EXPECT_THAT(server.text("catalog", "{}"), EndsWith("2: name, \"at\".lat real, \"at\".tags text[]\n"));
  EXPECT_EQ(server.query("SELECT \"at\".lat FROM places ORDER BY 1"), "lat\n1.5\n2.5\n");
}

TEST_F(LeanCatalog, FindsTablesByNameColumnOrValue) {
  folder.write("airports.csv", "iata,city\nSEA,Seattle\nJFK,New York\n");
  folder.write("flights.csv", "origin,delay\nSEA,3\nSEA,5\n");
  LeanServer server(folder);
  EXPECT_THAT(server.text("catalog", R"({"match":"FLIGHT"})"), StartsWith("flights 2"));
  EXPECT_THAT(server.text("catalog", R"({"match":"city"})"), StartsWith("airports 2"));
  const std::string by_value = server.text("catalog", R"({"match":"new york"})");
  EXPECT_THAT(by_value, HasSubstr("airports.city 1 rows\n"));
  EXPECT_THAT(by_value, Not(HasSubstr("flights")));
  EXPECT_THAT(server.text("catalog", R"({"match":"nowhere at all"})"),
              HasSubstr("no value of a text column"));
}

TEST_F(LeanCatalog, StaysWithinItsTokensAndSaysWhatItLeftOut) {
  for (int i = 0; i < 120; ++i) {
    folder.write("table_" + std::to_string(i) + ".csv",
                 "identifier,description_of_thing,amount_in_euro\n1,x,2.5\n");
  }
  LeanServer server(folder);
  // Names and rows of all tables come first, then columns as far as they fit.
  const std::string some = server.text("catalog", R"({"max_tokens":1200})");
  EXPECT_EQ(std::count(some.begin(), some.end(), '\n'), 121);
  EXPECT_LE(some.size(), 1200U * 4);
  EXPECT_THAT(some, HasSubstr("table_0 1: identifier"));
  EXPECT_THAT(some, HasSubstr("tables left out: describe them"));
  const std::string few = server.text("catalog", R"({"max_tokens":200})");
  EXPECT_LE(few.size(), 200U * 4);
  EXPECT_THAT(few, HasSubstr("more tables: pass match or a larger max_tokens\n"));
  const std::string all = server.text("catalog", R"({"max_tokens":8000})");
  EXPECT_THAT(all, HasSubstr("table_119 1: identifier int, description_of_thing, amount_in_euro real\n"));
  EXPECT_THAT(all, Not(HasSubstr("#")));
}

TEST_F(LeanCatalog, SaysWhyATableCannotBeRead) {
  folder.write("good.csv", "a\n1\n");
  folder.write("bad.parquet", "PAR1 this is no Parquet file");
  LeanServer server(folder);
  const std::string text = server.text("catalog", "{}");
  EXPECT_THAT(text, HasSubstr("bad ? unreadable: "));
  EXPECT_THAT(text, EndsWith("good 1: a int\n"));
}

TEST_F(LeanCatalog, OfAnEmptyFolderSaysSo) {
  LeanServer server(folder);
  EXPECT_EQ(server.text("catalog", "{}"), "# there are no tables\n");
}

TEST(LeanCatalogOfCollections, ShowsACollectionAsOneLineWithItsDimensions) {
  DataServerOptions options;
  options.profile = ToolProfile::kLean;
  DataServer server = DataServer::budget(options);
  const std::string text = outcome(server, "catalog", "{}").text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  EXPECT_THAT(text, HasSubstr("year 2019..2025"));
  EXPECT_THAT(text, HasSubstr("BUDGET_LAW"));
}

}  // namespace
}  // namespace sluice::datasets::testing
