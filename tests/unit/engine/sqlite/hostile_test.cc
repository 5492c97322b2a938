#include <filesystem>
#include <fstream>

#include "database_testing.h"
#include "sqlite_file.h"

namespace sluice::engine {
namespace {

using testing::ElementsAre;

// Each must fail, and leave what is there as it was.
class SqliteHostile : public testing::Test {
 protected:
  SqliteHostile() {
    file_.run("CREATE TABLE t(x INTEGER); INSERT INTO t VALUES (1); CREATE TABLE empty(x)");
    database_ = file_.database();
  }

  void expect_refused(const std::string& sql) {
    for (const TypeId id : {TypeId::kText, TypeId::kInt64}) {
      const Result<Table> rows = one_column(*database_, sql, id, {}, within(std::chrono::seconds(5)));
      EXPECT_FALSE(rows.ok()) << sql;
    }
    EXPECT_THAT(rows_of(one_column(*database_, "SELECT sum(x) FROM t", TypeId::kInt64)),
                ElementsAre(ElementsAre("1")))
        << sql;
    EXPECT_EQ(database_->tables({}).value().size(), 2U) << sql;
  }

  SqliteFile file_;
  std::unique_ptr<Database> database_;
};

TEST_F(SqliteHostile, OneStatementPerCallAndNoTransactionControl) {
  for (const char* sql :
       {"COMMIT", "COMMIT; DROP TABLE t", "SELECT 1; DROP TABLE t", "SELECT 1; SELECT 2", "BEGIN", "ROLLBACK",
        "SAVEPOINT s", "RELEASE s", "-- comment\nDELETE FROM t", "/* c */ DELETE FROM t",
        "SELECT 1 /* ; */; DELETE FROM t", "SELECT 1;-- x\nDELETE FROM t", "", ";", "-- nothing", "END"}) {
    expect_refused(sql);
  }
  expect_refused(std::string("SELECT 1\0; DROP TABLE t", 23));
}

TEST_F(SqliteHostile, NothingButSelect) {
  for (const char* sql : {"DELETE FROM t",
                          "DELETE FROM t RETURNING x",
                          "UPDATE t SET x = 2 RETURNING x",
                          "INSERT INTO t VALUES (2) RETURNING x",
                          "REPLACE INTO t VALUES (2)",
                          "DROP TABLE t",
                          "CREATE TABLE u AS SELECT 1",
                          "CREATE TEMP TABLE u(x)",
                          "WITH d AS (SELECT 1) DELETE FROM t RETURNING x",
                          "EXPLAIN DELETE FROM t",
                          "EXPLAIN SELECT 1",
                          "EXPLAIN QUERY PLAN SELECT 1",
                          "VACUUM",
                          "VACUUM INTO '/tmp/sluice-stolen.db'",
                          "REINDEX",
                          "ANALYZE",
                          "ALTER TABLE t RENAME TO u",
                          "/*! DELETE FROM t */ DELETE FROM t",
                          "SELECT 1 INTO OUTFILE '/tmp/x'",
                          "SELECT * INTO u FROM t"}) {
    expect_refused(sql);
  }
  EXPECT_FALSE(std::filesystem::exists("/tmp/sluice-stolen.db"));
}

TEST_F(SqliteHostile, NoFunctionThatReachesOut) {
  for (const char* sql : {"SELECT load_extension('/tmp/x.so')",
                          "SELECT readfile('/etc/passwd')",
                          "SELECT writefile('/tmp/x', 'x')",
                          "SELECT edit('x')",
                          "SELECT fts3_tokenizer('simple')",
                          "SELECT fts3_tokenizer('simple', x'0000000000000000')",
                          "ATTACH '/tmp/other.db' AS other",
                          "DETACH main",
                          "PRAGMA user_version",
                          "PRAGMA query_only=0",
                          "PRAGMA writable_schema=1",
                          "PRAGMA temp_store_directory='/tmp'",
                          "SELECT name FROM pragma_table_info('t')",
                          "SELECT file FROM pragma_database_list",
                          "SELECT * FROM pragma_query_only",
                          "SELECT sql FROM sqlite_schema",
                          "SELECT sql FROM sqlite_master",
                          "SELECT sql FROM main.sqlite_schema",
                          "SELECT name FROM dbstat",
                          "SELECT sql FROM sqlite_stmt",
                          "SELECT data FROM sqlite_dbpage",
                          "SELECT sqlite_source_id()",
                          "SELECT sqlite_compileoption_get(1)",
                          "SELECT total_changes()",
                          "SELECT last_insert_rowid()",
                          "SELECT zeroblob(2000000000)",
                          "SELECT length(printf('%.*c', 2000000000, 'x'))",
                          "SELECT hex(randomblob(1000000000))"}) {
    expect_refused(sql);
  }
}

TEST_F(SqliteHostile, AViewOfTheFileHasNoMoreRights) {
  file_.run("CREATE VIEW v AS SELECT load_extension('/tmp/x.so') AS x");
  EXPECT_FALSE(one_column(*database_, "SELECT x FROM v").ok());
  file_.run("CREATE VIEW u AS SELECT printf('%.2f', 1.005) AS x");
  EXPECT_TRUE(one_column(*database_, "SELECT x FROM u").ok());
  file_.run("CREATE VIEW w AS SELECT sql AS x FROM sqlite_schema");
  EXPECT_EQ(code_of(one_column(*database_, "SELECT x FROM w")), "access_denied");
}

TEST_F(SqliteHostile, DeepAndLongStatementsEnd) {
  std::string deep = "SELECT ";
  for (int i = 0; i < 5'000; ++i) deep += "(";
  deep += "1";
  for (int i = 0; i < 5'000; ++i) deep += ")";
  expect_refused(deep);
  std::string wide = "SELECT 1";
  for (int i = 0; i < 500; ++i) wide += " UNION ALL SELECT 1";
  expect_refused(wide);
  expect_refused("SELECT '" + std::string(2'000'000, 'x') + "'");
}

TEST_F(SqliteHostile, FullTextIndexesWorkNevertheless) {
  file_.run("DROP TABLE empty; CREATE VIRTUAL TABLE f USING fts5(body); INSERT INTO f VALUES ('a red door')");
  EXPECT_THAT(rows_of(one_column(*database_, "SELECT highlight(f, 0, '[', ']') FROM f WHERE f MATCH 'red'")),
              ElementsAre(ElementsAre("\"a [red] door\"")));
}

TEST_F(SqliteHostile, TheFileIsNotWrittenTo) {
  file_.close();
  const auto before = std::filesystem::last_write_time(file_.path());
  std::ifstream in(file_.path(), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  expect_refused("DELETE FROM t");
  EXPECT_TRUE(database_->describe({.schema = {}, .name = "t"}, {}).ok());
  std::ifstream again(file_.path(), std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(again), {}), bytes);
  EXPECT_EQ(std::filesystem::last_write_time(file_.path()), before);
  file_.open();
}

}  // namespace
}  // namespace sluice::engine
