#include <thread>

#include "sluice/engine/postgres.h"

#include "test_server.h"

namespace sluice::engine {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

using PostgresFailure = PostgresTest;
INSTANTIATE_TEST_SUITE_P(Servers, PostgresFailure, testing::Values(15, 18), version_name);

// Asks until the server answers, within a bound: attempts that follow a failure are refused for a moment.
Result<Table> ask_until_it_works(Database& database) {
  const Monotonic deadline = system_clock().now() + std::chrono::seconds(20);
  while (true) {
    Result<Table> rows = one_column(database, "SELECT 1", TypeId::kInt32, {}, within(milliseconds(5'000)));
    if (rows.ok() || system_clock().now() > deadline) return rows;
    std::this_thread::yield();
  }
}

TEST_P(PostgresFailure, TlsIsVerifiedAsTheUrlSays) {
  const std::string certificate = server().enable_tls();
  const auto open = [&](const std::string& host, const std::string& settings) {
    PostgresOptions options;
    options.url = "postgres://reader:reader-secret@" + host + ":" + std::to_string(server().port()) +
                  "/postgres?" + settings;
    return std::move(open_postgres(options)).value();
  };
  const auto verified = open("localhost", "sslmode=verify-full&sslrootcert=" + certificate);
  const Monotonic deadline = system_clock().now() + std::chrono::seconds(20);
  // A reload takes a moment to reach new sessions.
  Result<DatabaseHealth> health = verified->check({});
  while (!health.ok() && system_clock().now() < deadline) health = verified->check({});
  ASSERT_TRUE(health.ok()) << health.error().message;
  EXPECT_THAT(rows_of(one_column(*verified, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()",
                                 TypeId::kBool)),
              ElementsAre(ElementsAre("true")));
  // Another name than the certificate's, and no certificate to trust.
  EXPECT_FALSE(open("127.0.0.1", "sslmode=verify-full&sslrootcert=" + certificate)->check({}).ok());
  EXPECT_FALSE(open("localhost", "sslmode=verify-full")->check({}).ok());
}

TEST_P(PostgresFailure, ASessionThatWasEndedIsReplaced) {
  const auto database = reader();
  ASSERT_TRUE(one_column(*database, "SELECT 1").ok());
  server().run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'");
  EXPECT_TRUE(one_column(*database, "SELECT 1").ok());
}

TEST_P(PostgresFailure, AServerThatIsKilledIsToldAndFoundAgain) {
  const auto database = reader();
  const Select select{
      .statement = {"SELECT i, pg_sleep(0.0001) FROM (SELECT generate_series(1, 10000000) i) g", {}},
      .columns = {{"i", type(TypeId::kInt32)}, {"s", type(TypeId::kText)}},
      .table = {}};
  const auto rows = std::move(database->query(select, within(std::chrono::seconds(60)))).value();
  server().kill();
  const Result<Table> read = read_all(*rows);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(read.error().code, "database_unavailable");
  const Result<Table> down =
      one_column(*database, "SELECT 1", TypeId::kInt32, {}, within(milliseconds(5'000)));
  EXPECT_EQ(code_of(down), "database_unavailable");
  server().start();
  EXPECT_TRUE(ask_until_it_works(*database).ok());
}

TEST_P(PostgresFailure, AServerThatComesUpLaterIsFound) {
  const auto database = reader();
  server().stop();
  EXPECT_EQ(code_of(one_column(*database, "SELECT 1")), "database_unavailable");
  EXPECT_FALSE(database->tables({}).ok());
  server().start();
  EXPECT_TRUE(ask_until_it_works(*database).ok());
}

}  // namespace
}  // namespace sluice::engine
