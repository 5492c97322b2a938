#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "sluice/engine/duckdb.h"
#include "sluice/engine/engine.h"

#include "data_server.h"
#include "outcome.h"

namespace sluice::datasets::testing {
namespace {

using ::testing::HasSubstr;

std::vector<std::filesystem::path> copies(const DataServer& server) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(server.spool_folder())) {
    const bool is_of_file = entry.path().parent_path() != server.spool_folder();
    if (is_of_file && entry.path().extension() == ".parquet") found.push_back(entry.path());
  }
  return found;
}

std::size_t copies_in(const DataServer& server) { return copies(server).size(); }

// Asks so many questions that a copy is made.
void ask(DataServer& server, std::string_view dataset, int times = 2) {
  for (int i = 0; i < times; ++i)
    server.text("query_data", fmt::format(R"({{"dataset":"{}","limit":1,"offset":{}}})", dataset, i));
}

// Everything that a text can hold and a format may lose: empty beside null, quotes, line ends, numbers that
// are none, equal ranks, other scripts, dates and times. About 3 MB.
std::string everything() {
  std::string out = "id,rank,amount,name,day,at,flag\n";
  for (int i = 0; i < 40'000; ++i) {
    const std::string amount = i % 97 == 0   ? "nan"
                               : i % 89 == 0 ? "-inf"
                               : i % 83 == 0 ? ""
                                             : fmt::format("{}.25", i % 1'000);
    const std::string name = i % 7 == 0    ? "\"\""
                             : i % 11 == 0 ? ""
                             : i % 13 == 0 ? fmt::format("\"two\nlines, \"\"{}\"\"\"", i)
                             : i % 17 == 0 ? "Երևան 😀"
                                           : fmt::format("name {}", i % 500);
    out += fmt::format("{},{},{},{},{:04}-{:02}-{:02},{:04}-05-06 07:08:09.{:06},{}\n", i, i % 10, amount,
                       name, 1000 + i % 3000, 1 + i % 12, 1 + i % 28, 1000 + i % 3000, i,
                       i % 3 == 0 ? "true" : "false");
  }
  return out;
}

// Dates in the order of another country, decimals, and numbers beside quoted empty cells.
TEST(ColumnCopies, HoldWhatAnExpressionMakesOfTheText) {
  std::string text = "month,amount,count\n";
  for (int i = 0; i < 60'000; ++i)
    text += fmt::format("{:02}/01/{},{},{}\n", 1 + i % 12, 2000 + i / 12 % 20,
                        i % 3 == 0 ? "9007199254740993" : "0.5", i % 5 == 0 ? "\"\"" : std::to_string(i));
  TestFolder folder;
  folder.write_settled("t.csv", text);
  DataServer plain(folder.path(), plain_collection(), {.copies_bytes_max = 1});
  DataServer copied(folder.path(), plain_collection());
  ask(copied, "t");
  ASSERT_TRUE(copied.copied("t").ok());
  for (const std::string question :
       {R"("limit":50)", R"("filters":[{"col":"month","op":"eq","value":"2003-05-01"}],"limit":20)",
        R"("filters":[{"col":"count","op":"is_null"}],"aggs":[{"fn":"count"}])",
        R"("filters":[{"col":"amount","op":"eq","value":9007199254740993}],"aggs":[{"fn":"count"}])"}) {
    const std::string arguments = R"({"dataset":"t",)" + question + "}";
    EXPECT_EQ(copied.text("query_data", arguments), plain.text("query_data", arguments)) << question;
  }
}

TEST(ColumnCopies, AnswerAsTheTextDoes) {
  const std::vector<std::string> questions{
      R"("limit":50)",
      R"("limit":50,"offset":39960)",
      R"("order_by":[{"col":"rank","desc":true}],"limit":40)",
      R"("order_by":[{"col":"amount","desc":true}],"limit":40)",
      R"("order_by":[{"col":"name"}],"limit":40,"offset":5000)",
      R"("filters":[{"col":"amount","op":"gt","value":1000}],"limit":90)",
      R"("filters":[{"col":"amount","op":"lt","value":-1}],"limit":90)",
      R"("filters":[{"col":"amount","op":"gt","value":998}],"aggs":[{"fn":"count"}])",
      R"("filters":[{"col":"name","op":"eq","value":""}],"aggs":[{"fn":"count"}])",
      R"("filters":[{"col":"name","op":"is_null"}],"aggs":[{"fn":"count"}])",
      R"("filters":[{"col":"name","op":"contains","value":"two\nlines"}],"limit":20)",
      R"("filters":[{"col":"day","op":"lt","value":"1003-01-01"}],"limit":90)",
      R"("group_by":["rank"],"aggs":[{"col":"id","fn":"sum"},{"col":"name","fn":"count_distinct"},{"col":"at","fn":"max"}])",
      R"("group_by":["flag"],"aggs":[{"col":"day","fn":"min"},{"col":"day","fn":"max"}])",
      R"("columns":["name"],"distinct":true,"order_by":[{"col":"name"}],"limit":60)",
      R"("deduplicate":["rank"],"columns":["id","rank","name"],"confirm":true)",
  };
  TestFolder folder;
  folder.write_settled("t.csv", everything());
  DataServer copied(folder.path(), plain_collection());
  ask(copied, "t");
  ASSERT_TRUE(copied.copied("t").ok());
  for (const std::string& question : questions) {
    // Each question another server that has been asked once at most reads the text.
    DataServer fresh(folder.path(), plain_collection());
    const std::string arguments = R"({"dataset":"t",)" + question + "}";
    const json::Value expected = fresh.call("query_data", arguments);
    EXPECT_EQ(copies_in(fresh), 0U);
    ASSERT_EQ(expected.find("error"), nullptr) << question << json::to_text(expected);
    EXPECT_EQ(json::to_text(copied.call("query_data", arguments)), json::to_text(expected)) << question;
  }
}

TEST(ColumnCopies, FindMinusZero) {
  std::string text = "id,x\n";
  for (int i = 0; i < 150'000; ++i)
    text += fmt::format("{},{}\n", i, i % 3 == 0 ? "-0.0" : i % 3 == 1 ? "1.5" : "-2");
  TestFolder folder;
  folder.write_settled("t.csv", text);
  DataServer server(folder.path(), plain_collection());
  ask(server, "t");
  ASSERT_TRUE(server.copied("t").ok());
  EXPECT_THAT(
      server.text("query_data",
                  R"({"dataset":"t","filters":[{"col":"x","op":"eq","value":0}],"aggs":[{"fn":"count"}]})"),
      HasSubstr(R"([{"count":50000}])"));
  EXPECT_THAT(
      server.text("advanced_query", R"({"dataset":"t","sql":"SELECT count(*) AS n FROM data WHERE x = 0"})"),
      HasSubstr(R"([{"n":50000}])"));
}

TEST(ColumnCopies, AreOfLargeFilesThatAreAskedAboutAgain) {
  TestFolder folder;
  folder.write_settled("large.csv", everything());
  folder.write_settled("small.csv", "id\n1\n");
  DataServer server(folder.path(), plain_collection());
  for (int i = 0; i < 5; ++i)
    server.text("query_data", fmt::format(R"({{"dataset":"small","offset":{}}})", i));
  server.text("query_data", R"({"dataset":"large","limit":1})");
  for (int i = 0; i < 5; ++i) server.text("query_data", R"({"dataset":"large","limit":1})");  // It is kept.
  EXPECT_EQ(copies_in(server), 0U);
  ask(server, "large");
  EXPECT_TRUE(server.copied("large").ok());
  EXPECT_EQ(copies_in(server), 1U);
}

TEST(ColumnCopies, GoWithTheirFile) {
  TestFolder folder;
  folder.write_settled("t.csv", everything());
  DataServer server(folder.path(), plain_collection());
  ask(server, "t");
  ASSERT_TRUE(server.copied("t").ok());
  EXPECT_EQ(copies_in(server), 1U);
  folder.write_settled("t.csv", everything() + "40000,77,1,last,2000-01-01,2000-01-01 00:00:00,true\n", 1);
  constexpr std::string_view kLast = R"({"dataset":"t","filters":[{"col":"rank","op":"eq","value":77}]})";
  EXPECT_EQ(outcome(server, "query_data", kLast).code, "dataset_changed");  // Nobody has looked yet.
  server.rescan();
  EXPECT_THAT(server.text("query_data", kLast), HasSubstr("last"));
  ask(server, "t");
  ASSERT_TRUE(server.copied("t").ok());
  EXPECT_EQ(copies_in(server), 1U);
  EXPECT_THAT(server.text("query_data", kLast), HasSubstr("last"));
  std::filesystem::remove(folder.path() + "/t.csv");
  EXPECT_EQ(outcome(server, "query_data", R"({"dataset":"t","limit":3})").code, "dataset_changed");
}

TEST(ColumnCopies, AreNotMadeOfWhatTheyWouldNotKeep) {
  auto collection = std::make_shared<query::Collection>(*plain_collection());
  collection->types = {{"huge", "HUGEINT"}, {"span", "INTERVAL"}};
  std::string huge = "huge,n\n";
  std::string span = "span,n\n";
  std::string place = "file_row_number,n\n";
  for (int i = 0; i < 60'000; ++i) {
    huge += fmt::format("170141183460469231731687303715884105{:03},{}\n", i % 700, i);
    span += fmt::format("{} days 00:00:00.000001,{}\n", i % 700, i);
    place += fmt::format("{},{} and some text\n", 60'000 - i, i);
  }
  TestFolder folder;
  folder.write_settled("huge.csv", huge);
  folder.write_settled("span.csv", span);
  folder.write_settled("place.csv", place);
  DataServer server(folder.path(), collection);
  for (const char* dataset : {"huge", "span", "place"}) {
    ask(server, dataset);
    EXPECT_FALSE(server.copied(dataset).ok()) << dataset;
  }
  EXPECT_EQ(copies_in(server), 0U);
  const WireMessage largest(
      server.call("query_data", R"({"dataset":"huge","aggs":[{"col":"huge","fn":"max"}]})"));
  EXPECT_EQ(largest.text({"data", 0, "huge_max"}), "170141183460469231731687303715884105699");
  const WireMessage first(server.call("query_data", R"({"dataset":"place","limit":1})"));
  EXPECT_EQ(first.text({"data", 0, "file_row_number"}), "60000");
}

// That it is the copy that is read is seen by what stands in it: here, the rows of another file.
TEST(ColumnCopies, AreWhatIsRead) {
  TestFolder folder;
  folder.write_settled("a.csv", everything());
  TestFolder other;
  std::string rows = everything();
  for (std::size_t at = rows.find("name 1"); at != std::string::npos; at = rows.find("name 1", at + 1))
    rows[at + 5] = '#';
  other.write_settled("b.csv", rows);
  DataServer server(folder.path(), plain_collection());
  DataServer source(other.path(), plain_collection());
  ask(server, "a");
  ask(source, "b");
  ASSERT_TRUE(server.copied("a").ok());
  ASSERT_TRUE(source.copied("b").ok());
  constexpr std::string_view kCount =
      R"({"dataset":"a","filters":[{"col":"name","op":"contains","value":"name #"}],"aggs":[{"fn":"count"}]})";
  const std::filesystem::path copy = copies(server).at(0);
  ASSERT_EQ(std::filesystem::file_size(copies(source).at(0)), std::filesystem::file_size(copy));
  const auto time = std::filesystem::last_write_time(copy);
  std::filesystem::copy_file(copies(source).at(0), copy, std::filesystem::copy_options::overwrite_existing);
  std::filesystem::last_write_time(copy, time);  // It has to look as it was.
  EXPECT_NE(WireMessage(server.call("query_data", kCount)).text({"data", 0, "count"}), "0");
}

TEST(ColumnCopies, AreNotReadOnceTheyWereDamaged) {
  TestFolder folder;
  folder.write_settled("t.csv", everything());
  DataServer server(folder.path(), plain_collection());
  ask(server, "t");
  ASSERT_TRUE(server.copied("t").ok());
  std::filesystem::resize_file(copies(server).at(0), 1'000);
  constexpr std::string_view kCount = R"({"dataset":"t","aggs":[{"fn":"count"}]})";
  EXPECT_EQ(WireMessage(server.call("query_data", kCount)).text({"data", 0, "count"}), "40000");
  EXPECT_EQ(copies_in(server), 0U);
}

// What is compressed, or stands in one piece, is copied as well, where it is large and asked about often.
TEST(ColumnCopies, AreMadeOfLargeParquetFilesToo) {
  TestFolder folder;
  const auto engine = engine::open_duckdb({.folders = {folder.path()}, .scratch_folder = {}});
  ASSERT_TRUE(engine.ok());
  const auto written = (*engine)->execute(
      {.sql = "COPY (SELECT range AS id, range % 10 AS rank, md5(CAST(range AS VARCHAR)) AS note, "
              "{'a': [range, NULL], 'b': CAST(range AS DECIMAL(30,3))} AS nested FROM range(1200000)) TO " +
              engine::quote_text(folder.path() + "/t.parquet") + " (FORMAT parquet, COMPRESSION zstd)",
       .parameters = {}},
      {});
  ASSERT_TRUE(written.ok()) << written.error().message;
  std::filesystem::last_write_time(folder.path() + "/t.parquet",
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
  DataServer server(folder.path(), plain_collection());
  ask(server, "t", 7);
  EXPECT_EQ(copies_in(server), 0U);
  DataServer copied(folder.path(), plain_collection());
  ask(copied, "t", 8);
  ASSERT_TRUE(copied.copied("t").ok());
  EXPECT_EQ(copies_in(copied), 1U);
  for (const char* question :
       {R"("limit":20,"offset":1199990)", R"("order_by":[{"col":"rank"}],"limit":30)",
        R"("filters":[{"col":"note","op":"contains","value":"abcd"}],"aggs":[{"fn":"count"}])",
        R"("group_by":["rank"],"aggs":[{"col":"id","fn":"sum"}])"}) {
    DataServer fresh(folder.path(), plain_collection());
    const std::string arguments = std::string(R"({"dataset":"t",)") + question + "}";
    const json::Value expected = fresh.call("query_data", arguments);
    ASSERT_EQ(expected.find("error"), nullptr) << question << json::to_text(expected);
    EXPECT_EQ(json::to_text(copied.call("query_data", arguments)), json::to_text(expected)) << question;
  }
}

TEST(ColumnCopies, AreBounded) {
  TestFolder folder;
  for (const char* name : {"a", "b", "c"}) folder.write_settled(std::string(name) + ".csv", everything());
  DataServerOptions options;
  options.copies_bytes_max = 2'600'000;  // For two.
  DataServer server(folder.path(), plain_collection(), options);
  for (const char* name : {"a", "b", "c"}) {
    ask(server, name);
    EXPECT_TRUE(server.copied(name).ok());
  }
  EXPECT_EQ(copies_in(server), 2U);
}

TEST(ColumnCopies, ThatHadToGoAreMadeAgainButNotAsSoon) {
  TestFolder folder;
  for (const char* name : {"a", "b", "c", "d"})
    folder.write_settled(std::string(name) + ".csv", everything());
  DataServerOptions options;
  options.copies_bytes_max = 2'600'000;  // For two.
  DataServer server(folder.path(), plain_collection(), options);
  const auto copy = [&](const char* name) {
    ask(server, name);
    EXPECT_TRUE(server.copied(name).ok());
  };
  for (const char* name : {"a", "b", "c"}) copy(name);
  const std::vector<std::filesystem::path> of_b_and_c = copies(server);
  const auto ask_first = [&](int offset) {
    server.text("query_data", fmt::format(R"({{"dataset":"a","limit":1,"offset":{}}})", offset));
  };
  for (int i = 0; i < 3; ++i) ask_first(100 + i);
  copy("d");  // Copies are made one after the other: one of the first would have been before it.
  int left = 0;
  for (const std::filesystem::path& path : of_b_and_c) left += std::filesystem::exists(path) ? 1 : 0;
  EXPECT_EQ(left, 1);
  ask_first(103);
  EXPECT_TRUE(server.copied("a").ok());
  EXPECT_EQ(copies_in(server), 2U);
}

TEST(ColumnCopies, AreNotMadeWhereThereIsNoRoom) {
  TestFolder folder;
  folder.write_settled("a.csv", everything());
  DataServerOptions options;
  options.copies_bytes_max = 1'000'000;  // For none.
  DataServer little(folder.path(), plain_collection(), options);
  ask(little, "a");
  EXPECT_FALSE(little.copied("a").ok());
  EXPECT_EQ(copies_in(little), 0U);
}

}  // namespace
}  // namespace sluice::datasets::testing
