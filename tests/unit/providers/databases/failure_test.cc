// Servers that are away, slow or very large.

#include <chrono>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>

#include "sluice/engine/postgres.h"

#include "database_server.h"

namespace sluice::databases::testing {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kCount = R"({"table":"orders","group_by":[],"aggs":[{"fn":"count"}]})";

// Whether SQL of the owner runs without an error.
bool holds(PostgresServer& server, const std::string& condition) {
  try {
    server.run("DO $$ BEGIN IF NOT (" + condition + ") THEN RAISE 'no'; END IF; END $$");
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

TEST(PostgresAway, AtTheStartIsFoundOnceItIsUp) {
  PostgresServer own(15, SLUICE_REPOSITORY);
  own.run(
      "CREATE ROLE reader LOGIN PASSWORD 'reader-secret'; CREATE TABLE orders (id int); GRANT SELECT ON "
      "orders TO "
      "reader; INSERT INTO orders VALUES (1); CHECKPOINT");
  own.stop();
  DatabaseServer server({postgres_spec("shop", own)});
  EXPECT_EQ(server.member("get_catalog", "{}", "total"), "0");
  EXPECT_EQ(server.code("query_data", R"({"table":"orders"})"), "dataset_not_found");
  own.start();
  EXPECT_TRUE(server.comes_true([&] { return server.code("query_data", R"({"table":"orders"})").empty(); }));
  EXPECT_EQ(server.contents("db://orders/data"), R"([{"id":1}])");
}

TEST(PostgresAway, KilledInTheMiddleIsToldAndThenFoundAgain) {
  PostgresServer own(18, SLUICE_REPOSITORY);
  own.run(
      "CREATE ROLE reader LOGIN PASSWORD 'reader-secret'; CREATE TABLE orders (id int); GRANT SELECT ON "
      "orders TO "
      "reader; INSERT INTO orders SELECT generate_series(1, 10); CREATE VIEW slow AS SELECT id, "
      "pg_sleep(20)::text AS s "
      "FROM orders; GRANT SELECT ON slow TO reader; CHECKPOINT");
  DatabaseServer server({postgres_spec("shop", own)});
  EXPECT_EQ(server.member("aggregate", kCount, "data"), R"([{"count":10}])");
  const auto pending = server.client().start_tool("query_data", R"({"table":"slow"})");
  ASSERT_TRUE(server.comes_true([&] {
    return holds(own, "EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'reader' AND state = 'active')");
  }));
  own.kill();
  const std::string told = json::to_text(pending->reply().value());
  EXPECT_THAT(
      told, AllOf(HasSubstr("database_unavailable"), Not(HasSubstr("127.0.0.1")), Not(HasSubstr("secret"))));
  EXPECT_EQ(server.code("aggregate", kCount), "database_unavailable");
  EXPECT_THAT(json::to_text(server.read("db://orders/data").value()), Not(HasSubstr("127.0.0.1")));
  own.start();
  EXPECT_TRUE(server.comes_true([&] { return server.code("aggregate", kCount).empty(); }));
  EXPECT_EQ(server.member("aggregate", kCount, "data"), R"([{"count":10}])");
}

class PostgresTime : public ::testing::TestWithParam<int> {};

TEST_P(PostgresTime, ASlowQuestionEndsAtItsDeadlineInTheServerToo) {
  PostgresServer& own = postgres(GetParam());
  const DatabaseSpec spec = fresh_postgres("shop", own);
  own.run("CREATE VIEW slow AS SELECT 1 AS id, pg_sleep(60)::text AS s");
  DatabaseServer server({spec}, {.request_timeout = milliseconds(2'000)});
  const auto begin = std::chrono::steady_clock::now();
  for (const char* arguments :
       {R"({"table":"slow"})",                                                      // By the database,
        R"({"table":"slow","filters":[{"col":"s","op":"regex","value":"x"}]})"}) {  // by the engine.
    const std::string told = json::to_text(server.client().call_tool("query_data", arguments).value());
    EXPECT_THAT(told, AnyOf(HasSubstr("time_limit"), HasSubstr("deadline"), HasSubstr("timed out"))) << told;
  }
  EXPECT_FALSE(server.read("db://slow/data").is_result());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_TRUE(server.comes_true([&] {
    return holds(own,
                 "NOT EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'reader' AND state = 'active')");
  }));
}

TEST_P(PostgresTime, ACancelledQuestionEndsInTheServer) {
  PostgresServer& own = postgres(GetParam());
  const DatabaseSpec spec = fresh_postgres("shop", own);
  own.run("CREATE VIEW slow AS SELECT 1 AS id, pg_sleep(60)::text AS s");
  DatabaseServer server({spec});
  const auto pending = server.client().start_tool("query_data", R"({"table":"slow"})");
  ASSERT_TRUE(server.comes_true([&] {
    return holds(own, "EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'reader' AND state = 'active')");
  }));
  pending->cancel();
  EXPECT_TRUE(server.comes_true([&] {
    return holds(own,
                 "NOT EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'reader' AND state = 'active')");
  }));
}

// A table that cannot be counted within the preflight's time, and a database that makes no guess: a part of
// the table tells, although the database could have answered.
TEST(SqliteTime, ALargeTableIsSampledForTheEstimate) {
  const TestFolder folder;
  SqliteWriter writer(folder.at("shop.db"));
  writer.run(
      "CREATE TABLE orders (id INTEGER PRIMARY KEY, note TEXT, price REAL); WITH RECURSIVE n(i) AS (SELECT 1 "
      "UNION "
      "ALL SELECT i + 1 FROM n WHERE i < 500000) INSERT INTO orders SELECT i, 'note number ' || i, i / 4.0 "
      "FROM n");
  DatabaseServer server({sqlite_spec("shop", folder.at("shop.db"))});
  const json::Value kept = server.call(
      "query_data", R"({"table":"orders","columns":["id"],"filters":[{"col":"id","op":"gt","value":0}]})");
  EXPECT_NE(kept.find("result_handle"), nullptr) << json::to_text(kept).substr(0, 500);
  EXPECT_EQ(kept.find("row_count") == nullptr ? "" : json::to_text(*kept.find("row_count")), "500000");
}

TEST_P(PostgresTime, AMillionRowsAreEstimatedByThePlannerAndReadByHandles) {
  PostgresServer& own = postgres(GetParam());
  const DatabaseSpec spec = fresh_postgres("shop", own);
  own.run(
      "CREATE TABLE orders AS SELECT g AS id, md5(g::text) AS code FROM generate_series(1, 1000000) g; "
      "CREATE VIEW few AS SELECT * FROM orders LIMIT 3; ANALYZE");
  DatabaseServer server({spec});
  EXPECT_THAT(server.text("get_catalog", R"({"match":"orders"})"),
              HasSubstr(R"("row_count_approx":1000000,"row_count_kind":"estimate")"));
  EXPECT_THAT(server.text("get_catalog", R"({"match":"few"})"),
              HasSubstr(R"("row_count_approx":null,"row_count_kind":"unknown")"));
  const std::string estimate = server.text("estimate_query", R"({"table":"orders"})");
  EXPECT_THAT(estimate, HasSubstr(R"("row_estimate_kind":"planner")"));
  EXPECT_THAT(estimate, HasSubstr(R"("row_estimate":1000000)"));
  // The preview has its rows even if fewer may be answered.
  const json::Value few =
      server.call("estimate_query", R"({"table":"orders","columns":["id"],"max_rows":2})");
  EXPECT_THAT(*few.find("preview")->if_array(), ::testing::SizeIs(5));
  EXPECT_EQ(server.member("aggregate", kCount, "data"), R"([{"count":1000000}])");
  // An answer that is too large is kept, and read on page by page.
  const json::Value kept = server.call(
      "query_data",
      R"({"table":"orders","filters":[{"col":"id","op":"lte","value":20000}],"order_by":[{"col":"id"}]})");
  ASSERT_NE(kept.find("result_handle"), nullptr) << json::to_text(kept).substr(0, 500);
  const std::string handle = *kept.find("result_handle")->if_string();
  EXPECT_EQ(json::to_text(*kept.find("row_count")), "20000");
  own.run("DROP VIEW few; DROP TABLE orders");
  const std::string page =
      server.text("query_next_page", R"({"result_handle":")" + handle + R"(","max_rows":3})");
  EXPECT_THAT(page, HasSubstr(R"({"id":3,"code":")"));
  // The pages are resources.
  EXPECT_THAT(json::to_text(kept), HasSubstr("rows://"));
}

INSTANTIATE_TEST_SUITE_P(Both, PostgresTime, ::testing::Values(15, 18),
                         [](const auto& version) { return "Version" + std::to_string(version.param); });

TEST(PostgresRoles, ThatCouldDoMoreThanReadAreRefusedUnlessAllowed) {
  PostgresServer& own = postgres(15);
  DatabaseSpec spec = fresh_postgres("shop", own);
  own.run("CREATE TABLE orders (id int)");
  spec.postgres.url = own.url(PostgresServer::kOwner, "owner-secret");
  {
    DatabaseServer server({spec});
    EXPECT_EQ(server.member("get_catalog", "{}", "total"), "0");
  }
  spec.postgres.powerful_roles = engine::PowerfulRoles::kAllow;
  DatabaseServer server({spec});
  EXPECT_EQ(server.member("query_data", R"({"table":"orders"})", "data"), "[]");
}

}  // namespace
}  // namespace sluice::databases::testing
