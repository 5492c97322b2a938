// What clients hear, and get, when a database changes while it is served.

#include <string>

#include <gmock/gmock.h>

#include "database_server.h"

namespace sluice::databases::testing {
namespace {

using server::testing::kLegacyPipe;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

void subscribe(TestClient& client, const std::string& uri) {
  const WireMessage reply = client.call("resources/subscribe", json::to_text(json::Object{{"uri", uri}}));
  EXPECT_TRUE(reply.is_result()) << reply.error();
}

// Reads notifications until one is about `wanted`; at most 20.
bool hears(TestClient& client, const std::string& wanted) {
  for (int i = 0; i < 20; ++i) {
    const WireMessage message = client.next();
    if (message.method() == "notifications/resources/list_changed" && wanted == "list") return true;
    if (message.text({"params", "uri"}) == wanted) return true;
  }
  return false;
}

class SqliteChanges : public ::testing::Test {
 protected:
  SqliteChanges() : writer_(folder_.at("shop.db")) {
    writer_.run(
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, total); INSERT INTO orders VALUES (1, 10), (2, 20)");
    server_ = std::make_unique<DatabaseServer>(std::vector{sqlite_spec("shop", folder_.at("shop.db"))});
  }
  std::string rows(const std::string& more = "") {
    return server_->member("query_data", R"({"table":"orders")" + more + "}", "data");
  }

  TestFolder folder_;
  SqliteWriter writer_;
  std::unique_ptr<DatabaseServer> server_;
};

TEST_F(SqliteChanges, ARowOfAnotherConnectionUpdatesTheResource) {
  const auto client = server_->connect(kLegacyPipe);
  subscribe(*client, "db://orders/data");
  subscribe(*client, "db://orders/data?limit=1");
  writer_.run("INSERT INTO orders VALUES (3, 30)");
  EXPECT_TRUE(hears(*client, "db://orders/data"));
  EXPECT_TRUE(hears(*client, "db://orders/data?limit=1"));
  EXPECT_THAT(server_->contents("db://orders/data"), HasSubstr(R"({"id":3,"total":30})"));
}

TEST_F(SqliteChanges, AnAnswerIsNeverOlderThanItsQuestion) {
  for (int i = 3; i < 30; ++i) {
    writer_.run("INSERT INTO orders VALUES (" + std::to_string(i) + ", 1)");
    EXPECT_EQ(
        server_->member("aggregate", R"({"table":"orders","group_by":[],"aggs":[{"fn":"count"}]})", "data"),
        R"([{"count":)" + std::to_string(i) + "}]");
  }
}

TEST_F(SqliteChanges, AColumnWhoseValuesChangeTheirTypeIsAnsweredAllTheSame) {
  EXPECT_EQ(rows(), R"([{"id":1,"total":10},{"id":2,"total":20}])");
  writer_.run("INSERT INTO orders VALUES (3, 'free')");
  EXPECT_EQ(rows(), R"([{"id":1,"total":"10"},{"id":2,"total":"20"},{"id":3,"total":"free"}])");
  EXPECT_EQ(server_->contents("db://orders/data?offset=2"), R"([{"id":3,"total":"free"}])");
}

TEST_F(SqliteChanges, ATypeBeyondTheSampleIsLearnedOnTheWay) {
  writer_.run(
      "CREATE TABLE late (id INTEGER PRIMARY KEY, v); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + "
      "1 "
      "FROM n WHERE i < 3000) INSERT INTO late SELECT i, i FROM n; UPDATE late SET v = 'word' WHERE id = "
      "2500");
  ASSERT_TRUE(
      server_->comes_true([&] { return server_->code("get_schema", R"({"table":"late"})").empty(); }));
  EXPECT_EQ(server_->member("query_data",
                            R"({"table":"late","filters":[{"col":"id","op":"eq","value":2500}]})", "data"),
            R"([{"id":2500,"v":"word"}])");
  // The engine, too, gets to know it.
  EXPECT_EQ(
      server_->member(
          "query_data",
          R"({"table":"late","filters":[{"col":"v","op":"regex","value":"^w"}],"columns":["id"]})", "data"),
      R"([{"id":2500}])");
}

TEST_F(SqliteChanges, TablesThatAreAlteredDroppedAndMadeAreFollowed) {
  EXPECT_EQ(rows(R"(,"limit":1)"), R"([{"id":1,"total":10}])");
  writer_.run("ALTER TABLE orders ADD COLUMN note TEXT DEFAULT 'none'");
  // A column more is seen when the table is next looked at.
  EXPECT_TRUE(
      server_->comes_true([&] { return rows(R"(,"limit":1)") == R"([{"id":1,"total":10,"note":"none"}])"; }));
  writer_.run("ALTER TABLE orders DROP COLUMN total");
  EXPECT_EQ(rows(R"(,"limit":1)"), R"([{"id":1,"note":"none"}])");
  const auto client = server_->connect(kLegacyPipe);
  writer_.run("DROP TABLE orders; CREATE TABLE bills (x); INSERT INTO bills VALUES (1)");
  EXPECT_TRUE(hears(*client, "list"));
  EXPECT_EQ(server_->code("query_data", R"({"table":"orders"})"), "dataset_not_found");
  EXPECT_EQ(server_->member("query_data", R"({"table":"bills"})", "data"), R"([{"x":1}])");
}

TEST_F(SqliteChanges, ACheckDoesNotKeepWhatItSawFromTheOthers) {
  writer_.run("CREATE TABLE bills (x)");
  const std::vector<Databases::Health> health = server_->databases().check({});
  ASSERT_EQ(health.size(), 1U);
  EXPECT_EQ(health[0].tables, 2U);
  EXPECT_TRUE(
      server_->comes_true([&] { return server_->code("get_schema", R"({"table":"bills"})").empty(); }));
}

TEST_F(SqliteChanges, AFileThatIsNotThereYetIsFoundOnceItIs) {
  DatabaseServer server({sqlite_spec("later", folder_.at("later.db"))});
  EXPECT_EQ(server.member("get_catalog", "{}", "total"), "0");
  SqliteWriter(folder_.at("later.db")).run("CREATE TABLE t (x); INSERT INTO t VALUES (5)");
  EXPECT_TRUE(server.comes_true([&] { return server.code("query_data", R"({"table":"t"})").empty(); }));
  EXPECT_EQ(server.contents("db://t/data"), R"([{"x":5}])");
}

TEST_F(SqliteChanges, CountsOfRowsAreExact) {
  ASSERT_TRUE(server_->comes_true([&] {
    return server_->text("get_catalog", "{}").find(R"("row_count_approx":2,"row_count_kind":"exact")") !=
           std::string::npos;
  }));
  writer_.run("INSERT INTO orders VALUES (3, 30)");
  EXPECT_TRUE(server_->comes_true([&] {
    return server_->text("get_catalog", "{}").find(R"("row_count_approx":3,"row_count_kind":"exact")") !=
           std::string::npos;
  }));
}

// The follower notices a write within a second; nobody may be given an old count as an exact one before that.
TEST_F(SqliteChanges, ACountIsNotExactAfterAWriteThatNobodyHasNoticed) {
  const auto exact = [](int rows) {
    return R"("row_count_approx":)" + std::to_string(rows) + R"(,"row_count_kind":"exact")";
  };
  for (int rows = 2; rows < 6; ++rows) {
    ASSERT_TRUE(server_->comes_true(
        [&] { return server_->text("get_catalog", "{}").find(exact(rows)) != std::string::npos; }));
    writer_.run("INSERT INTO orders VALUES (" + std::to_string(rows + 1) + ", 30)");
    EXPECT_THAT(server_->text("get_catalog", "{}"), Not(HasSubstr(exact(rows))));
    EXPECT_THAT(server_->text("describe_dataset", R"({"table":"orders"})"), Not(HasSubstr(exact(rows))));
  }
}

class PostgresChanges : public ::testing::TestWithParam<int> {
 protected:
  PostgresServer& postgres_server() { return postgres(GetParam()); }
};

TEST_P(PostgresChanges, ANotificationUpdatesTheResources) {
  DatabaseSpec spec = fresh_postgres("shop", postgres_server());
  spec.channel = "shop_changed";
  postgres_server().run("CREATE TABLE orders (id int PRIMARY KEY); INSERT INTO orders VALUES (1)");
  DatabaseServer server({spec});
  const auto client = server.connect(kLegacyPipe);
  subscribe(*client, "db://orders/data");
  postgres_server().run("INSERT INTO orders VALUES (2); NOTIFY shop_changed");
  EXPECT_TRUE(hears(*client, "db://orders/data"));
  EXPECT_EQ(server.contents("db://orders/data"), R"([{"id":1},{"id":2}])");
}

TEST_P(PostgresChanges, WithoutAChannelNobodyCanSubscribe) {
  const DatabaseSpec spec = fresh_postgres("shop", postgres_server());
  postgres_server().run("CREATE TABLE orders (id int PRIMARY KEY)");
  DatabaseServer server({spec});
  const auto client = server.connect(kLegacyPipe);
  const WireMessage reply =
      client->call("resources/subscribe", json::to_text(json::Object{{"uri", "db://orders/data"}}));
  EXPECT_EQ(reply.text({"error", "data", "code"}), "changes_not_announced") << json::to_text(reply.value());
}

TEST_P(PostgresChanges, ATableThatIsAlteredOrMadeAnewIsAnsweredAsItIs) {
  const DatabaseSpec spec = fresh_postgres("shop", postgres_server());
  postgres_server().run(
      "CREATE TABLE orders (id int PRIMARY KEY, total int); INSERT INTO orders VALUES (1, 10)");
  DatabaseServer server({spec});
  const auto rows = [&] { return server.text("query_data", R"({"table":"orders"})"); };
  EXPECT_THAT(rows(), HasSubstr(R"([{"id":1,"total":10}])"));
  postgres_server().run("ALTER TABLE orders DROP COLUMN total");
  EXPECT_THAT(rows(), HasSubstr(R"([{"id":1}])"));
  postgres_server().run("ALTER TABLE orders ALTER COLUMN id TYPE text; UPDATE orders SET id = 'one'");
  EXPECT_THAT(rows(), HasSubstr(R"([{"id":"one"}])"));
  postgres_server().run(
      "BEGIN; DROP TABLE orders; CREATE TABLE orders (name text); INSERT INTO orders VALUES ('x'); COMMIT");
  EXPECT_THAT(rows(), HasSubstr(R"([{"name":"x"}])"));
}

TEST_P(PostgresChanges, ViewsAndSchemasAreDatasets) {
  const DatabaseSpec spec = fresh_postgres("shop", postgres_server());
  postgres_server().run(
      "DROP SCHEMA IF EXISTS sales CASCADE; CREATE SCHEMA sales; GRANT USAGE ON SCHEMA sales TO reader; "
      "CREATE TABLE sales.orders (id int); INSERT INTO sales.orders VALUES (1); "
      "CREATE VIEW public.seen AS SELECT id + 1 AS next FROM sales.orders; "
      "CREATE MATERIALIZED VIEW public.kept AS SELECT 5 AS five; CREATE TABLE public.\"sales.orders\" (other "
      "int)");
  {
    DatabaseServer server({spec});
    EXPECT_THAT(server.listed(), Contains("db://sales.orders/data"));
    EXPECT_EQ(server.member("query_data", R"({"table":"seen"})", "data"), R"([{"next":2}])");
    EXPECT_EQ(server.member("query_data", R"({"table":"kept"})", "data"), R"([{"five":5}])");
    // Two tables that would have one name have two.
    EXPECT_EQ(server.member("get_catalog", R"({"match":"sales.orders"})", "total"), "2");
    EXPECT_THAT(server.contents("db://sales.orders/data") + server.contents("db://sales.orders_/data"),
                HasSubstr(R"([{"id":1}])"));
  }
  DatabaseSpec part = spec;
  part.schemas = {"sales"};
  DatabaseServer server({part});
  EXPECT_EQ(server.member("get_catalog", "{}", "total"), "1");
  postgres_server().run("DROP SCHEMA sales CASCADE");
}

INSTANTIATE_TEST_SUITE_P(Both, PostgresChanges, ::testing::Values(15, 18),
                         [](const auto& version) { return "Version" + std::to_string(version.param); });

}  // namespace
}  // namespace sluice::databases::testing
