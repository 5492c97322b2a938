// SQL over several tables of one database runs in that database; over those of two databases it does not.

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "database_server.h"

namespace sluice::databases::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kShop =
    "CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR(40), region TEXT);"
    "INSERT INTO customers VALUES (1, 'Ann', 'north'), (2, 'Bob', 'South'), (3, 'Cid', NULL);"
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER, price DOUBLE PRECISION, region TEXT);"
    "INSERT INTO orders VALUES (1, 1, 5.5, 'north'), (2, 1, 7, 'south'), (3, 2, 1, 'South'), (4, 9, 2, "
    "NULL), "
    "(5, NULL, 3, 'north');"
    "CREATE TABLE items (order_id INTEGER, sku TEXT);"
    "INSERT INTO items VALUES (1, 'x'), (1, 'y'), (3, 'x'), (7, 'z');";

struct Asked {
  std::string sql;
  std::string rows;
};

const std::vector<Asked>& pushed() {
  static const std::vector<Asked> kAsked = {
      {"SELECT o.id, name FROM shop.orders o JOIN shop.customers c ON o.customer = c.id ORDER BY o.id",
       "id,name\n1,Ann\n2,Ann\n3,Bob\n"},
      {"SELECT o.id, name FROM shop.orders o LEFT JOIN shop.customers c ON o.customer = c.id AND name <> "
       "'Bob' "
       "ORDER BY o.id DESC",
       "id,name\n5,\n4,\n3,\n2,Ann\n1,Ann\n"},
      {"SELECT o.id FROM shop.orders o LEFT JOIN shop.customers c ON o.customer = c.id WHERE c.id IS NULL "
       "ORDER "
       "BY 1",
       "id\n4\n5\n"},
      {"SELECT name, count(*) AS n, max(sku) AS sku FROM shop.customers c, shop.orders o, shop.items i WHERE "
       "c.id = o.customer AND i.order_id = o.id GROUP BY name HAVING count(*) > 1",
       "name,n,sku\nAnn,2,y\n"},
      {"SELECT region, c.id AS customer, o.id FROM shop.customers c LEFT JOIN shop.orders o USING (region) "
       "ORDER "
       "BY 2, 3",
       "region,customer,id\nnorth,1,1\nnorth,1,5\nSouth,2,3\n,3,\n"},
      {"SELECT a.id, b.id AS other FROM shop.orders a JOIN shop.orders b ON a.customer = b.customer WHERE "
       "b.price "
       "> 6 ORDER BY 1",
       "id,other\n1,2\n2,2\n"},
  };
  return kAsked;
}

constexpr const char* kWhole = "the database shop computes the whole statement\n";

std::string asked(DatabaseServer& server, const std::string& sql, bool is_explained) {
  return server.text("query", R"({"sql":)" + in_json(sql) + (is_explained ? R"(,"explain":true})" : "}"));
}

void expect_answers(DatabaseServer& server) {
  for (const Asked& one : pushed()) {
    EXPECT_TRUE(asked(server, one.sql, false).ends_with(one.rows)) << one.sql << "\n"
                                                                   << asked(server, one.sql, false);
    EXPECT_THAT(asked(server, one.sql, true), HasSubstr(kWhole)) << one.sql;
  }
  for (const char* sql :
       {"SELECT o.id FROM shop.orders o JOIN shop.customers c ON o.customer = c.id AND o.price > c.id",
        "SELECT o.id FROM shop.orders o JOIN shop.items i ON o.price = i.order_id"}) {
    const std::string text = asked(server, sql, true);
    EXPECT_THAT(text, HasSubstr("joined by the engine\n")) << sql;
    EXPECT_THAT(text, Not(HasSubstr(kWhole))) << sql;
  }
}

DatabaseServerOptions with_sql() { return {.folder = {}, .profile = datasets::ToolProfile::kAll}; }

TEST(JoinedStatement, RunsInSqlite) {
  const TestFolder folder;
  SqliteWriter(folder.at("shop.db")).run(kShop);
  DatabaseServer server({sqlite_spec("shop", folder.at("shop.db"))}, with_sql());
  expect_answers(server);
}

TEST(JoinedStatement, RunsInTheEngineIfItsTablesAreInTwoDatabases) {
  const TestFolder folder;
  SqliteWriter(folder.at("shop.db")).run(kShop);
  SqliteWriter(folder.at("branch.db")).run(kShop);
  DatabaseServer server(
      {sqlite_spec("shop", folder.at("shop.db")), sqlite_spec("branch", folder.at("branch.db"))}, with_sql());
  const std::string sql =
      "SELECT o.id, name FROM shop.orders o JOIN branch.customers c ON o.customer = c.id ORDER BY o.id";
  EXPECT_THAT(asked(server, sql, true), HasSubstr("joined by the engine\n"));
  EXPECT_TRUE(asked(server, sql, false).ends_with("id,name\n1,Ann\n2,Ann\n3,Bob\n"));
}

// The database would find the texts equal, too, but the columns are those of integers until they are read.
TEST(JoinedStatement, LearnsOfAValueThatDoesNotFitItsKey) {
  const TestFolder folder;
  SqliteWriter writer(folder.at("shop.db"));
  writer.run(kShop);
  writer.run(
      "WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 1200) INSERT INTO items "
      "SELECT "
      "i, 'many' FROM n; INSERT INTO items VALUES ('late', 'w');"
      "INSERT INTO orders SELECT order_id, order_id, 1, 'many' FROM items WHERE sku = 'many';"
      "INSERT INTO orders VALUES (5000, 'late', 1, 'few')");
  DatabaseServer server({sqlite_spec("shop", folder.at("shop.db"))}, with_sql());
  const std::string sql =
      "SELECT count(*) AS n FROM shop.items i LEFT JOIN shop.orders o ON i.order_id = o.customer WHERE sku = "
      "'w'";
  EXPECT_THAT(asked(server, sql, true), HasSubstr(kWhole));
  EXPECT_TRUE(asked(server, sql, false).ends_with("n\n1\n"));
  EXPECT_THAT(asked(server, sql, true), Not(HasSubstr(kWhole)));
}

class JoinedPostgresStatement : public ::testing::TestWithParam<int> {};

TEST_P(JoinedPostgresStatement, RunsInTheDatabase) {
  const DatabaseSpec spec = fresh_postgres("shop", postgres(GetParam()));
  postgres(GetParam()).run(kShop);
  DatabaseServer server({spec}, with_sql());
  expect_answers(server);
}

INSTANTIATE_TEST_SUITE_P(Both, JoinedPostgresStatement, ::testing::Values(15, 18),
                         [](const auto& version) { return "Version" + std::to_string(version.param); });

}  // namespace
}  // namespace sluice::databases::testing
