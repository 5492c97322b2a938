// Statements that read several tables at a time: none waits for another that waits for it, and all tables of
// a PostgreSQL database are seen at one moment.

#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "database_server.h"
#include "owner.h"

namespace sluice::databases::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr int kQuestions = 40;

DatabaseServerOptions with_sql(milliseconds request_timeout = seconds(60)) {
  return {.folder = {}, .request_timeout = request_timeout, .profile = datasets::ToolProfile::kAll};
}

// Tables t0, t1, … of `rows` rows each, with the numbers from 1 on.
std::string numbered_tables(int tables, int rows) {
  std::string sql;
  for (int i = 0; i < tables; ++i) {
    const std::string name = "t" + std::to_string(i);
    sql += "CREATE TABLE " + name + " (id INTEGER PRIMARY KEY, x INTEGER); INSERT INTO " + name +
           " WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " +
           std::to_string(rows) + ") SELECT i, i FROM n;";
  }
  return sql;
}

std::string table_list(int tables) {
  std::string out;
  for (int i = 0; i < tables; ++i) out += (i == 0 ? "\"shop/t" : ",\"shop/t") + std::to_string(i) + "\"";
  return "[" + out + "]";
}

// The sum of x over the tables, of the rows from `from` on.
std::string bulk_sum(int tables, int from) {
  return R"({"datasets":)" + table_list(tables) + R"(,"group_by":[],"aggs":[{"col":"x","fn":"sum"}],)" +
         R"("filters":[{"col":"x","op":"gte","value":)" + std::to_string(from) + "}]}";
}

std::string sql_arguments(const std::string& sql) { return R"({"sql":)" + in_json(sql) + "}"; }

struct Asked {
  std::string tool;
  std::string arguments;
  std::string part;  // Of the answer.
};

// Asks everything before it reads the first answer.
void expect_answers(DatabaseServer& server, const std::vector<Asked>& questions) {
  std::vector<std::unique_ptr<TestClient::Pending>> pending;
  pending.reserve(questions.size());
  for (const Asked& asked : questions)
    pending.push_back(server.client().start_tool(asked.tool, asked.arguments));
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const WireMessage reply = pending[i]->reply();
    ASSERT_TRUE(reply.is_result()) << questions[i].arguments << reply.error();
    EXPECT_THAT(reply.text({"result", "content", 0, "text"}), HasSubstr(questions[i].part))
        << questions[i].arguments;
  }
}

// The rows of each table are read in several batches, so that a scan is still open when the next one begins.
constexpr int kRows = 5'000;

std::uint64_t sum_from(int from) {
  const auto last = static_cast<std::uint64_t>(kRows);
  const auto before = static_cast<std::uint64_t>(from) - 1;
  return last * (last + 1) / 2 - before * (before + 1) / 2;
}

std::vector<Asked> bulk_questions(int tables, int count) {
  std::vector<Asked> out;
  for (int i = 1; i <= count; ++i) {
    out.push_back({.tool = "bulk_filter_multiple_datasets",
                   .arguments = bulk_sum(tables, i),
                   .part = R"("x_sum":)" + std::to_string(sum_from(i) * static_cast<unsigned>(tables))});
  }
  return out;
}

// Every question is another one: none is answered from a cache.
std::vector<Asked> joins(const std::string& left, const std::string& right, int count) {
  std::vector<Asked> out;
  for (int i = 1; i <= count; ++i) {
    out.push_back({.tool = "query",
                   .arguments = sql_arguments("SELECT count(*) AS n, sum(a.x + b.x) AS total FROM " + left +
                                              " AS a JOIN " + right +
                                              " AS b ON a.id = b.id WHERE a.x >= " + std::to_string(i)),
                   .part = std::to_string(kRows - i + 1) + "," + std::to_string(2 * sum_from(i))});
  }
  return out;
}

TEST(SideBySide, FortyQuestionsOverTwoTablesOfOneSqliteFileAllFinish) {
  const TestFolder folder;
  SqliteWriter writer(folder.at("shop.db"));
  writer.run(numbered_tables(2, kRows));
  DatabaseServer server({sqlite_spec("shop", folder.at("shop.db"))}, with_sql());
  expect_answers(server, bulk_questions(2, kQuestions));
}

TEST(SideBySide, FortyJoinsOfTwoTablesOfOneSqliteFileAllFinish) {
  const TestFolder folder;
  SqliteWriter writer(folder.at("shop.db"));
  writer.run(numbered_tables(2, kRows));
  DatabaseServer server({sqlite_spec("shop", folder.at("shop.db"))}, with_sql());
  std::vector<Asked> questions = joins("t0", "t1", kQuestions / 2);
  for (Asked& asked : joins("t1", "t0", kQuestions / 2)) questions.push_back(std::move(asked));
  expect_answers(server, questions);
}

TEST(SideBySide, AQuestionOverMoreTablesThanSqliteHasSessionsFinishes) {
  const TestFolder folder;
  SqliteWriter writer(folder.at("shop.db"));
  writer.run(numbered_tables(9, kRows));
  DatabaseServer server({sqlite_spec("shop", folder.at("shop.db"))}, with_sql());
  expect_answers(server, bulk_questions(9, 8));
}

TEST(SideBySide, ATableThatAStatementNamesOftenIsReadWithoutWaitingForItself) {
  const TestFolder folder;
  SqliteWriter writer(folder.at("shop.db"));
  writer.run(numbered_tables(2, kRows));
  DatabaseServer server({sqlite_spec("shop", folder.at("shop.db"))}, with_sql());
  std::vector<Asked> questions;
  for (int i = 1; i <= 12; ++i) {
    questions.push_back(
        {.tool = "query",
         .arguments = sql_arguments("SELECT count(*) AS n FROM t0 WHERE x > (SELECT avg(x) FROM t0) AND x < "
                                    "(SELECT max(x) FROM t1) AND x <> " +
                                    std::to_string(i)),
         .part = "\n2499"});
  }
  expect_answers(server, questions);
}

class PostgresSideBySide : public ::testing::TestWithParam<int> {
 protected:
  PostgresServer& own() { return postgres(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Both, PostgresSideBySide, ::testing::Values(15, 18),
                         [](const auto& version) { return "Version" + std::to_string(version.param); });

DatabaseSpec with_connections(DatabaseSpec spec, std::size_t connections) {
  spec.postgres.connections_max = connections;
  return spec;
}

TEST_P(PostgresSideBySide, QuestionsAndJoinsOverItsTablesAllFinish) {
  const DatabaseSpec spec = with_connections(fresh_postgres("shop", own()), 3);
  own().run(numbered_tables(2, kRows));
  DatabaseServer server({spec}, with_sql());
  std::vector<Asked> questions = bulk_questions(2, kQuestions);
  for (Asked& asked : joins("t1", "t0", kQuestions)) questions.push_back(std::move(asked));
  expect_answers(server, questions);
  EXPECT_LE(Owner(own()).connections(), 3);
}

TEST_P(PostgresSideBySide, AQuestionOverMoreTablesThanThereAreConnectionsReadsThemOneAfterTheOther) {
  const DatabaseSpec spec = with_connections(fresh_postgres("shop", own()), 2);
  own().run(numbered_tables(5, kRows));
  DatabaseServer server({spec}, with_sql());
  std::vector<Asked> questions = bulk_questions(5, 8);
  for (Asked& asked : joins("t1", "t0", 8)) questions.push_back(std::move(asked));
  questions.push_back({.tool = "query",
                       .arguments = sql_arguments("SELECT count(*) AS n, sum(a.x + e.x) AS total FROM t0 a "
                                                  "JOIN t1 b USING (id) JOIN t2 c USING (id) JOIN t3 d USING "
                                                  "(id) JOIN t4 e USING (id)"),
                       .part = "5000,25005000"});
  expect_answers(server, questions);
  EXPECT_LE(Owner(own()).connections(), 2);
}

TEST_P(PostgresSideBySide, OneConnectionSufficesForAJoin) {
  const DatabaseSpec spec = with_connections(fresh_postgres("shop", own()), 1);
  own().run(numbered_tables(2, kRows));
  DatabaseServer server({spec}, with_sql());
  expect_answers(server, joins("t0", "t1", 4));
}

TEST_P(PostgresSideBySide, JoinsOfTwoDatabasesInBothOrdersAllFinish) {
  const TestFolder folder;
  SqliteWriter writer(folder.at("near.db"));
  writer.run("CREATE TABLE near (id INTEGER PRIMARY KEY, x INTEGER);" + numbered_tables(1, kRows) +
             "INSERT INTO near SELECT * FROM t0; DROP TABLE t0");
  const DatabaseSpec far = with_connections(fresh_postgres("far", own()), 2);
  own().run(numbered_tables(1, kRows) + "ALTER TABLE t0 RENAME TO far");
  DatabaseServer server({sqlite_spec("close", folder.at("near.db")), far}, with_sql());
  std::vector<Asked> questions;
  const std::vector<Asked> there = joins("near", "far", kQuestions / 2);
  const std::vector<Asked> back = joins("far", "near", kQuestions / 2);
  for (std::size_t i = 0; i < there.size(); ++i) {
    questions.push_back(there[i]);
    questions.push_back(back[i]);
  }
  expect_answers(server, questions);
}

// Moves money from one table to the other and back until the test ends, a transaction at a time.
class MoneyMover {
 public:
  explicit MoneyMover(PostgresServer& server) : server_(server) {
    server.run("CREATE TABLE ended (id int)");
    thread_ = std::jthread([&server] {
      server.run(
          "DO $$ DECLARE i bigint := 0; BEGIN LOOP i := i + 1; "
          "UPDATE giver SET x = x - 7 * (1 - 2 * (i % 2)::int) WHERE id = 1 + i % 10; "
          "UPDATE taker SET x = x + 7 * (1 - 2 * (i % 2)::int) WHERE id = 1 + i % 10; COMMIT; "
          "EXIT WHEN EXISTS (SELECT FROM ended); END LOOP; END $$");
    });
  }
  MoneyMover(const MoneyMover&) = delete;
  MoneyMover& operator=(const MoneyMover&) = delete;
  ~MoneyMover() { server_.run("INSERT INTO ended VALUES (1)"); }

 private:
  PostgresServer& server_;
  std::jthread thread_;
};

class OneMoment : public ::testing::TestWithParam<std::pair<int, std::size_t>> {};
INSTANTIATE_TEST_SUITE_P(All, OneMoment,
                         ::testing::Values(std::pair(15, 8), std::pair(15, 1), std::pair(18, 8)),
                         [](const auto& of) {
                           return "Version" + std::to_string(of.param.first) + "With" +
                                  std::to_string(of.param.second) + "Connections";
                         });

TEST_P(OneMoment, MoneyThatMovesBetweenTwoTablesIsNeitherLostNorCountedTwice) {
  constexpr int kRounds = 100;
  PostgresServer& own = postgres(GetParam().first);
  const DatabaseSpec spec = with_connections(fresh_postgres("bank", own), GetParam().second);
  own.run(
      "CREATE TABLE giver AS SELECT g AS id, 1000 AS x FROM generate_series(1, 10) g; "
      "CREATE TABLE taker AS SELECT * FROM giver");
  Owner owner(own);
  DatabaseServer server({spec}, with_sql());
  const MoneyMover mover(own);
  const auto moved = [&] { return owner.number("SELECT sum(abs(x - 1000)) FROM public.giver") > 0; };
  ASSERT_TRUE(server.comes_true(moved));
  const std::string sums = sql_arguments(
      "SELECT (SELECT sum(x) FROM giver) + (SELECT sum(x) FROM taker) AS total, count(*) AS n FROM giver g "
      "JOIN taker t USING (id)");
  for (int round = 0; round < kRounds; ++round) {
    ASSERT_THAT(server.text("query", sums), HasSubstr("20000,10")) << round;
    ASSERT_THAT(
        server.text(
            "bulk_filter_multiple_datasets",
            R"({"datasets":["bank/giver","bank/taker"],"group_by":[],"aggs":[{"col":"x","fn":"sum"}]})"),
        HasSubstr(R"("x_sum":20000)"))
        << round;
  }
}

// Two scans that take a minute each, side by side.
std::string slow_join() { return sql_arguments("SELECT count(*) AS n FROM slow a JOIN slower b USING (id)"); }

void make_slow_views(PostgresServer& server) {
  server.run(
      "CREATE VIEW slow AS SELECT 1 AS id, pg_sleep(60)::text AS s; "
      "CREATE VIEW slower AS SELECT g AS id, pg_sleep(30)::text AS s FROM generate_series(1, 9) g");
}

class PostgresEnd : public PostgresSideBySide {};
INSTANTIATE_TEST_SUITE_P(Both, PostgresEnd, ::testing::Values(15, 18),
                         [](const auto& version) { return "Version" + std::to_string(version.param); });

// Waits until nothing of the reader's runs, and says how long that took.
milliseconds time_until_idle(DatabaseServer& server, Owner& owner) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(server.comes_true([&] { return owner.busy() == 0; }));
  return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin);
}

TEST_P(PostgresEnd, NothingRunsHalfASecondAfterACancel) {
  const DatabaseSpec spec = fresh_postgres("shop", own());
  make_slow_views(own());
  Owner owner(own());
  DatabaseServer server({spec}, with_sql());
  for (const Asked& asked :
       {Asked{.tool = "query", .arguments = slow_join(), .part = {}},
        Asked{.tool = "query_data", .arguments = R"({"table":"slow"})", .part = {}},
        Asked{.tool = "bulk_filter_multiple_datasets",
        .arguments = R"({"datasets":["shop/slow","shop/slower"],"group_by":[],"aggs":[{"fn":"count"}]})",
        .part = {}}}) {
    const auto pending = server.client().start_tool(asked.tool, asked.arguments);
    ASSERT_TRUE(server.comes_true([&] { return owner.connections("state = 'active'") > 0; }));
    pending->cancel();
    EXPECT_LT(time_until_idle(server, owner), milliseconds(500)) << asked.arguments;
  }
}

TEST_P(PostgresEnd, NothingRunsHalfASecondAfterADeadline) {
  const DatabaseSpec spec = fresh_postgres("shop", own());
  make_slow_views(own());
  Owner owner(own());
  DatabaseServer server({spec}, with_sql(milliseconds(1'500)));
  for (int i = 0; i < 2; ++i) {
    const std::string told = json::to_text(server.client().call_tool("query", slow_join()).value());
    EXPECT_THAT(told, AnyOf(HasSubstr("time_limit"), HasSubstr("deadline"), HasSubstr("timed out"))) << told;
    EXPECT_LT(time_until_idle(server, owner), milliseconds(500));
  }
}

TEST_P(PostgresEnd, NothingRunsHalfASecondAfterTheClientIsLost) {
  const DatabaseSpec spec = fresh_postgres("shop", own());
  make_slow_views(own());
  Owner owner(own());
  DatabaseServer server({spec}, with_sql());
  const std::unique_ptr<TestClient> client = server.connect(server::testing::kModernHttp);
  const auto pending = client->start_tool("query", slow_join());
  ASSERT_TRUE(server.comes_true([&] { return owner.connections("state = 'active'") > 0; }));
  pending->disconnect();
  EXPECT_LT(time_until_idle(server, owner), milliseconds(500));
}

}  // namespace
}  // namespace sluice::databases::testing
