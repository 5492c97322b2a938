#include "sluice/records/sort.h"

#include <string>

#include <gmock/gmock.h>

#include "sluice/json/reader.h"

#include "view_fixture.h"

namespace sluice::records {
namespace {

json::Value value_of(const std::string& text) {
  Result<json::Value> read = json::read(text);
  EXPECT_TRUE(read.ok()) << text;
  return read.ok() ? *std::move(read) : json::Value();
}

// The rows in their order, or the code of an error.
std::string sorted(const std::string& sort_by, const std::string& schema = "") {
  const View view = testing::view_over(
      "SELECT * FROM (VALUES ('low', 3, [2]), ('high', 1, [1]), (NULL, 2, NULL), ('other', 3, []), "
      "('medium', NULL, [3])) "
      "t(priority, rank, list)");
  const json::Value by = value_of(sort_by);
  const json::Value declared = schema.empty() ? json::Value() : value_of(schema);
  const Result<std::vector<plan::SortKey>> keys = compile_sort(*by.if_array(), view, declared.if_object());
  if (!keys.ok()) return keys.error().code;
  return testing::rows_of(view, plan::sort(scan_of(view, RowPlaces::kLastColumn), *keys, true).value());
}

TEST(Sort, TiesKeepTheOrderOfRows) {
  EXPECT_EQ(sorted("[]"), "0 1 2 3 4");
  EXPECT_EQ(sorted(R"([{"column":"rank"}])"), "1 2 0 3 4");
  EXPECT_EQ(sorted(R"([{"column":"rank","ascending":false}])"), "0 3 2 1 4");
}

TEST(Sort, NullsComeWhereTheyAreWanted) {
  EXPECT_EQ(sorted(R"([{"column":"rank","na_position":"first"}])"), "4 1 2 0 3");
  EXPECT_EQ(sorted(R"([{"column":"rank"},{"column":"priority","na_position":"first","ascending":false}])"),
            "1 2 3 0 4");
}

TEST(Sort, ACustomOrderComesFirstAndWhatIsOutsideLast) {
  const std::string order = R"("custom_order":["high","medium","low"])";
  EXPECT_EQ(sorted("[{\"column\":\"priority\"," + order + "}]"), "1 4 0 3 2");
  EXPECT_EQ(sorted("[{\"column\":\"priority\",\"ascending\":false," + order + "}]"), "0 4 1 3 2");
  EXPECT_EQ(sorted("[{\"column\":\"priority\",\"na_position\":\"first\"," + order + "}]"), "2 1 4 0 3");
  EXPECT_EQ(sorted(R"([{"column":"rank","custom_order":[3,1]}])"), "0 3 1 2 4");
}

TEST(Sort, UsesTheOrderOfTheSchema) {
  const std::string by = R"([{"column":"priority"}])";
  EXPECT_EQ(sorted(by, R"({"schema":{"priority":{"enum":["low","medium","high"]}}})"), "0 4 1 3 2");
  EXPECT_EQ(sorted(by, R"({"schema":{"priority":{"enum":["low"],"enum_order":["high","low"]}}})"),
            "1 0 3 4 2");
  EXPECT_EQ(sorted(by, R"({"schema":{"priority":"string"}})"), "1 0 4 3 2");
}

TEST(Sort, ListsHaveAnOrderToo) { EXPECT_EQ(sorted(R"([{"column":"list"}])"), "3 1 0 4 2"); }

TEST(Sort, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(sorted(R"([{"column":"prioritty"}])"), "unknown_column");
  EXPECT_EQ(sorted(R"([{"column":"rank","na_position":"middle"}])"), "invalid_sort");
  EXPECT_EQ(sorted(R"(["rank"])"), "invalid_sort");
  std::string many = R"([{"column":"rank"})";
  for (int i = 0; i < 200; ++i) many += R"(,{"column":"rank"})";
  EXPECT_EQ(sorted(many + "]"), "too_many_values");
  EXPECT_EQ(sorted(R"([{"column":"priority","custom_order":["'); DROP TABLE x; --"]}])"), "0 1 3 4 2");
}

}  // namespace
}  // namespace sluice::records
