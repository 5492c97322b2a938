#include <filesystem>
#include <string>

#include <gmock/gmock.h>

#include "data_server.h"
#include "outcome.h"

namespace sluice::datasets::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::shared_ptr<const query::Collection> sales_collection() {
  auto out = std::make_shared<query::Collection>();
  out->name = "sales";
  out->scheme = "sales";
  out->dimensions = {{.name = "year", .is_integer = true}, {.name = "region"}};
  return out;
}

// Files {year}_{region} as the table `sales`.
class LeanCollection : public ::testing::Test {
 protected:
  std::string query(std::string_view sql) { return ask(sql).text; }
  Outcome ask(std::string_view sql) {
    if (!server_) {
      DataServerOptions options;
      options.profile = ToolProfile::kLean;
      server_ = std::make_unique<DataServer>(folder.path(), sales_collection(), options);
    }
    return outcome(*server_, "query", "{\"sql\":" + in_json(sql) + "}");
  }

  TestFolder folder;

 private:
  std::unique_ptr<DataServer> server_;
};

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

TEST_F(LeanCollection, DoesNotOpenFilesThatAFilterOnADimensionExcludes) {
  folder.write("2020_north.csv", "id,v\n1,10\n2,20\n");
  folder.write("2021_north.parquet", "this is no Parquet file");
  EXPECT_EQ(query("SELECT year, region, id FROM sales WHERE year = 2020 ORDER BY id"),
            "year,region,id\n2020,north,1\n2020,north,2\n");
  EXPECT_EQ(query("SELECT count(*) AS n FROM sales AS s WHERE NOT (s.year >= 2021 OR s.year IS NULL)"),
            "n\n2\n");
  EXPECT_EQ(ask("SELECT id FROM sales").code, "unreadable_file");
  EXPECT_EQ(ask("SELECT id FROM sales WHERE year = 2020 OR v = 1").code, "unreadable_file");
}

TEST_F(LeanCollection, ReadsEachSideOfASelfJoinByItsOwnFilters) {
  folder.write("2020_north.csv", "id,v\n1,10\n2,20\n");
  folder.write("2021_north.csv", "id,v\n1,11\n3,30\n");
  folder.write("2022_north.parquet", "this is no Parquet file");
  EXPECT_EQ(
      query("SELECT a.id, a.v, b.v AS w FROM sales a LEFT JOIN sales b ON a.id = b.id AND b.year = 2021 "
            "WHERE a.year = 2020 ORDER BY a.id"),
      "id,v,w\n1,10,11\n2,20,\n");
}

TEST_F(LeanCollection, GivesFilesInTheOrderOfTheCatalog) {
  for (const std::string year : {"2022", "2020", "2021"})
    folder.write(year + "_north.csv", "v\nfirst " + year + "\nsecond " + year + "\n");
  EXPECT_EQ(query("SELECT year, v FROM sales"),
            "year,v\n2020,first 2020\n2020,second 2020\n2021,first 2021\n2021,second 2021\n"
            "2022,first 2022\n2022,second 2022\n");
}

TEST_F(LeanCollection, MatchesColumnsByNameAndWidensTheirTypes) {
  folder.write("2020_north.csv", "id,v\n1,10\n");
  folder.write("2021_north.csv", "v,id,note\n1.5,2,hello\n");
  EXPECT_EQ(query("SELECT id, v, note FROM sales ORDER BY id"), "id,v,note\n1,10,\n2,1.5,hello\n");
}

TEST_F(LeanCollection, FindsAColumnThatOnlyExcludedFilesHave) {
  folder.write("2020_north.csv", "id\n1\n");
  folder.write("2021_north.csv", "id,note\n2,hello\n");
  EXPECT_EQ(query("SELECT id, note FROM sales WHERE year = 2020"), "id,note\n1,\n");
  EXPECT_EQ(ask("SELECT id, absent FROM sales WHERE year = 2020").code, "invalid_column");
}

TEST_F(LeanCollection, HasColumnsWhereNoFileIsLeft) {
  folder.write("2020_north.csv", "id,v\n1,10\n");
  EXPECT_THAT(query("SELECT id, v FROM sales WHERE year = 1900"), HasSubstr("id,v\n"));
  EXPECT_EQ(query("SELECT count(*) AS n, sum(v) AS total FROM sales WHERE year = 1900"), "n,total\n0,\n");
}

TEST_F(LeanCollection, GivesADimensionItsNameBeforeAColumnOfTheData) {
  folder.write("2020_north.csv", "Year,id\n1999,1\n");
  folder.write("2021_north.csv", "Year,id\n2020,2\n");
  EXPECT_EQ(query("SELECT year, \"Year_\" AS y, id FROM sales WHERE year = 2020"),
            "year,y,id\n2020,1999,1\n");
}

TEST_F(LeanCollection, RunsNoSqlThatIsHiddenInADimension) {
  const std::string hostile = "x') AS region FROM (SELECT 1); --";
  folder.write("2020_" + hostile + ".csv", "id\n1\n");
  folder.write("2020_it's \"quoted\".csv", "id\n2\n");
  folder.write("2020_north.csv", "id\n3\n");
  EXPECT_EQ(query("SELECT region, id FROM sales WHERE id = 1"), "region,id\n" + hostile + ",1\n");
  EXPECT_EQ(query("SELECT id FROM sales WHERE region = 'it''s \"quoted\"'"), "id\n2\n");
  EXPECT_EQ(query("SELECT count(*) AS n FROM sales WHERE region <> 'x'' OR 1=1'"), "n\n3\n");
}

TEST_F(LeanCollection, SaysThatAFileHasVanished) {
  folder.write("2020_north.csv", "id\n1\n");
  folder.write("2021_north.csv", "id\n2\n");
  EXPECT_EQ(query("SELECT count(*) AS n FROM sales"), "n\n2\n");
  std::filesystem::remove(folder.path() + "/2021_north.csv");
  const Outcome gone = ask("SELECT sum(id) AS total FROM sales");
  EXPECT_EQ(gone.code, "dataset_changed");
  EXPECT_THAT(gone.text, HasSubstr("2021_north"));
  EXPECT_EQ(query("SELECT sum(id) AS total FROM sales WHERE year = 2020"), "total\n1\n");
}

TEST_F(LeanCollection, RefusesMoreFilesThanAStatementMayOpen) {
  for (int i = 0; i < 5'000; ++i)
    folder.write(std::to_string(1000 + i / 50) + "_r" + std::to_string(i % 50) + ".csv",
                 "id\n" + std::to_string(i) + "\n");
  const Outcome all = ask("SELECT count(*) FROM sales");
  EXPECT_EQ(all.code, "too_many_files");
  EXPECT_THAT(all.text, AllOf(HasSubstr("5000 files match"), HasSubstr("year, region"),
                              HasSubstr("WHERE year = 1099")));
  EXPECT_EQ(query("SELECT count(*) AS n, min(id) AS first FROM sales WHERE year = 1007"),
            "n,first\n50,350\n");
  const std::size_t before = open_descriptors();
  EXPECT_EQ(query("SELECT count(*) AS n, sum(id) AS total FROM sales WHERE year = 1007"),
            "n,total\n50,18725\n");
  EXPECT_EQ(open_descriptors(), before);
}

}  // namespace
}  // namespace sluice::datasets::testing
