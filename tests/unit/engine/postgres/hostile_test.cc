#include "sluice/engine/postgres.h"

#include "test_server.h"

namespace sluice::engine {
namespace {

using testing::AnyOf;
using testing::ElementsAre;

// The statements go to the server as the text of a caller, by a role that owns the table: what keeps them
// from changing it is neither a grant nor the fence before the server.
class PostgresHostile : public PostgresTest {
 protected:
  void SetUp() override {
    server().run(
        "DROP SCHEMA IF EXISTS h CASCADE; DROP ROLE IF EXISTS writer; "
        "CREATE ROLE writer LOGIN PASSWORD 'writer-secret'; CREATE SCHEMA h AUTHORIZATION writer; "
        "SET ROLE writer; CREATE TABLE h.t(x int); INSERT INTO h.t VALUES (1); CREATE SEQUENCE h.s; "
        "CREATE FUNCTION h.sneak() RETURNS int LANGUAGE plpgsql AS "
        "$$ BEGIN DELETE FROM h.t; RETURN 1; END $$; "
        "CREATE PROCEDURE h.leave() LANGUAGE plpgsql AS $$ BEGIN COMMIT; DELETE FROM h.t; END $$; "
        "CREATE FUNCTION h.loosen() RETURNS text LANGUAGE plpgsql AS $$ BEGIN "
        "PERFORM set_config('transaction_read_only', 'off', true); DELETE FROM h.t; RETURN 'x'; END $$; "
        "CREATE FUNCTION h.linger() RETURNS text LANGUAGE sql AS "
        "$$ SELECT set_config('default_transaction_read_only', 'off', false) || "
        "set_config('DateStyle', 'German', false) || set_config('search_path', 'h', false) $$");
    database_ = open_as(server(), "writer");
  }
  void TearDown() override { server().run("DROP OWNED BY writer CASCADE; DROP ROLE writer"); }

  // With little time the statement is the second query of its transaction; with the usual time it is the
  // first, and at its second try not even looked at before.
  void expect_refused(const std::string& sql) {
    for (const int seconds : {5, 119, 119}) {
      const std::chrono::seconds time(seconds);
      const Result<Table> rows = one_column(*database_, sql, TypeId::kText, {}, within(time));
      EXPECT_FALSE(rows.ok()) << sql << " with " << time.count() << " s";
    }
    expect_untouched(sql);
  }
  void expect_untouched(const std::string& sql) {
    EXPECT_THAT(rows_of(one_column(*database_, "SELECT count(*) FROM h.t", TypeId::kInt64)),
                ElementsAre(ElementsAre("1")))
        << sql;
    EXPECT_THAT(rows_of(one_column(*database_,
                                   "SELECT current_setting('default_transaction_read_only') || "
                                   "current_setting('transaction_read_only') || "
                                   "current_setting('DateStyle') || current_setting('search_path')")),
                ElementsAre(ElementsAre("\"ononISO, MDYpg_catalog, pg_temp\"")))
        << sql;
  }

  std::unique_ptr<Database> database_;
};
INSTANTIATE_TEST_SUITE_P(Servers, PostgresHostile, testing::Values(15, 18), version_name);

TEST_P(PostgresHostile, OneStatementPerCallAndNoTransactionControl) {
  for (const char* sql : {"COMMIT",
                          "COMMIT;",
                          "COMMIT; DROP TABLE h.t",
                          "COMMIT AND CHAIN",
                          "ROLLBACK",
                          "ABORT",
                          "BEGIN",
                          "START TRANSACTION READ WRITE",
                          "SAVEPOINT a",
                          "PREPARE TRANSACTION 'x'",
                          "SELECT 1; DELETE FROM h.t",
                          "SELECT 1; COMMIT; DELETE FROM h.t",
                          "SET TRANSACTION READ WRITE",
                          "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
                          "SET default_transaction_read_only = off",
                          "SET LOCAL transaction_read_only = off",
                          "RESET ALL",
                          "DISCARD ALL",
                          "-- comment\nDELETE FROM h.t",
                          "/* a /* nested */ */ DELETE FROM h.t",
                          "/* */ COMMIT; DELETE FROM h.t",
                          "DO $$ BEGIN DELETE FROM h.t; END $$",
                          "DO $$ BEGIN COMMIT; DELETE FROM h.t; END $$",
                          "PREPARE p AS DELETE FROM h.t",
                          "EXECUTE p",
                          "DEALLOCATE ALL",
                          "DECLARE c CURSOR FOR SELECT 1",
                          "FETCH ALL FROM sluice",
                          "SET ROLE owner",
                          "RESET ROLE",
                          "SET SESSION AUTHORIZATION owner",
                          "LISTEN x",
                          "NOTIFY x",
                          "LOCK TABLE h.t",
                          "",
                          ";",
                          "-- nothing",
                          "SELECT 1 FOR READ ONLY; DELETE FROM h.t"}) {
    expect_refused(sql);
  }
  expect_refused(std::string("SELECT 1\0; DELETE FROM h.t", 26));
}

TEST_P(PostgresHostile, NothingButSelect) {
  for (const char* sql : {"DELETE FROM h.t",
                          "DELETE FROM h.t RETURNING x",
                          "UPDATE h.t SET x = 2 RETURNING x",
                          "INSERT INTO h.t VALUES (2) RETURNING x",
                          "TRUNCATE h.t",
                          "DROP TABLE h.t",
                          "/*! DELETE FROM h.t */",
                          "/*!50000 SELECT 1 */ DELETE FROM h.t",
                          "WITH d AS (DELETE FROM h.t RETURNING x) SELECT x FROM d",
                          "WITH d AS (INSERT INTO h.t VALUES (2) RETURNING x) SELECT x FROM d",
                          "SELECT x FROM (WITH d AS (DELETE FROM h.t RETURNING x) SELECT x FROM d) q",
                          "EXPLAIN DELETE FROM h.t",
                          "EXPLAIN ANALYZE DELETE FROM h.t",
                          "EXPLAIN (ANALYZE) SELECT h.sneak()",
                          "SELECT x INTO h.u FROM h.t",
                          "SELECT x INTO TEMP u FROM h.t",
                          "CREATE TABLE h.u AS SELECT 1",
                          "CREATE TEMP TABLE u(x int)",
                          "COPY h.t TO STDOUT",
                          "COPY h.t FROM STDIN",
                          "COPY (SELECT 1) TO '/tmp/sluice-copy'",
                          "CALL h.leave()",
                          "SELECT 1 INTO OUTFILE '/tmp/x'",
                          "SELECT 1 INTO/**/OUTFILE '/tmp/x'",
                          "EXEC('DELETE FROM h.t')",
                          "SELECT x FROM h.t FOR UPDATE",
                          "SELECT x FROM h.t FOR SHARE",
                          "VACUUM h.t",
                          "ANALYZE h.t",
                          "REFRESH MATERIALIZED VIEW h.m",
                          "MERGE INTO h.t USING h.t AS s ON true WHEN MATCHED THEN DELETE",
                          "ALTER TABLE h.t ADD y int",
                          "GRANT ALL ON h.t TO public",
                          "SHOW ALL",
                          "ALTER SYSTEM SET work_mem = '1MB'"}) {
    expect_refused(sql);
  }
  for (const char* sql : {"DELETE FROM h.t", "ANALYZE DELETE FROM h.t", "(ANALYZE) DELETE FROM h.t",
                          "SELECT 1; DELETE FROM h.t"}) {
    EXPECT_FALSE(database_->explain({sql, {}}, {}).ok()) << sql;
    expect_untouched(sql);
  }
  // Planned, not run.
  EXPECT_TRUE(database_->explain({"SELECT pg_sleep(10)", {}}, within(std::chrono::seconds(5))).ok());
}

TEST_P(PostgresHostile, FunctionsThatWriteAreStoppedByTheTransaction) {
  expect_refused("SELECT h.sneak()");
  expect_refused("SELECT x FROM h.t, h.sneak()");
  expect_refused("SELECT h.loosen()");
  expect_refused("SELECT nextval('h.s')");
  // What a function sets for the session ends with the statement.
  EXPECT_TRUE(one_column(*database_, "SELECT h.linger()").ok());
  expect_untouched("SELECT h.linger()");
  EXPECT_TRUE(one_column(*database_, "SELECT h.linger() FROM generate_series(1, 3)").ok());
  expect_untouched("SELECT h.linger()");
}

TEST_P(PostgresHostile, NoFunctionThatReachesOut) {
  server().run("CREATE EXTENSION IF NOT EXISTS dblink");
  EXPECT_EQ(
      code_of(one_column(*database_, "SELECT public.dblink_exec('dbname=postgres', 'DELETE FROM h.t')")),
      "access_denied");
  for (const char* sql : {"SELECT pg_read_file('/etc/passwd')",
                          "SELECT * FROM pg_read_file('/etc/passwd')",
                          "SELECT pg_catalog . \"pg_read_file\" /* c */ ('/etc/passwd')",
                          "SELECT pg_read_binary_file('/etc/passwd')::text",
                          "SELECT pg_ls_dir('/')",
                          "SELECT (pg_stat_file('/etc/passwd')).size",
                          "SELECT lo_export(1, '/tmp/x')",
                          "SELECT lo_import('/etc/passwd')",
                          "SELECT lo_create(0)",
                          "SELECT lo_from_bytea(0, 'x')",
                          "SELECT dblink('host=127.0.0.1', 'SELECT 1')",
                          "SELECT * FROM dblink('x', 'y') AS t(a text)",
                          "SELECT pg_import_system_collations('pg_catalog')",
                          "SELECT set_config('transaction_read_only', 'off', false)",
                          "SELECT pg_catalog.set_config('default_transaction_read_only', 'off', false)",
                          "SELECT U&\"set\\005fconfig\"('work_mem', '1GB', false)",
                          "SELECT pg_terminate_backend(pg_backend_pid())",
                          "SELECT pg_cancel_backend(1)",
                          "SELECT pg_advisory_lock(1)",
                          "SELECT setval('h.s', 9)",
                          "SELECT pg_notify('x', 'y')",
                          "SELECT pg_reload_conf()",
                          "SELECT pg_logical_emit_message(false, 'a', 'b')",
                          "SELECT query_to_xml('DELETE FROM h.t', true, true, '')",
                          "COPY (SELECT 1) TO PROGRAM 'touch /tmp/x'",
                          "COPY h.t FROM PROGRAM 'id'",
                          "SELECT pg_file_write('/tmp/x', 'y', false)",
                          "CREATE EXTENSION dblink",
                          "LOAD '/tmp/x.so'"}) {
    expect_refused(sql);
  }
}

TEST_P(PostgresHostile, TheServerRefusesFilesAlsoBehindTheFence) {
  // A function of the role's own hides the name from the fence, and has no more rights than the role.
  server().run(
      "SET ROLE writer; CREATE FUNCTION h.hidden() RETURNS text LANGUAGE sql AS "
      "$$ SELECT pg_read_file('/etc/passwd') $$");
  EXPECT_EQ(code_of(one_column(*database_, "SELECT h.hidden()")), "access_denied");
}

TEST_P(PostgresHostile, SleepEndsAtTheDeadline) {
  const Monotonic start = system_clock().now();
  const Result<Table> rows = one_column(*database_, "SELECT pg_sleep(30)", TypeId::kText, {},
                                        within(std::chrono::milliseconds(200)));
  EXPECT_EQ(code_of(rows), "time_limit");
  EXPECT_LT(system_clock().now() - start, std::chrono::seconds(2));
  expect_untouched("SELECT pg_sleep(30)");
}

TEST_P(PostgresHostile, LocksOfASessionDoNotStay) {
  server().run(
      "SET ROLE writer; CREATE FUNCTION h.hold() RETURNS text LANGUAGE sql AS "
      "$$ SELECT pg_advisory_lock(4711)::text $$");
  const auto single = open_as(server(), "writer", {.connections_max = 1});
  EXPECT_TRUE(one_column(*single, "SELECT h.hold()").ok());
  EXPECT_THAT(rows_of(one_column(*single, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'",
                                 TypeId::kInt64)),
              ElementsAre(ElementsAre("0")));
}

TEST_P(PostgresHostile, ARoleWithPowersIsRefusedOrTold) {
  server().run(
      "DROP ROLE IF EXISTS filer; CREATE ROLE filer LOGIN PASSWORD 'filer-secret'; "
      "GRANT pg_read_server_files TO filer");
  for (const std::string role : {"owner", "filer"}) {
    const auto refused = open_as(server(), role)->check({});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, "powerful_role");
    const auto allowed = open_as(server(), role, {.powerful_roles = PowerfulRoles::kAllow})->check({});
    ASSERT_TRUE(allowed.ok());
    EXPECT_THAT(allowed->powers, ElementsAre(AnyOf("superuser", "pg_read_server_files")));
    EXPECT_TRUE(open_as(server(), role, {.powerful_roles = PowerfulRoles::kWarn})->check({}).ok());
  }
  // Even a superuser writes nothing.
  const auto owner = open_as(server(), "owner", {.powerful_roles = PowerfulRoles::kAllow});
  for (const char* sql : {"DELETE FROM h.t", "SELECT h.sneak()", "SELECT pg_read_file('/etc/passwd')",
                          "COPY h.t TO PROGRAM 'cat > /tmp/sluice-program'", "SELECT h.loosen()"}) {
    EXPECT_FALSE(one_column(*owner, sql).ok()) << sql;
    expect_untouched(sql);
  }
  server().run("DROP ROLE filer");
}

TEST_P(PostgresHostile, ErrorsHoldNeitherHostNorPassword) {
  PostgresOptions options;
  for (const std::string& url :
       {std::string("postgres://someone:hush-hush@127.0.0.1:1/secretdb"), server().url("reader", "hush-hush"),
        server().url("nobody-there", "hush-hush") + "x",
        std::string("postgres://someone:hush-hush@nowhere.invalid/db")}) {
    options.url = url;
    const auto database = std::move(open_postgres(options)).value();
    const auto health = database->check(within(std::chrono::seconds(10)));
    ASSERT_FALSE(health.ok());
    EXPECT_EQ(health.error().code, "database_unavailable");
    for (const char* part :
         {"hush", "127.0.0.1", "someone", "secretdb", "reader", "nowhere", "nobody-there"}) {
      EXPECT_EQ((health.error().message + health.error().hint).find(part), std::string::npos) << part;
    }
  }
  for (const char* url : {"postgres://a:hush@[::1", "nonsense=hush", "service=hush",
                          "postgres://h/d?service=hush", "postgres://h/d?replication=database"}) {
    options.url = url;
    const auto database = open_postgres(options);
    ASSERT_FALSE(database.ok()) << url;
    EXPECT_EQ(database.error().message.find("hush"), std::string::npos);
  }
}

}  // namespace
}  // namespace sluice::engine
