// What stands in a text file is what is answered: no digit, zero, sign, offset or name is lost.

#include "compressed.h"
#include "outcome.h"

namespace sluice::datasets::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class TextValues : public ::testing::Test {
 protected:
  // The columns and rows of a file, or the code of the error.
  std::string rows(const std::string& file, std::string_view content) {
    const std::string folder_name = std::to_string(next_++);
    folder_.write(folder_name + "/" + file, content);
    if (!server_) server_ = std::make_unique<DataServer>(folder_.path(), plain_collection());
    server_->rescan();
    const std::string dataset = folder_name + "/" + query::kind_of_file(file)->stem;
    const Outcome schema = about(*server_, "get_schema", dataset);
    if (!schema.ok()) return schema.code;
    types_ = schema.answer().text({"dtypes"});
    warnings_ = schema.answer().has({"warnings"}) ? schema.answer().text({"warnings"}) : "";
    const Outcome described = about(*server_, "describe_dataset", dataset);
    EXPECT_TRUE(described.ok()) << described.text;
    described_ = described.text;
    const Outcome first = about(*server_, "query_data", dataset, R"(,"shape":"columns","limit":20)");
    if (!first.ok()) return first.code;
    return first.answer().text({"columns"}) + first.answer().text({"rows"});
  }

  TestFolder folder_;
  std::unique_ptr<DataServer> server_;
  std::string types_;
  std::string warnings_;
  std::string described_;
  int next_ = 0;
};

TEST_F(TextValues, YearsCanBeTheNamesOfColumns) {
  EXPECT_EQ(
      rows("wide.csv", "Country Name,Country Code,1960,1961\nAruba,ABW,54208,55434\nKenya,KEN,8.5,\n"),
      R"(["Country Name","Country Code","1960","1961"][["Aruba","ABW",54208,55434],["Kenya","KEN",8.5,null]])");
  EXPECT_EQ(rows("decades.csv", "1990,2000,2010\n5,6,8\n7,8,9\n"),
            R"(["1990","2000","2010"][[5,6,8],[7,8,9]])");
  EXPECT_EQ(rows("months.csv", "city,1,2,3,4\nRome,7.5,8.25,10,13.5\nOslo,-4,-4,0,5\n"),
            R"(["city","1","2","3","4"][["Rome",7.5,8.25,10,13.5],["Oslo",-4,-4,0,5]])");
  EXPECT_EQ(rows("dates.csv", "series,2024-01-01,2024-02-01\na,5,6\nb,7,8\n"),
            R"(["series","2024-01-01","2024-02-01"][["a",5,6],["b",7,8]])");
}

TEST_F(TextValues, RowsOfNumbersAreNoNames) {
  EXPECT_EQ(rows("plain.csv", "1,2\n5,9\n4,4\n"), R"(["column0","column1"][[1,2],[5,9],[4,4]])");
  EXPECT_EQ(rows("spans.csv", "2019,2020\n2015,2018\n2001,2020\n"),
            R"(["column0","column1"][[2019,2020],[2015,2018],[2001,2020]])");
  EXPECT_EQ(rows("series.csv", "1,2,3,4\n5,6,7,8\n"),
            R"(["column0","column1","column2","column3"][[1,2,3,4],[5,6,7,8]])");
}

TEST_F(TextValues, MonthsAreReadInTheOrderThatMakesThemRegular) {
  EXPECT_EQ(rows("us.csv", "day,v\n01/01/2023,1\n02/01/2023,2\n03/01/2023,3\n04/01/2023,4\n"),
            R"(["day","v"][["2023-01-01",1],["2023-02-01",2],["2023-03-01",3],["2023-04-01",4]])");
  EXPECT_THAT(warnings_, HasSubstr("day-month-year and month-day-year; it is read as month-day-year"));
  EXPECT_THAT(described_, HasSubstr("it is read as month-day-year"));
  EXPECT_EQ(rows("eu.csv", "day,v\n01/10/2023,1\n01/11/2023,2\n01/12/2023,3\n01/01/2024,4\n"),
            R"(["day","v"][["2023-10-01",1],["2023-11-01",2],["2023-12-01",3],["2024-01-01",4]])");
}

TEST_F(TextValues, DatesThatFitTwoOrdersStayText) {
  EXPECT_EQ(rows("t.csv", "day,v\n05/04/2023,1\n02/03/2023,2\n11/12/2022,3\n"),
            R"(["day","v"][["05/04/2023",1],["02/03/2023",2],["11/12/2022",3]])");
  EXPECT_THAT(warnings_, HasSubstr("left as text"));
}

TEST_F(TextValues, DatesThatFitOneOrderNeedNoWarning) {
  EXPECT_EQ(rows("both.csv", "eu,us\n31/01/2023,01/31/2024\n02/01/2023,02/21/2023\n"),
            R"(["eu","us"][["2023-01-31","2024-01-31"],["2023-01-02","2023-02-21"]])");
  EXPECT_EQ(rows("dots.csv", "d\n31.12.2023\n1.2.2024\n"), R"(["d"][["2023-12-31"],["2024-02-01"]])");
  EXPECT_EQ(rows("times.csv", "t,v\n31/01/2024 10:00,1\n02/03/2024 9:30,2\n"),
            R"(["t","v"][["2024-01-31T10:00:00",1],["2024-03-02T09:30:00",2]])");
  EXPECT_EQ(rows("same.csv", "d,v\n01/01/2023,1\n02/02/2023,2\n05/05/2021,3\n"),
            R"(["d","v"][["2023-01-01",1],["2023-02-02",2],["2021-05-05",3]])");
  EXPECT_EQ(warnings_, "");
}

TEST_F(TextValues, ShortYearsAreThoseThatKeepDatesTogether) {
  EXPECT_EQ(rows("t.csv", "d,v\n24-01-31,1\n24-02-15,2\n24-03-02,3\n"),
            R"(["d","v"][["2024-01-31",1],["2024-02-15",2],["2024-03-02",3]])");
  EXPECT_EQ(rows("one.csv", "d,v\n24-01-31,1\n"), R"(["d","v"][["24-01-31",1]])");
}

TEST_F(TextValues, DigitsAreKept) {
  EXPECT_EQ(rows("a.csv", "x\n9007199254740993\n0.5\n"), R"(["x"][["9007199254740993.0"],[0.5]])");
  EXPECT_EQ(types_, R"~({"x":"Decimal(38,1)"})~");
  EXPECT_EQ(rows("b.csv", "x\n0x80070005\n5\n"), R"(["x"][["0x80070005"],["5"]])");
  EXPECT_EQ(rows("c.csv", "x\n9223372036854775807\n-9223372036854775808\n"),
            R"(["x"][["9223372036854775807"],["-9223372036854775808"]])");
  EXPECT_EQ(types_, R"({"x":"Int64"})");
  EXPECT_EQ(rows("d.csv", "x\n9223372036854775808\n1\n"), R"(["x"][["9223372036854775808"],["1"]])");
  EXPECT_EQ(rows("e.csv", "x\n0.16699999999999998\n1e5\n"), R"(["x"][[0.16699999999999998],[1e+05]])");
  EXPECT_EQ(rows("f.csv", "x\n0.1000000000000000055511151231257827\n2\n"), R"(["x"][[0.1],[2]])");
  EXPECT_EQ(rows("g.csv", "x, y\n1, 007\n2, 12\n"), R"(["x","y"][[1," 007"],[2," 12"]])");
}

TEST_F(TextValues, AQuotedEmptyCellIsAnEmptyText) {
  EXPECT_EQ(rows("t.csv", "a,b\nx,1\n\"\",2\n,3\n"), R"(["a","b"][["x",1],["",2],[null,3]])");
  EXPECT_EQ(rows("n.csv", "a,b,c\n\"1\",\"x\",\"2024-01-31\"\n\"\",\"\",\"\"\n\"3\",\"y\",\"2024-02-01\"\n"),
            R"(["a","b","c"][[1,"x","2024-01-31"],[null,"",null],[3,"y","2024-02-01"]])");
  EXPECT_EQ(types_, R"({"a":"Int64","b":"String","c":"Date"})");
}

TEST_F(TextValues, JsonTimesKeepTheirOffsets) {
  EXPECT_EQ(
      rows("t.ndjson", "{\"t\":\"2024-01-01T10:00:00+05:00\"}\n{\"t\":\"2024-01-01T06:00:00+00:00\"}\n"),
      R"(["t"][["2024-01-01T05:00:00"],["2024-01-01T06:00:00"]])");
  EXPECT_EQ(rows("n.json", R"([{"a":{"t":"2024-01-01T10:00:00+05:00"},"b":["2024-01-31"]}])"),
            R"(["a","b"][[{"t":"2024-01-01T10:00:00+05:00"},["2024-01-31"]]])");
}

TEST_F(TextValues, JsonDatesAreReadInTheirOrder) {
  EXPECT_EQ(rows("a.ndjson", "{\"d\":\"24-01-31\"}\n{\"d\":\"24-02-29\"}\n"),
            R"(["d"][["2024-01-31"],["2024-02-29"]])");
  EXPECT_EQ(rows("b.ndjson", "{\"d\":\"31-01-2024\"}\n{\"d\":\"01-02-2024\"}\n"),
            R"(["d"][["2024-01-31"],["2024-02-01"]])");
  EXPECT_EQ(rows("c.ndjson", "{\"d\":\"2024-01-31\",\"e\":\"10:30:00\"}\n"),
            R"(["d","e"][["2024-01-31","10:30:00"]])");
}

TEST_F(TextValues, JsonDigitsAreKept) {
  EXPECT_EQ(rows("a.ndjson", "{\"n\":123456789012345678901234567890}\n{\"n\":1}\n"),
            R"(["n"][["123456789012345678901234567890"],["1"]])");
  EXPECT_EQ(rows("b.ndjson", "{\"n\":9007199254740993}\n{\"n\":0.5}\n"),
            R"(["n"][["9007199254740993.0"],[0.5]])");
  EXPECT_EQ(rows("c.ndjson", "{\"n\":18446744073709551615}\n{\"n\":-1}\n"),
            R"(["n"][["18446744073709551615"],[-1]])");
}

TEST_F(TextValues, JsonKeysMayDifferByCaseOrBeEmpty) {
  EXPECT_EQ(rows("a.ndjson", "{\"a\":1,\"A\":2,\"\":7}\n{\"a\":3,\"A\":null,\"\":8.5}\n"),
            R"(["a","A_1","column2"][[1,2,7],[3,null,8.5]])");
  EXPECT_EQ(rows("b.ndjson", "{\"a\":1}\n{\"A\":\"x\"}\n"), R"(["a","A_1"][[1,null],[null,"x"]])");
  EXPECT_EQ(rows("c.json", R"([{"a":{"b":1,"B":2},"c":true,"d":[1,2]}])"),
            R"(["a","c","d"][["{\"b\":1,\"B\":2}",true,"[1,2]"]])");
  EXPECT_EQ(rows("d.json", R"([{"a_1":1,"C2":"x"}])"), R"(["a_1","C2"][[1,"x"]])");
  EXPECT_EQ(rows("e.json", R"([{"a":1,"b":{"":1,"x":2}}])"), R"(["a","b"][[1,"{\"\":1,\"x\":2}"]])");
}

// The types of a large file hold for all of its rows, not only for those that were looked at first.
TEST_F(TextValues, LargeFilesKeepTheirLateZerosAndTexts) {
  std::string content = "code,number,note\n";
  std::string rows_text;
  rows_text.reserve(70'000'000);
  for (std::size_t i = 0; rows_text.size() < 68'000'000; ++i)
    rows_text +=
        "12345,17,\"some text that makes the file large enough, so that not all rows are sniffed\"\n";
  content += rows_text + "00042,n/a,end\n";
  folder_.write("large.csv", content);
  server_ = std::make_unique<DataServer>(folder_.path(), plain_collection());
  const Outcome schema = about(*server_, "get_schema", "large");
  ASSERT_TRUE(schema.ok()) << schema.text;
  EXPECT_EQ(schema.answer().text({"dtypes"}), R"({"code":"String","number":"String","note":"String"})");
  const Outcome last = about(*server_, "query_data", "large",
                             R"(,"filters":[{"col":"note","op":"eq","value":"end"}],"shape":"columns")");
  ASSERT_TRUE(last.ok()) << last.text;
  EXPECT_EQ(last.answer().text({"rows"}), R"([["00042","n/a","end"]])");
}

}  // namespace
}  // namespace sluice::datasets::testing
