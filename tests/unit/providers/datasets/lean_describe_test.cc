#include <gmock/gmock.h>

#include "lean_server.h"

namespace sluice::datasets::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class LeanDescribe : public ::testing::Test {
 protected:
  LeanDescribe() {
    std::string flights = "origin,delay,day,carrier\n";
    const char* const origins[] = {"SEA", "JFK", "LAX", "ORD"};
    for (int i = 0; i < 40; ++i) {
      flights += std::string(origins[i % 4]) + "," + std::to_string(i - 5) + ",Jan " +
                 std::to_string(i % 28 + 1) + " 2000," +
                 (i % 10 == 0  ? ""
                  : i % 3 == 0 ? "AA"
                               : "DL") +
                 "\n";
    }
    folder.write("flights.csv", flights);
    folder.write("airports.csv",
                 "iata,city,elevation\nSEA,Seattle,131\nJFK,New York,4\nLAX,Los Angeles,38\nORD,Chicago,204\n"
                 "ATL,Atlanta,313\n");
  }

  TestFolder folder;
};

TEST_F(LeanDescribe, TellsRangesValuesNullsKeysAndExamples) {
  LeanServer server(folder);
  const std::string text = server.text("describe", R"({"datasets":["flights","airports"]})");
  EXPECT_THAT(text, StartsWith("flights 40 rows\n"));
  EXPECT_THAT(text, HasSubstr("\ndelay int -5..34\n"));
  EXPECT_THAT(text, HasSubstr("\ncarrier: DL 24, AA 12; 4 null\n"));
  EXPECT_THAT(text, HasSubstr("airports 5 rows\niata key: ATL, JFK, LAX, ORD, SEA\n"));
}

TEST_F(LeanDescribe, TellsHowToReadDatesThatAreText) {
  LeanServer server(folder);
  EXPECT_THAT(server.text("describe", R"({"datasets":["flights"]})"),
              HasSubstr("dates as text: strptime(day, '%b %d %Y')"));
  EXPECT_EQ(server.query("SELECT max(strptime(day, '%b %d %Y'))::DATE AS last FROM flights"),
            "last\n2000-01-28\n");
}

TEST_F(LeanDescribe, TellsWhichKeyAColumnCanBeJoinedWith) {
  LeanServer server(folder);
  const std::string text = server.text("describe", R"({"datasets":["*"]})");
  EXPECT_THAT(text, HasSubstr("= airports.iata 100 %"));
}

TEST_F(LeanDescribe, TellsPitfallsOfNumbersQuotesAndBlanks) {
  folder.write("messy.csv",
               "price,name,label,zip,year_built\n\"$1,200\", Ann "
               ",'x',02134,1999-01-01\n\"$900\",Bob,'y',10001,2001-01-01\n"
               "\"$1,050.50\",Cid,'z',94105,2003-01-01\n");
  LeanServer server(folder);
  const std::string text = server.text("describe", R"({"datasets":["messy"]})");
  EXPECT_THAT(text, HasSubstr("numbers as text: CAST(regexp_replace(price, '[$€£%, ]', '', 'g') AS DOUBLE)"));
  EXPECT_THAT(text, HasSubstr("quotes around values"));
  EXPECT_THAT(text, HasSubstr("a date: year(year_built)"));
  EXPECT_THAT(text, Not(HasSubstr("CAST(zip")));
  EXPECT_EQ(
      server.query("SELECT sum(CAST(regexp_replace(price, '[$€£%, ]', '', 'g') AS DOUBLE)) AS s FROM messy"),
      "s\n3150.5\n");
}

TEST_F(LeanDescribe, TakesNamesOfColumnsAndGlobs) {
  LeanServer server(folder);
  EXPECT_EQ(server.text("describe", R"({"datasets":["air*"],"columns":["elevation"]})"),
            "airports 5 rows\nelevation int: 4, 38, 131, 204, 313\n");
  EXPECT_EQ(server.code("describe", R"({"datasets":["nothing*"]})"), "dataset_not_found");
  EXPECT_EQ(server.code("describe", R"({"datasets":["airport"]})"), "dataset_not_found");
  EXPECT_EQ(server.code("describe", R"({"datasets":[]})"), "invalid_arguments");
}

TEST_F(LeanDescribe, SaysLessWhereThereIsLittleRoom) {
  std::string header;
  std::string row;
  for (int i = 0; i < 80; ++i) {
    header += (i == 0 ? "" : ",") + std::string("measured_value_") + std::to_string(i);
    row += (i == 0 ? "" : ",") + std::to_string(i) + ".5";
  }
  folder.write("wide.csv", header + "\n" + row + "\n" + row + "\n");
  LeanServer server(folder);
  const std::string whole = server.text("describe", R"({"datasets":["wide"],"max_tokens":6000})");
  EXPECT_THAT(whole, HasSubstr("measured_value_79 real: 79.5 2\n"));
  const std::string types = server.text("describe", R"({"datasets":["wide"],"max_tokens":800})");
  EXPECT_THAT(types, HasSubstr("measured_value_79 real"));
  EXPECT_THAT(types, HasSubstr("# values and ranges left out"));
  const std::string cut = server.text("describe", R"({"datasets":["wide"],"max_tokens":100})");
  EXPECT_LE(cut.size(), 600U);
  EXPECT_THAT(cut, HasSubstr("# columns left out"));
}

TEST_F(LeanDescribe, ShowsTheOthersWhereOneTableCannotBeRead) {
  folder.write("bad.parquet", "PAR1 this is no Parquet file");
  LeanServer server(folder);
  const std::string text = server.text("describe", R"({"datasets":["*","*"]})");
  EXPECT_THAT(text, HasSubstr("bad unreadable: "));
  EXPECT_THAT(text, HasSubstr("flights 40 rows\n"));
  EXPECT_EQ(server.code("describe", R"({"datasets":["bad"]})"), "unreadable_file");
}

TEST_F(LeanDescribe, DescribesResultsAsWell) {
  LeanServer server(folder);
  server.text("query",
              R"({"sql":"SELECT origin, count(*) AS n FROM flights GROUP BY origin","name":"counts"})");
  EXPECT_THAT(server.text("describe", R"({"datasets":["counts"]})"), HasSubstr("n int: 10 4\n"));
}

}  // namespace
}  // namespace sluice::datasets::testing
