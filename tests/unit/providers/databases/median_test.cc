// A database that computes a median itself has to give the digits that the engine gives.

#include <gmock/gmock.h>

#include "database_server.h"

namespace sluice::databases::testing {
namespace {

constexpr const char* kNumbers =
    "INSERT INTO t VALUES ('a', 9007199254740993, 1.5), ('a', 9007199254740994, 9e999), ('b', 4, -9e999), "
    "('b', 7, -1.5), ('c', 9223372036854775807, -9e999), ('c', 9223372036854775806, 9e999), ('d', 3, 2.5)";
constexpr const char* kMedians =
    R"([{"g":"a","n_median":"9007199254740993.5","x_median":"Infinity"},)"
    R"({"g":"b","n_median":5.5,"x_median":"-Infinity"},)"
    R"({"g":"c","n_median":"9223372036854775806.5","x_median":"NaN"},{"g":"d","n_median":3.0,"x_median":2.5}])";

std::string medians(DatabaseServer& server) {
  return server.member(
      "aggregate",
      R"({"table":"t","group_by":["g"],"aggs":[{"col":"n","fn":"median"},{"col":"x","fn":"median"}]})",
      "data");
}

TEST(SqliteMedian, HasAllDigitsAndStaysInfinite) {
  const TestFolder folder;
  SqliteWriter writer(folder.at("shop.db"));
  writer.run("CREATE TABLE t (g TEXT, n INTEGER, x REAL)");
  writer.run(kNumbers);
  DatabaseServer server({sqlite_spec("shop", folder.at("shop.db"))});
  EXPECT_EQ(medians(server), kMedians);
  EXPECT_EQ(server.member("aggregate", R"({"table":"t","group_by":["g"],"aggs":[{"col":"x","fn":"median"}]})",
                          "data"),
            R"([{"g":"a","x_median":"Infinity"},{"g":"b","x_median":"-Infinity"},{"g":"c","x_median":"NaN"},)"
            R"({"g":"d","x_median":2.5}])");
}

class PostgresMedian : public ::testing::TestWithParam<int> {};

TEST_P(PostgresMedian, HasAllDigitsAndStaysInfinite) {
  const DatabaseSpec spec = fresh_postgres("shop", postgres(GetParam()));
  std::string numbers = kNumbers;
  for (const auto& [from, to] : {std::pair{"-9e999", "'-Infinity'"}, std::pair{" 9e999", " 'Infinity'"}}) {
    for (std::size_t at = numbers.find(from); at != std::string::npos; at = numbers.find(from))
      numbers.replace(at, std::string(from).size(), to);
  }
  postgres(GetParam()).run("CREATE TABLE t (g text, n bigint, x double precision); " + numbers);
  DatabaseServer server({spec});
  EXPECT_EQ(medians(server), kMedians);
  EXPECT_TRUE(server.is_pushed_down("shop/t",
                                    R"({"table":"t","group_by":["g"],"aggs":[{"col":"n","fn":"median"}]})"));
}

INSTANTIATE_TEST_SUITE_P(Both, PostgresMedian, ::testing::Values(15, 18),
                         [](const auto& version) { return "Version" + std::to_string(version.param); });

}  // namespace
}  // namespace sluice::databases::testing
