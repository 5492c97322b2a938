#include <sys/resource.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "sluice/engine/sqlite.h"

#include "database_testing.h"
#include "sqlite_file.h"

namespace sluice::engine {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

TableName named(const std::string& name) { return {.schema = {}, .name = name}; }

// A statement that takes longer than anybody waits.
const std::string kEndless =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT max(i) FROM n";

TEST(SqliteDatabase, ListsTablesAndViewsWithoutThoseOfTheSystem) {
  SqliteFile file;
  file.run(
      "CREATE TABLE b(x INTEGER PRIMARY KEY AUTOINCREMENT); CREATE VIEW a AS SELECT 1 AS one; "
      "CREATE VIRTUAL TABLE f USING fts5(body); CREATE TABLE \"odd \"\"name\"(x); "
      "INSERT INTO b DEFAULT VALUES; ANALYZE");
  const Result<std::vector<TableSummary>> tables = file.database()->tables({});
  ASSERT_TRUE(tables.ok()) << tables.error().message;
  std::vector<std::string> names;
  for (const TableSummary& table : *tables) names.push_back(table.name.name);
  EXPECT_THAT(names, ElementsAre("a", "b", "f", "odd \"name"));
  EXPECT_EQ((*tables)[0].kind, TableKind::kView);
  EXPECT_EQ((*tables)[1].rows_guess, 1U);
}

Select numbers(const std::string& table) {
  return {.statement = {.sql = "SELECT x FROM " + table, .parameters = {}},
          .columns = {{.name = "x", .type = {.id = TypeId::kInt64}}},
          .table = {}};
}

TEST(SqliteDatabase, AReservationIsAllOrNothingAndReadsOfItDoNotWait) {
  SqliteFile file;
  file.run("CREATE TABLE t(x INTEGER); INSERT INTO t VALUES (1)");
  const std::unique_ptr<Database> database = file.database();  // Four connections.
  const RunLimits soon{.deadline = system_clock().now() + milliseconds(100), .stop = {}};
  auto three = database->reserve(3, {}).value();
  EXPECT_EQ(database->reserve(2, soon).error().kind, ErrorKind::kDeadline);
  auto one = database->reserve(1, {}).value();
  EXPECT_EQ(database->query(numbers("t"), soon).error().kind, ErrorKind::kDeadline);
  std::vector<std::unique_ptr<Rows>> rows;
  for (int i = 0; i < 3; ++i) rows.push_back(database->query(numbers("t"), {}, three).value());
  three.reset();
  EXPECT_EQ(
      database->reserve(1, {.deadline = system_clock().now() + milliseconds(50), .stop = {}}).error().kind,
      ErrorKind::kDeadline)
      << "reads that run keep what was reserved for them";
  rows.clear();
  EXPECT_TRUE(database->reserve(3, {}).ok());
}

TEST(SqliteDatabase, MoreConnectionsThanThereMayBeAreReservedWhenNobodyHasAny) {
  SqliteFile file;
  file.run("CREATE TABLE t(x INTEGER); INSERT INTO t VALUES (1)");
  const std::unique_ptr<Database> database = file.database();
  const RunLimits soon{.deadline = system_clock().now() + milliseconds(50), .stop = {}};
  auto one = database->reserve(1, {}).value();
  EXPECT_EQ(database->reserve(9, soon).error().kind, ErrorKind::kDeadline);
  one.reset();
  auto nine = database->reserve(9, {}).value();
  std::vector<std::unique_ptr<Rows>> rows;
  for (int i = 0; i < 9; ++i) rows.push_back(database->query(numbers("t"), {}, nine).value());
}

TEST(SqliteDatabase, WhoWaitsForManyConnectionsIsNotPassedByWhoWantsOne) {
  SqliteFile file;
  file.run("CREATE TABLE t(x INTEGER); INSERT INTO t VALUES (1)");
  const std::unique_ptr<Database> database = file.database();
  auto held = database->reserve(1, {}).value();
  std::jthread wants_all([&] { EXPECT_TRUE(database->reserve(4, {}).ok()); });
  const auto wants_one = [&] {
    return database->reserve(1, {.deadline = system_clock().now() + milliseconds(5), .stop = {}}).ok();
  };
  const Monotonic end = system_clock().now() + std::chrono::seconds(10);
  while (wants_one()) ASSERT_LT(system_clock().now(), end) << "three are free, but somebody waits for four";
  held.reset();
}

TEST(SqliteDatabase, DescribesKeysIndexesAndGeneratedColumns) {
  SqliteFile file;
  file.run("CREATE TABLE maker(id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT 'none')");
  file.run(
      "CREATE TABLE part(maker INTEGER REFERENCES maker(id), no INT, twice INT AS (no * 2), rowid TEXT, "
      "PRIMARY KEY(maker, no)) WITHOUT ROWID");
  file.run("CREATE UNIQUE INDEX by_no ON part(no DESC, lower(rowid))");
  const TableLayout maker = file.database()->describe(named("maker"), {}).value();
  EXPECT_EQ(maker.row_order, "rowid");
  EXPECT_EQ(maker.columns[1].default_sql, "'none'");
  EXPECT_FALSE(maker.columns[1].nullable);
  const TableLayout part = file.database()->describe(named("part"), {}).value();
  EXPECT_THAT(part.primary_key, ElementsAre("maker", "no"));
  EXPECT_EQ(part.row_order, "\"maker\", \"no\"");
  EXPECT_TRUE(part.columns[2].generated);
  ASSERT_EQ(part.indexes.size(), 1U);
  EXPECT_TRUE(part.indexes[0].unique);
  EXPECT_THAT(part.indexes[0].columns, ElementsAre("no", "(expression)"));
  ASSERT_EQ(part.foreign_keys.size(), 1U);
  EXPECT_EQ(part.foreign_keys[0].target.name, "maker");
  EXPECT_THAT(part.foreign_keys[0].target_columns, ElementsAre("id"));
}

TEST(SqliteDatabase, NamesTheTableThatIsNotThere) {
  SqliteFile file;
  file.run("CREATE TABLE orders(x)");
  const auto layout = file.database()->describe(named("order"), {});
  ASSERT_FALSE(layout.ok());
  EXPECT_EQ(layout.error().code, "table_not_found");
  EXPECT_THAT(layout.error().hint, HasSubstr("orders"));
}

TEST(SqliteDatabase, AColumnThatIsGoneIsNoText) {
  SqliteFile file;
  file.run("CREATE TABLE t(x); INSERT INTO t VALUES (1)");
  EXPECT_EQ(code_of(one_column(*file.database(), "SELECT \"gone\" FROM t")), "invalid_query");
}

TEST(SqliteDatabase, BindsValuesByTheirNumbers) {
  SqliteFile file;
  const auto database = file.database();
  EXPECT_THAT(rows_of(one_column(*database, "SELECT $2 || '-' || $1 || '-' || $2", TypeId::kText,
                                 {std::string("a"), std::string("it's \"b\"")})),
              ElementsAre(ElementsAre("\"it's \\\"b\\\"-a-it's \\\"b\\\"\"")));
  EXPECT_THAT(
      rows_of(one_column(*database, "SELECT count(*) FROM json_each($1) WHERE value IN ('a\n', '\"\\')",
                         TypeId::kInt64, {std::vector<std::string>{"a\n", "\"\\", "c"}})),
      ElementsAre(ElementsAre("2")));
  EXPECT_EQ(code_of(one_column(*database, "SELECT $1", TypeId::kText)), "invalid_query");
  EXPECT_EQ(code_of(one_column(*database, "SELECT $1 || $3", TypeId::kText, {true, true})), "invalid_query");
  EXPECT_EQ(code_of(one_column(*database, "SELECT 1", TypeId::kText, {true})), "invalid_query");
}

TEST(SqliteDatabase, HasMedianAndTheFunctionsThatWereGiven) {
  SqliteFile file;
  file.run("CREATE TABLE t(g, v); INSERT INTO t VALUES (1, 1), (1, 2), (1, 10), (2, 1), (2, 2), (3, NULL)");
  SqliteOptions options;
  options.functions.push_back({"shout", [](std::string_view text) { return std::string(text) + "!"; }});
  options.pair_functions.push_back({"sizes", [](std::string_view a, std::string_view b) {
                                      return static_cast<double>(a.size() + b.size());
                                    }});
  options.matchers.push_back(
      {"regexp", [](std::string_view pattern) -> Result<std::function<bool(std::string_view)>> {
         if (pattern == "(") return invalid_input("regular expression: (");
         return std::function<bool(std::string_view)>([wanted = std::string(pattern)](std::string_view text) {
           return text.find(wanted) != std::string_view::npos;
         });
       }});
  const auto database = file.database(options);
  EXPECT_THAT(
      rows_of(one_column(*database, "SELECT median(v) FROM t GROUP BY g ORDER BY g", TypeId::kDouble)),
      ElementsAre(ElementsAre("2"), ElementsAre("1.5"), ElementsAre("null")));
  EXPECT_THAT(rows_of(one_column(*database, "SELECT median(x) FROM (SELECT -9e999 AS x UNION SELECT -1.0)",
                                 TypeId::kDouble)),
              ElementsAre(ElementsAre("\"-Infinity\"")));
  EXPECT_THAT(rows_of(one_column(*database, "SELECT shout('a') || sizes('ab', 'c')")),
              ElementsAre(ElementsAre("\"a!3.0\"")));
  EXPECT_THAT(rows_of(one_column(*database, "SELECT 'table' REGEXP 'abl'", TypeId::kBool)),
              ElementsAre(ElementsAre("true")));
  const Result<Table> broken = one_column(*database, "SELECT 'table' REGEXP '('", TypeId::kBool);
  EXPECT_EQ(code_of(broken), "invalid_query");
  EXPECT_THAT(message_of(broken), HasSubstr("regular expression: ("));
}

// Twenty of a million numbers each; fewer fit, also after that.
TEST(SqliteDatabase, BoundsWhatAllMediansOfAStatementKeep) {
  SqliteFile file;
  const auto database = file.database();
  const auto medians = [&](int count) {
    std::string sql =
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 1000000) SELECT 0.0";
    for (int i = 0; i < count; ++i) sql += " + median(n + " + std::to_string(i) + ")";
    return code_of(one_column(*database, sql + " FROM t", TypeId::kDouble));
  };
  EXPECT_EQ(medians(20), "memory_limit");
  EXPECT_EQ(medians(3), "(worked)");
}

TEST(SqliteDatabase, EndsWithinMillisecondsOfItsDeadlineOrStop) {
  SqliteFile file;
  const auto database = file.database();
  const Monotonic start = system_clock().now();
  const Result<Table> late = one_column(*database, kEndless, TypeId::kInt64, {}, within(milliseconds(50)));
  EXPECT_EQ(code_of(late), "time_limit");
  EXPECT_LT(system_clock().now() - start, milliseconds(500));

  std::stop_source source;
  Monotonic stopped_at;
  std::jthread stopper([&] {
    stopped_at = system_clock().now();
    source.request_stop();
  });
  const Result<Table> stopped = one_column(*database, kEndless, TypeId::kInt64, {},
                                           {.deadline = Monotonic::max(), .stop = source.get_token()});
  const Monotonic end = system_clock().now();
  stopper.join();
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().kind, ErrorKind::kCancelled);
  EXPECT_LT(end - stopped_at, milliseconds(500));
  // What was ended does not disturb what follows.
  EXPECT_TRUE(one_column(*database, "SELECT 1", TypeId::kInt64).ok());
}

TEST(SqliteDatabase, WaitsForAConnectionNoLongerThanTheDeadline) {
  SqliteFile file;
  const auto database = file.database({.connections_max = 1});
  const Select select{
      .statement = {"SELECT 1", {}}, .columns = {{"value", type(TypeId::kInt64)}}, .table = {}};
  Result<std::unique_ptr<Rows>> first = database->query(select, {});
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(code_of(read_all(*database, select, within(milliseconds(20)))), "time_limit");
  first->reset();
  EXPECT_TRUE(read_all(*database, select, within(milliseconds(1000))).ok());
}

TEST(SqliteDatabase, ReadsWhileAnotherWritesInEitherJournalMode) {
  for (const char* mode : {"WAL", "DELETE"}) {
    SqliteFile file;
    file.run(std::string("PRAGMA journal_mode=") + mode + "; CREATE TABLE t(x); INSERT INTO t VALUES (1)");
    const auto database = file.database();
    file.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (2)");
    EXPECT_THAT(rows_of(one_column(*database, "SELECT count(*) FROM t", TypeId::kInt64)),
                ElementsAre(ElementsAre("1")))
        << mode;
    file.run("COMMIT");
    EXPECT_THAT(rows_of(one_column(*database, "SELECT count(*) FROM t", TypeId::kInt64)),
                ElementsAre(ElementsAre("2")))
        << mode;
  }
}

TEST(SqliteDatabase, SaysThatAWriterIsInTheWay) {
  SqliteFile file;
  file.run("CREATE TABLE t(x)");
  const auto database = file.database();
  file.run("BEGIN EXCLUSIVE; INSERT INTO t VALUES (2)");
  const Result<Table> rows =
      one_column(*database, "SELECT x FROM t", TypeId::kInt64, {}, within(milliseconds(30)));
  EXPECT_EQ(code_of(rows), "time_limit");
  file.run("COMMIT");
  EXPECT_TRUE(one_column(*database, "SELECT x FROM t", TypeId::kInt64).ok());
}

TEST(SqliteDatabase, ItsVersionDiffersAfterEveryWriteAndAfterNothingElse) {
  for (const char* mode : {"WAL", "DELETE"}) {
    SqliteFile file;
    file.run(std::string("PRAGMA journal_mode=") + mode + "; CREATE TABLE t(x)");
    const auto database = file.database();
    const std::string first = database->version({}).value();
    EXPECT_TRUE(read_table(*database, named("t")).ok());
    EXPECT_EQ(database->version({}).value(), first);
    file.run("INSERT INTO t VALUES (1)");
    const std::string second = database->version({}).value();
    EXPECT_NE(second, first);
    file.run("CREATE TABLE u(x)");
    EXPECT_NE(database->version({}).value(), second);
    EXPECT_NE(file.database()->version({}).value(), second);
  }
}

TEST(SqliteDatabase, NoticesThatTheFileWasReplaced) {
  SqliteFile file;
  file.run("CREATE TABLE t(x); INSERT INTO t VALUES ('old')");
  const auto database = file.database();
  EXPECT_THAT(rows_of(one_column(*database, "SELECT x FROM t")), ElementsAre(ElementsAre("\"old\"")));
  const std::string version = database->version({}).value();
  file.close();
  std::filesystem::rename(file.path(), file.path() + ".old");
  EXPECT_EQ(code_of(one_column(*database, "SELECT x FROM t")), "database_unavailable");
  file.open();
  file.run("CREATE TABLE t(x); INSERT INTO t VALUES ('new')");
  EXPECT_THAT(rows_of(one_column(*database, "SELECT x FROM t")), ElementsAre(ElementsAre("\"new\"")));
  EXPECT_NE(database->version({}).value(), version);
}

TEST(SqliteDatabase, TellsWhatIsWrongWithAFileWithoutItsPath) {
  SqliteFile file;
  SqliteOptions options;
  options.path = file.folder() + "/none.db";
  const auto missing = open_sqlite(options).value()->check({});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, "database_unavailable");
  EXPECT_EQ(missing.error().message.find(file.folder()), std::string::npos);

  options.path = file.folder() + "/text.db";
  std::ofstream(options.path) << std::string(5000, 'x');
  const auto text = open_sqlite(options).value()->check({});
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().code, "unreadable_file");

  options.path = file.folder() + "/link.db";
  std::filesystem::create_symlink(file.path(), options.path);
  EXPECT_FALSE(open_sqlite(options).value()->check({}).ok());
  EXPECT_FALSE(open_sqlite({.path = "file:/tmp/x?mode=rwc"}).ok());
}

TEST(SqliteDatabase, BearsABrokenFile) {
  SqliteFile file;
  file.run(
      "CREATE TABLE t(x); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 20000) "
      "INSERT INTO t SELECT 'row ' || i FROM n");
  file.close();
  {
    std::fstream out(file.path(), std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(4096 * 3);
    out << std::string(4096 * 4, '\xee');
  }
  const auto database = file.database();
  EXPECT_EQ(code_of(one_column(*database, "SELECT x FROM t")), "unreadable_file");
  file.open();
}

TEST(SqliteDatabase, AnswersEightThreadsAtOnce) {
  SqliteFile file;
  file.run(
      "CREATE TABLE t(x); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 10000) "
      "INSERT INTO t SELECT i FROM n");
  const auto database = file.database();
  std::atomic<int> right = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < 20; ++n) {
          const Result<Table> rows = one_column(*database, "SELECT sum(x) FROM t", TypeId::kInt64);
          if (rows.ok() && rows->front().front() == "50005000") ++right;
        }
      });
    }
  }
  EXPECT_EQ(right, 160);
}

TEST(SqliteDatabase, StreamsAMillionRowsInBoundedMemory) {
  SqliteFile file;
  const auto database = file.database();
  const Select select{
      .statement = {"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 1000000) "
                    "SELECT i, 'a text of more than a dozen bytes ' || i FROM n",
                    {}},
      .columns = {{"i", type(TypeId::kInt64)}, {"s", type(TypeId::kText)}},
      .table = {}};
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  const auto rows = std::move(database->query(select, {})).value();
  std::size_t count = 0;
  while (const Batch* batch = rows->next().value()) {
    EXPECT_LE(batch->rows, 2048U);
    count += batch->rows;
  }
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  EXPECT_EQ(count, 1'000'000U);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, kStreamKibMax);
}

TEST(SqliteDatabase, EndsABatchEarlyWhereCellsAreLarge) {
  SqliteFile file;
  const auto database = file.database();
  const Select select{.statement = {"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 200) "
                                    "SELECT zeroblob(1000000) FROM n",
                                    {}},
                      .columns = {{"b", type(TypeId::kBlob)}},
                      .table = {}};
  const auto rows = std::move(database->query(select, {})).value();
  std::size_t count = 0;
  while (const Batch* batch = rows->next().value()) {
    EXPECT_LE(batch->rows, 16U);
    count += batch->rows;
  }
  EXPECT_EQ(count, 200U);
}

TEST(SqliteDatabase, ReadsATableOfTwoThousandColumns) {
  SqliteFile file;
  std::string sql = "CREATE TABLE t(c0";
  for (int i = 1; i < 2000; ++i) sql += ", c" + std::to_string(i);
  file.run(sql + "); INSERT INTO t(c1999) VALUES (7)");
  const Result<Table> rows = read_table(*file.database(), named("t"));
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  EXPECT_EQ(rows->front().size(), 2000U);
  EXPECT_EQ(rows->front().back(), "7");
}

}  // namespace
}  // namespace sluice::engine
