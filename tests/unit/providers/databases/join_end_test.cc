// How joins across sources end before their time: nothing goes on, and nothing is left behind.

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include <gmock/gmock.h>

#include "database_server.h"
#include "owner.h"

namespace sluice::databases::testing {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr milliseconds kEndMax{500};

DatabaseServerOptions options_for(const std::string& folder,
                                  milliseconds timeout = std::chrono::seconds(60)) {
  return {.folder = folder,
          .request_timeout = timeout,
          .limits = {.usual = {}, .ceiling = {.tokens = 1'000'000}},
          .profile = datasets::ToolProfile::kLean};
}

// A view whose rows take a tenth of a second each.
constexpr const char* kSlow =
    "CREATE VIEW slow AS SELECT g AS id, pg_sleep(0.1)::text AS s FROM generate_series(1, 1000) g; ";

// Whether nobody reads the database. `endless` is never read to its end.
bool is_unread(const std::string& path) {
  sqlite3* database = nullptr;
  sqlite3_open(path.c_str(), &database);
  const int locked = sqlite3_exec(database, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr);
  sqlite3_close(database);
  return locked == SQLITE_OK;
}

// Results and whatever else is written while a statement runs.
std::size_t spool_files(const DatabaseServer& server) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(server.spool_folder()))
    count += entry.is_regular_file() ? 1U : 0U;
  return count;
}

// A folder with picks.csv, an endless view in SQLite and a slow one in PostgreSQL.
class JoinEnd : public ::testing::TestWithParam<int> {
 protected:
  JoinEnd() {
    std::ofstream(folder_.at("picks.csv")) << "id,label\n3,one\n7,two\n";
    SqliteWriter(path()).run(
        "CREATE TABLE few (id INTEGER PRIMARY KEY); INSERT INTO few VALUES (1), (2); CREATE VIEW endless AS "
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id FROM n");
    far_ = fresh_postgres("far", postgres(GetParam()));
    postgres(GetParam()).run(kSlow);
  }

  std::string path() const { return database_.at("near.db"); }
  std::vector<DatabaseSpec> specs() const { return {sqlite_spec("near", path()), far_}; }

  TestFolder folder_;
  TestFolder database_;
  DatabaseSpec far_;
};
INSTANTIATE_TEST_SUITE_P(Both, JoinEnd, ::testing::Values(15, 18),
                         [](const auto& version) { return "Version" + std::to_string(version.param); });

const std::string& join_arguments() {
  static const std::string kArguments =
      R"({"sql":"SELECT e.id, s.s FROM picks p JOIN endless e ON e.id = p.id FULL JOIN slow s ON s.id = e.id",)"
      R"("format":"parquet"})";
  return kArguments;
}

TEST_P(JoinEnd, NothingOfACancelledJoinGoesOnWheneverItIsCancelled) {
  constexpr int kRounds = 20;
  std::mt19937 random(7);
  std::uniform_int_distribution<int> moments(0, 400);
  Owner owner(postgres(GetParam()));
  DatabaseServer server(specs(), options_for(folder_.path()));
  ASSERT_TRUE(server.comes_true([&] { return is_unread(path()); }));
  const std::size_t files = spool_files(server);
  int busy = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto pending = server.client().start_tool("query", join_arguments());
    busy += server.comes_true([&] { return owner.busy() > 0 || !is_unread(path()); }) ? 1 : 0;
    const auto moment = std::chrono::steady_clock::now() + milliseconds(moments(random));
    server.comes_true([&] { return std::chrono::steady_clock::now() >= moment; });
    pending->cancel();
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(server.comes_true(
        [&] { return owner.busy() == 0 && is_unread(path()) && spool_files(server) == files; }));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, kEndMax) << round;
  }
  EXPECT_EQ(busy, kRounds);
}

TEST_P(JoinEnd, NothingOfAJoinGoesOnBehindItsDeadline) {
  Owner owner(postgres(GetParam()));
  DatabaseServer server(specs(), options_for(folder_.path(), milliseconds(1'500)));
  const std::size_t files = spool_files(server);
  const std::string told = json::to_text(server.client().call_tool("query", join_arguments()).value());
  EXPECT_THAT(told, AnyOf(HasSubstr("time_limit"), HasSubstr("deadline"), HasSubstr("timed out"))) << told;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(server.comes_true(
      [&] { return owner.busy() == 0 && is_unread(path()) && spool_files(server) == files; }));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kEndMax);
}

TEST_P(JoinEnd, NothingOfAJoinGoesOnBehindItsClient) {
  Owner owner(postgres(GetParam()));
  DatabaseServer server(specs(), options_for(folder_.path()));
  const std::size_t files = spool_files(server);
  const auto client = server.connect(server::testing::kModernHttp);
  const auto pending = client->start_tool("query", join_arguments());
  ASSERT_TRUE(server.comes_true([&] { return owner.busy() > 0 || !is_unread(path()); }));
  pending->disconnect();
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(server.comes_true(
      [&] { return owner.busy() == 0 && is_unread(path()) && spool_files(server) == files; }));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kEndMax);
}

// The keys of one table are read before the statement itself begins.
TEST_P(JoinEnd, ReadingKeysEndsWithTheStatement) {
  Owner owner(postgres(GetParam()));
  postgres(GetParam())
      .run(
          "CREATE TABLE large AS SELECT g AS id, 1 AS x FROM generate_series(1, 30000) g; ANALYZE large; "
          "CREATE VIEW sleepy AS SELECT id, x FROM large WHERE x = 1 AND pg_sleep(0.05) IS NOT NULL");
  SqliteWriter(path()).run(
      "CREATE TABLE items AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
      "SELECT i "
      "AS id FROM n");
  DatabaseServer server(specs(), options_for(folder_.path()));
  const auto pending = server.client().start_tool(
      "query",
      R"({"sql":"SELECT count(*) AS n FROM sleepy s JOIN items i ON i.id = s.id WHERE s.id < 5000"})");
  ASSERT_TRUE(server.comes_true([&] { return owner.busy() > 0; }));
  pending->cancel();
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(server.comes_true([&] { return owner.busy() == 0 && is_unread(path()); }));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kEndMax);
}

// There is no part of an answer, and the one that is away is named.
TEST(JoinFailure, ADatabaseThatDiesInTheMiddleFailsTheStatement) {
  const TestFolder folder;
  const TestFolder database;
  std::ofstream(folder.at("picks.csv")) << "id,label\n3,one\n7,two\n";
  SqliteWriter(database.at("near.db"))
      .run("CREATE TABLE few (id INTEGER PRIMARY KEY); INSERT INTO few VALUES (3), (4)");
  PostgresServer own(18, SLUICE_REPOSITORY);
  own.run("CREATE ROLE reader LOGIN PASSWORD 'reader-secret'; " + std::string(kSlow) +
          "CREATE VIEW quick AS SELECT 1 AS id; GRANT SELECT ON slow, quick TO reader");
  DatabaseServer server({sqlite_spec("near", database.at("near.db")), postgres_spec("far", own)},
                        options_for(folder.path()));
  const std::size_t files = spool_files(server);
  for (const char* more : {"", R"(,"format":"parquet")"}) {
    const auto pending = server.client().start_tool(
        "query",
        R"({"sql":"SELECT p.id, f.id AS f, s.s FROM picks p LEFT JOIN few f ON f.id = p.id FULL JOIN slow s ON s.id = p.id")" +
            std::string(more) + "}");
    {
      Owner owner(own);
      ASSERT_TRUE(server.comes_true([&] { return owner.busy() > 0; }));
    }
    own.kill();
    const std::string told = json::to_text(pending->reply().value());
    EXPECT_THAT(told, AllOf(HasSubstr("database_unavailable"), HasSubstr("far"), Not(HasSubstr("127.0.0.1")),
                            Not(HasSubstr("secret")), Not(HasSubstr("label")), Not(HasSubstr("one"))));
    EXPECT_TRUE(
        server.comes_true([&] { return spool_files(server) == files && is_unread(database.at("near.db")); }));
    own.start();
    EXPECT_TRUE(server.comes_true([&] {
      const WireMessage reply = server.client().call_tool(
          "query", R"({"sql":"SELECT p.id, q.id AS q FROM picks p JOIN quick q ON q.id < p.id ORDER BY 1"})");
      return json::to_text(reply.value()).find("id,q\\n3,1\\n7,1\\n") != std::string::npos;
    }));
  }
}

}  // namespace
}  // namespace sluice::databases::testing
