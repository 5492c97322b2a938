#include <sys/resource.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "sluice/engine/postgres.h"

#include "test_server.h"

namespace sluice::engine {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using PostgresDatabase = PostgresTest;
INSTANTIATE_TEST_SUITE_P(Servers, PostgresDatabase, testing::Values(15, 18), version_name);

TEST_P(PostgresDatabase, ListsWhatTheRoleCanReadInAllSchemas) {
  server().run(
      "DROP FOREIGN DATA WRAPPER IF EXISTS none CASCADE; DROP SCHEMA IF EXISTS l CASCADE; DROP SCHEMA IF "
      "EXISTS \"odd \"\"schema\" CASCADE; "
      "CREATE SCHEMA l; CREATE SCHEMA \"odd \"\"schema\"; "
      "CREATE TABLE l.a(x int); COMMENT ON TABLE l.a IS 'what it is'; CREATE VIEW l.b AS SELECT 1 AS x; "
      "CREATE MATERIALIZED VIEW l.c AS SELECT 1 AS x; CREATE TABLE l.d(x int) PARTITION BY RANGE (x); "
      "CREATE FOREIGN DATA WRAPPER none; CREATE SERVER none FOREIGN DATA WRAPPER none; "
      "CREATE FOREIGN TABLE l.e(x int) SERVER none; CREATE TABLE l.d1 PARTITION OF l.d FOR VALUES FROM (0) "
      "TO (9); CREATE TABLE l.hidden(x int); "
      "REVOKE ALL ON l.hidden FROM reader; CREATE TABLE \"odd \"\"schema\".\"sp ace ü\"(x int); "
      "CREATE TABLE l.some(open int, closed int); REVOKE ALL ON l.some FROM reader; "
      "GRANT SELECT (open) ON l.some TO reader; INSERT INTO l.a SELECT generate_series(1, 500); ANALYZE l.a");
  const auto database = reader();
  const Result<std::vector<TableSummary>> tables = database->tables({});
  ASSERT_TRUE(tables.ok()) << tables.error().message;
  std::vector<std::string> names;
  for (const TableSummary& table : *tables) {
    if (table.name.schema != "public") names.push_back(quote_table(table.name));
  }
  EXPECT_THAT(names, ElementsAre("\"l\".\"a\"", "\"l\".\"b\"", "\"l\".\"c\"", "\"l\".\"d\"", "\"l\".\"e\"",
                                 "\"l\".\"some\"", "\"odd \"\"schema\".\"sp ace ü\""));
  EXPECT_EQ(tables->at(0).comment, "what it is");
  EXPECT_EQ(tables->at(0).rows_guess, 500U);
  EXPECT_GT(tables->at(0).bytes.value_or(0), 0U);
  EXPECT_EQ(tables->at(1).kind, TableKind::kView);
  EXPECT_EQ(tables->at(2).kind, TableKind::kMaterializedView);
  EXPECT_EQ(tables->at(3).kind, TableKind::kPartitioned);
  EXPECT_EQ(tables->at(4).kind, TableKind::kForeign);
  EXPECT_THAT(database->describe({.schema = "l", .name = "some"}, {}).value().columns, SizeIs(1));
  for (const TableSummary& table : *tables) {
    EXPECT_TRUE(database->describe(table.name, {}).ok());
    if (table.kind == TableKind::kForeign) continue;  // Nothing is behind it.
    EXPECT_TRUE(read_table(*database, table.name).ok()) << message_of(read_table(*database, table.name));
  }
  const auto missing = database->describe({.schema = "l", .name = "hidden"}, {});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, "table_not_found");
  EXPECT_THAT(database->describe({.schema = "l", .name = "somme"}, {}).error().hint, HasSubstr("some"));
}

TEST_P(PostgresDatabase, ReadsForeignTables) {
  server().run(
      "DROP EXTENSION IF EXISTS postgres_fdw CASCADE; DROP SCHEMA IF EXISTS f CASCADE; CREATE EXTENSION "
      "postgres_fdw; "
      "CREATE SCHEMA f; CREATE TABLE f.near AS SELECT 1.5 AS x; CREATE SERVER itself FOREIGN DATA WRAPPER "
      "postgres_fdw "
      "OPTIONS (host '127.0.0.1', dbname 'postgres', port '" +
      std::to_string(server().port()) +
      "'); "
      "CREATE USER MAPPING FOR reader SERVER itself OPTIONS (user 'reader', password 'reader-secret'); "
      "CREATE FOREIGN TABLE f.far(x numeric) SERVER itself OPTIONS (schema_name 'f', table_name 'near')");
  EXPECT_THAT(rows_of(read_table(*reader(), {.schema = "f", .name = "far"})),
              ElementsAre(ElementsAre("1.5")));
  server().run("DROP EXTENSION postgres_fdw CASCADE; DROP SCHEMA f CASCADE");
}

TEST_P(PostgresDatabase, DescribesKeysIndexesAndOddColumns) {
  const std::string long_name(63, 'n');
  server().run(
      "DROP SCHEMA IF EXISTS k CASCADE; CREATE SCHEMA k; "
      "CREATE TABLE k.maker(id int PRIMARY KEY, name text NOT NULL DEFAULT 'none'); "
      "CREATE TABLE k.part(gone int, no int, maker int REFERENCES k.maker, twice int GENERATED ALWAYS AS (no "
      "* 2) STORED, "
      "\"a\"\"b\" text, \"" +
      long_name +
      "\" int, PRIMARY KEY (maker, no)); ALTER TABLE k.part DROP COLUMN gone; "
      "COMMENT ON COLUMN k.part.no IS 'number'; CREATE UNIQUE INDEX by_b ON k.part(lower(\"a\"\"b\"), no "
      "DESC); "
      "CREATE TABLE k.unique_only(a int NOT NULL, b int NOT NULL, UNIQUE (b, a)); CREATE TABLE k.bare(x "
      "int); "
      "CREATE TABLE k.empty(); INSERT INTO k.empty DEFAULT VALUES; INSERT INTO k.maker VALUES (1); "
      "INSERT INTO k.part VALUES (3, 1, DEFAULT, 'x', 5)");
  const auto database = reader();
  const TableLayout part = database->describe({.schema = "k", .name = "part"}, {}).value();
  ASSERT_THAT(part.columns, SizeIs(5));
  EXPECT_EQ(part.columns[0].comment, "number");
  EXPECT_FALSE(part.columns[0].nullable);
  EXPECT_TRUE(part.columns[2].generated);
  EXPECT_EQ(part.columns[3].select, "\"a\"\"b\"");
  EXPECT_EQ(part.columns[4].name, long_name);
  EXPECT_THAT(part.primary_key, ElementsAre("maker", "no"));
  EXPECT_EQ(part.row_order, "\"maker\", \"no\"");
  ASSERT_THAT(part.indexes, SizeIs(1));
  EXPECT_TRUE(part.indexes[0].unique);
  EXPECT_THAT(part.indexes[0].columns, ElementsAre("lower(\"a\"\"b\")", "no"));
  ASSERT_THAT(part.foreign_keys, SizeIs(1));
  EXPECT_EQ(part.foreign_keys[0].target, (TableName{.schema = "k", .name = "maker"}));
  EXPECT_THAT(part.foreign_keys[0].columns, ElementsAre("maker"));
  EXPECT_THAT(part.foreign_keys[0].target_columns, ElementsAre("id"));
  EXPECT_THAT(rows_of(read_table(*database, {.schema = "k", .name = "part"})),
              ElementsAre(ElementsAre("3", "1", "6", "\"x\"", "5")));
  EXPECT_EQ(database->describe({.schema = "k", .name = "maker"}, {}).value().columns[1].default_sql,
            "'none'::text");
  EXPECT_EQ(database->describe({.schema = "k", .name = "unique_only"}, {}).value().row_order, "\"b\", \"a\"");
  EXPECT_EQ(database->describe({.schema = "k", .name = "bare"}, {}).value().row_order, "");
  const Result<Table> empty = read_table(*database, {.schema = "k", .name = "empty"});
  ASSERT_TRUE(empty.ok()) << empty.error().message;
  EXPECT_THAT(*empty, SizeIs(1));
}

TEST_P(PostgresDatabase, ReadsATableOfSixteenHundredColumns) {
  std::string sql = "DROP TABLE IF EXISTS wide; CREATE TABLE wide(c0 bool";
  for (int i = 1; i < 1600; ++i) sql += ", c" + std::to_string(i) + (i < 1000 ? " numeric" : " bool");
  server().run(sql + "); INSERT INTO wide(c999) VALUES (1.5)");
  const auto database = reader();
  const Result<Table> rows = read_table(*database, {.schema = "public", .name = "wide"});
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  EXPECT_THAT(rows->front(), SizeIs(1600));
  EXPECT_EQ(rows->front()[999], "1.5");
  server().run("DROP TABLE wide");
}

TEST_P(PostgresDatabase, BindsValues) {
  const auto database = reader();
  EXPECT_THAT(
      rows_of(one_column(
          *database,
          "SELECT concat($1::text, '|', $2, '|', $3, '|', $4::int4, '|', $5 IS NULL, '|', $6::text[])",
          TypeId::kText,
          {std::string("it's \\ \"x\""), std::int64_t{7}, 0.1, std::int64_t{8}, true,
           std::vector<std::string>{"a\"b", "c\\d", "", "NULL"}})),
      ElementsAre(ElementsAre(R"("it's \\ \"x\"|7|0.1|8|f|{\"a\\\"b\",\"c\\\\d\",\"\",\"NULL\"}")")));
  EXPECT_THAT(rows_of(one_column(*database,
                                 "SELECT count(*) FROM generate_series(1, 9) g WHERE g = ANY($1) AND g > $2",
                                 TypeId::kInt64, {std::vector<std::string>{"1", "2", "3"}, 1.5})),
              ElementsAre(ElementsAre("2")));
  EXPECT_THAT(rows_of(one_column(*database, "SELECT $1::int IS NULL", TypeId::kBool, {std::monostate()})),
              ElementsAre(ElementsAre("true")));
  EXPECT_EQ(code_of(one_column(*database, "SELECT $1::int", TypeId::kInt32, {std::string("x")})),
            "invalid_value");
  EXPECT_EQ(code_of(one_column(*database, "SELECT $1::text", TypeId::kText, {std::string("a\0b", 3)})),
            "invalid_value");
}

TEST_P(PostgresDatabase, TellsWhatIsWrongWithAStatement) {
  const auto database = reader();
  const Result<Table> wrong = one_column(*database, "SELECT nothing FROM pg_class");
  EXPECT_EQ(code_of(wrong), "invalid_query");
  EXPECT_THAT(message_of(wrong), HasSubstr("\"nothing\""));
  EXPECT_EQ(code_of(one_column(*database, "SELECT 1/0")), "invalid_value");
  EXPECT_EQ(code_of(one_column(*database, "SELECT * FROM pg_authid")), "access_denied");
  EXPECT_EQ(code_of(one_column(*database, "SELECT 2147483647::int4 + 1")), "out_of_range");
  EXPECT_EQ(code_of(one_column(*database, "SELECT 1, 2")), "internal_error");
  EXPECT_TRUE(one_column(*database, "SELECT 1").ok());
}

TEST_P(PostgresDatabase, GuessesFromThePlan) {
  server().run(
      "DROP TABLE IF EXISTS g; CREATE TABLE g(x int, s text); INSERT INTO g SELECT i, 'text' FROM "
      "generate_series(1, 20000) i; ANALYZE g");
  const auto database = reader();
  const PlanGuess guess =
      database->explain({"SELECT x, s FROM public.g WHERE x > $1", {std::int64_t{10000}}}, {}).value();
  EXPECT_NEAR(guess.rows, 10'000, 1'000);
  EXPECT_GT(guess.width, 4);
  server().run("DROP TABLE g");
}

TEST_P(PostgresDatabase, ChecksServerAndRole) {
  const DatabaseHealth health = reader()->check({}).value();
  EXPECT_THAT(health.product, testing::StartsWith("PostgreSQL " + std::to_string(GetParam()) + "."));
  EXPECT_EQ(health.role, "reader");
  EXPECT_TRUE(health.read_only);
  EXPECT_THAT(health.powers, IsEmpty());
}

TEST_P(PostgresDatabase, TheEnvironmentHasNoSay) {
  for (const char* name : {"PGHOST", "PGHOSTADDR", "PGPORT", "PGUSER", "PGDATABASE", "PGPASSWORD",
                           "PGOPTIONS", "PGSSLMODE", "PGCLIENTENCODING", "PGAPPNAME"}) {
    ::setenv(name, "nonsense", 1);
  }
  // libpq always passes these on; the session sets them again.
  ::setenv("PGTZ", "Asia/Tokyo", 1);
  ::setenv("PGDATESTYLE", "German", 1);
  const Result<Table> rows =
      one_column(*reader(), "SELECT current_setting('TimeZone') || current_setting('application_name')");
  for (const char* name : {"PGHOST", "PGHOSTADDR", "PGPORT", "PGUSER", "PGDATABASE", "PGPASSWORD",
                           "PGOPTIONS", "PGSSLMODE", "PGCLIENTENCODING", "PGAPPNAME"}) {
    ::unsetenv(name);
  }
  ::unsetenv("PGTZ");
  ::unsetenv("PGDATESTYLE");
  EXPECT_THAT(rows_of(rows), ElementsAre(ElementsAre("\"UTCsluice\"")));
}

TEST_P(PostgresDatabase, UsesTheConfiguredSearchPath) {
  server().run(
      "DROP SCHEMA IF EXISTS sp CASCADE; CREATE SCHEMA sp; CREATE TABLE sp.only_here AS SELECT 1 AS x");
  EXPECT_EQ(code_of(one_column(*reader(), "SELECT x FROM only_here")), "invalid_query");
  EXPECT_TRUE(one_column(*reader({.search_path = {"sp"}}), "SELECT x FROM only_here").ok());
  server().run("DROP SCHEMA sp CASCADE");
}

TEST_P(PostgresDatabase, EndsWithinMillisecondsOfItsStopAndTheServerToo) {
  const auto database = reader({.connections_max = 1});
  ASSERT_TRUE(one_column(*database, "SELECT 1").ok());  // Connected.
  std::stop_source source;
  const Select select{
      .statement = {"SELECT i, pg_sleep(0.00001) FROM (SELECT generate_series(1, 100000000) i) g", {}},
      .columns = {{"i", type(TypeId::kInt32)}, {"s", type(TypeId::kText)}},
      .table = {}};
  auto rows =
      std::move(database->query(select, {.deadline = Monotonic::max(), .stop = source.get_token()})).value();
  Monotonic stopped_at;
  std::jthread stopper([&] {
    stopped_at = system_clock().now();
    source.request_stop();
  });
  Result<Table> read = read_all(*rows);
  const auto latency = std::chrono::duration_cast<milliseconds>(system_clock().now() - stopped_at);
  stopper.join();
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().kind, ErrorKind::kCancelled);
  RecordProperty("cancel_latency_ms", static_cast<int>(latency.count()));
  EXPECT_LT(latency, milliseconds(200));
  rows.reset();
  // The only connection comes back clean, which needs the server to have ended the statement.
  const Monotonic start = system_clock().now();
  EXPECT_TRUE(one_column(*database, "SELECT 1", TypeId::kText, {}, within(milliseconds(5'000))).ok());
  EXPECT_LT(system_clock().now() - start, milliseconds(2'000));
  EXPECT_THAT(
      rows_of(one_column(*database,
                         "SELECT count(*) FROM pg_stat_activity WHERE usename = 'reader' AND "
                         "query LIKE '%pg_sleep(0.00001)%' AND pid <> pg_backend_pid() AND state = 'active'",
                         TypeId::kInt64)),
      ElementsAre(ElementsAre("0")));
}

TEST_P(PostgresDatabase, LeavingEarlyFreesTheConnection) {
  const auto database = reader({.connections_max = 1});
  for (int i = 0; i < 10; ++i) {
    const Select select{.statement = {"SELECT generate_series(1, 10000000)", {}},
                        .columns = {{"i", type(TypeId::kInt32)}},
                        .table = {}};
    const auto rows = std::move(database->query(select, within(milliseconds(10'000)))).value();
    ASSERT_TRUE(rows->next().ok());
  }
  EXPECT_TRUE(one_column(*database, "SELECT 1", TypeId::kText, {}, within(milliseconds(5'000))).ok());
}

TEST_P(PostgresDatabase, AnswersEightThreadsAtOnce) {
  const auto database = reader();
  std::atomic<int> right = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        for (int n = 0; n < 25; ++n) {
          const Result<Table> rows =
              one_column(*database, "SELECT sum(g) + $1 FROM generate_series(1, 1000) g", TypeId::kInt64,
                         {std::int64_t{i}}, within(milliseconds(20'000)));
          if (rows.ok() && rows->front().front() == std::to_string(500'500 + i)) ++right;
        }
      });
    }
  }
  EXPECT_EQ(right, 200);
}

TEST_P(PostgresDatabase, StreamsAMillionRowsInBoundedMemory) {
  const auto database = reader();
  const Select select{
      .statement = {"SELECT i, 'a text of more than a dozen bytes ' || i FROM generate_series(1, 1000000) i",
                    {}},
      .columns = {{"i", type(TypeId::kInt32)}, {"s", type(TypeId::kText)}},
      .table = {}};
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  const Monotonic start = system_clock().now();
  const auto rows = std::move(database->query(select, {})).value();
  std::size_t count = 0;
  while (const Batch* batch = rows->next().value()) {
    EXPECT_LE(batch->rows, 2048U);
    count += batch->rows;
  }
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  EXPECT_EQ(count, 1'000'000U);
  RecordProperty(
      "million_rows_ms",
      static_cast<int>(std::chrono::duration_cast<milliseconds>(system_clock().now() - start).count()));
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, kStreamKibMax);
}

TEST_P(PostgresDatabase, WaitsForLocksNoLongerThanTheDeadline) {
  server().run("DROP TABLE IF EXISTS busy; CREATE TABLE busy(x int)");
  const auto database = reader();
  const std::string hold = "BEGIN; LOCK TABLE busy; SELECT pg_sleep(1); COMMIT";
  std::jthread holder([&] { server().run(hold); });
  std::string code;
  const Monotonic deadline = system_clock().now() + std::chrono::seconds(5);
  while (code != "time_limit" && system_clock().now() < deadline) {
    code = code_of(
        one_column(*database, "SELECT x FROM public.busy", TypeId::kInt32, {}, within(milliseconds(50))));
  }
  EXPECT_EQ(code, "time_limit");
  holder.join();
  EXPECT_TRUE(one_column(*database, "SELECT x FROM public.busy", TypeId::kInt32).ok());
}

// What a listener was told, to be waited for.
class Inbox {
 public:
  void put(const Notification& notification) {
    const std::lock_guard lock(mutex_);
    if (notification.may_have_missed) ++connections_;
    if (!notification.may_have_missed) payloads_.push_back(notification.payload);
    changed_.notify_all();
  }
  bool wait_for_connections(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return connections_ >= count; });
  }
  std::vector<std::string> wait_for_payloads(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(20), [&] { return payloads_.size() >= count; });
    return payloads_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int connections_ = 0;
  std::vector<std::string> payloads_;
};

TEST_P(PostgresDatabase, ListensAndConnectsAgain) {
  Inbox inbox;
  PostgresOptions options{.url = server().url("reader", "reader-secret")};
  const auto listener = std::move(listen_postgres(options, "odd \"channel", [&](const Notification& n) {
                          inbox.put(n);
                        })).value();
  ASSERT_TRUE(inbox.wait_for_connections(1));
  server().run("NOTIFY \"odd \"\"channel\", 'one'; NOTIFY other, 'none'");
  EXPECT_THAT(inbox.wait_for_payloads(1), ElementsAre("one"));
  server().run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'");
  ASSERT_TRUE(inbox.wait_for_connections(2));
  server().run("NOTIFY \"odd \"\"channel\", 'two'");
  EXPECT_THAT(inbox.wait_for_payloads(2), ElementsAre("one", "two"));
}

}  // namespace
}  // namespace sluice::engine
