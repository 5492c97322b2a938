// SQL over one table of a database: the database computes what it computes as the engine does.

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "database_server.h"

namespace sluice::databases::testing {
namespace {

constexpr const char* kCities =
    "CREATE TABLE cities (id INTEGER PRIMARY KEY, city TEXT, x INTEGER); INSERT INTO cities VALUES (1, "
    "'Rome', 6), "
    "(2, 'Oslo', 9), (3, 'Rome', NULL), (4, NULL, 7), (5, 'Rome', 8), (6, 'Oslo', 1), (7, 'Bern', 30)";

struct Asked {
  std::string sql;
  std::string rows;
};

const std::vector<Asked>& pushed() {
  static const std::vector<Asked> kAsked = {
      {"SELECT city, count(*) FROM shop.cities WHERE x > 5 GROUP BY city ORDER BY 2 DESC, 1 LIMIT 10",
       "city,count_star()\nRome,2\nBern,1\nOslo,1\n,1\n"},
      {"SELECT city, count(*) AS n FROM shop.cities GROUP BY 1 ORDER BY n DESC, city LIMIT 2",
       "city,n\nRome,3\nOslo,2\n"},
      {"SELECT id FROM shop.cities WHERE NOT (x > 6 OR city = 'Bern') ORDER BY id", "id\n1\n6\n"},
      {"SELECT id FROM shop.cities LIMIT 2", "id\n1\n2\n"},
      {"SELECT id FROM shop.cities ORDER BY x DESC LIMIT 1 OFFSET 1", "id\n2\n"},
      {"SELECT id FROM shop.cities LIMIT 0", "# 0 rows\nid\n"},
      {"SELECT id AS number, x AS size FROM shop.cities WHERE city LIKE 'Os%' ORDER BY size",
       "number,size\n6,1\n2,9\n"},
      {"SELECT DISTINCT city FROM shop.cities ORDER BY city DESC", "city\nRome\nOslo\nBern\n\n"},
      {"SELECT city, count(*) AS n FROM shop.cities GROUP BY city HAVING max(x) > 8 AND city > 'Oslo' OR n = "
       "3 "
       "ORDER BY 1",
       "city,n\nRome,3\n"},
      {"SELECT max(x), min(city) AS m, count(DISTINCT city) AS c FROM shop.cities",
       "max(x),m,c\n30,Bern,3\n"},
  };
  return kAsked;
}

void expect_answers(DatabaseServer& server) {
  for (const Asked& asked : pushed()) {
    const std::string text = server.text("query", R"({"sql":)" + in_json(asked.sql) + "}");
    EXPECT_TRUE(text.ends_with(asked.rows)) << asked.sql << "\n" << text;
    std::string data = asked.sql;
    for (std::size_t at = data.find("shop.cities"); at != std::string::npos; at = data.find("shop.cities"))
      data.replace(at, 11, "data");
    EXPECT_TRUE(server.is_statement_pushed_down("shop/cities", data)) << data;
  }
  for (const char* sql :
       {"SELECT city, count(*) FROM data GROUP BY city HAVING count(*) > max(x)",
        "SELECT id FROM data WHERE x + 1 > 5", "SELECT id FROM data ORDER BY x NULLS FIRST"})
    EXPECT_FALSE(server.is_statement_pushed_down("shop/cities", sql)) << sql;
}

DatabaseServerOptions with_sql() { return {.folder = {}, .profile = datasets::ToolProfile::kAll}; }

TEST(Statement, RunsInSqlite) {
  const TestFolder folder;
  SqliteWriter(folder.at("shop.db")).run(kCities);
  DatabaseServer server({sqlite_spec("shop", folder.at("shop.db"))}, with_sql());
  expect_answers(server);
}

// An output that has the name of another column would be what ORDER BY means in the database.
TEST(Statement, OrdersByColumnsWhoseNamesAreExchanged) {
  const TestFolder folder;
  SqliteWriter(folder.at("shop.db")).run(kCities);
  DatabaseServer server({sqlite_spec("shop", folder.at("shop.db"))}, with_sql());
  EXPECT_EQ(
      server.text("query", R"({"sql":"SELECT id AS x, x AS id FROM shop.cities AS t ORDER BY t.x LIMIT 2"})"),
      "x,id\n6,1\n1,6\n");
}

// A limit of the statement is exact, although rows behind the limit of a call tell that there are more.
TEST(Statement, HasNoMoreRowsThanItsLimit) {
  const TestFolder folder;
  SqliteWriter(folder.at("shop.db")).run(kCities);
  DatabaseServer server({sqlite_spec("shop", folder.at("shop.db"))}, with_sql());
  const std::string sql = R"("sql":"SELECT id FROM data ORDER BY id LIMIT 3")";
  EXPECT_EQ(server.member("advanced_query", R"({"dataset":"shop/cities",)" + sql + "}", "row_count"), "3");
}

class PostgresStatement : public ::testing::TestWithParam<int> {};

TEST_P(PostgresStatement, RunsInTheDatabase) {
  const DatabaseSpec spec = fresh_postgres("shop", postgres(GetParam()));
  postgres(GetParam()).run(kCities);
  DatabaseServer server({spec}, with_sql());
  expect_answers(server);
  EXPECT_TRUE(server.is_statement_pushed_down("shop/cities", "SELECT sum(x), avg(x), median(x) FROM data"));
  EXPECT_TRUE(
      server.text("query", R"({"sql":"SELECT sum(x) AS s, avg(x) AS a, median(x) AS m FROM shop.cities"})")
          .ends_with("s,a,m\n61,10.1666666666667,7.5\n"));
}

INSTANTIATE_TEST_SUITE_P(Both, PostgresStatement, ::testing::Values(15, 18),
                         [](const auto& version) { return "Version" + std::to_string(version.param); });

}  // namespace
}  // namespace sluice::databases::testing
