#include <atomic>
#include <chrono>
#include <stop_token>
#include <thread>

#include "sluice/engine/duckdb.h"

#include "testing.h"

namespace sluice::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kEndless = "SELECT count(*) FROM range(1000000000) a, range(1000000000) b";

TEST(Engine, StreamsBatchesOfTypedColumns) {
  const auto engine = open_engine();
  auto rows = engine->query({.sql = "SELECT i::BIGINT AS i, 'row ' || i AS text FROM range(5000) t(i)"}, {});
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  ASSERT_THAT((*rows)->columns(), SizeIs(2));
  EXPECT_EQ((*rows)->columns()[0].type.id, TypeId::kInt64);
  EXPECT_EQ((*rows)->columns()[1].type.id, TypeId::kText);
  std::size_t total = 0;
  while (true) {
    const auto batch = (*rows)->next();
    ASSERT_TRUE(batch.ok()) << batch.error().message;
    if (*batch == nullptr) break;
    for (std::size_t row = 0; row < (*batch)->rows; ++row, ++total) {
      EXPECT_EQ((*batch)->columns[0].at<std::int64_t>(row), static_cast<std::int64_t>(total));
      EXPECT_EQ((*batch)->columns[1].text(row), "row " + std::to_string(total));
    }
  }
  EXPECT_EQ(total, 5000U);
}

TEST(Engine, BindsParametersAndNeverPutsThemIntoTheText) {
  const auto engine = open_engine();
  const auto found = integers(
      *engine,
      {.sql = "SELECT i FROM range(10) t(i) WHERE i::VARCHAR IN (SELECT unnest($1)) AND i < $2 AND $3 <> 'x'",
       .parameters = {std::vector<std::string>{"1", "3", "9", "'; DROP"}, std::int64_t{5},
                      std::string("'; DROP TABLE t; --")}});
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_THAT(*found, ElementsAre(1, 3));
}

TEST(Engine, RunsOneStatementOnly) {
  const auto engine = open_engine();
  const auto rows = engine->query({.sql = "SELECT 1; SELECT 2"}, {});
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().kind, ErrorKind::kInvalidInput);
}

TEST(Engine, RefusesTextBehindANulCharacter) {
  const auto engine = open_engine();
  const auto rows = engine->query({.sql = std::string("SELECT 1\0; DROP", 15)}, {});
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().code, "invalid_query");
}

TEST(Engine, DescribesAStatementWithoutRunningIt) {
  const auto engine = open_engine();
  const auto description =
      engine->describe({.sql = std::string("SELECT x, 1.50 AS price FROM (") + kEndless + ") t(x)"});
  ASSERT_TRUE(description.ok()) << description.error().message;
  EXPECT_TRUE(description->is_select);
  ASSERT_THAT(description->columns, SizeIs(2));
  EXPECT_EQ(description->columns[1].name, "price");
  EXPECT_EQ(polars_name(description->columns[1].type), "Decimal(3,2)");
  EXPECT_FALSE(engine->describe({.sql = "CREATE TABLE t(i INT)"})->is_select);
}

TEST(Engine, EndsAtTheDeadline) {
  const auto engine = open_engine();
  const auto begin = std::chrono::steady_clock::now();
  const auto result =
      integers(*engine, {.sql = kEndless}, {.deadline = begin + std::chrono::milliseconds(50)});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::kDeadline);
  EXPECT_EQ(result.error().code, "time_limit");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(Engine, EndsWhenItsCallerStops) {
  const auto engine = open_engine();
  std::stop_source stop;
  std::jthread canceller([&stop] { stop.request_stop(); });
  const auto result = integers(*engine, {.sql = kEndless}, {.stop = stop.get_token()});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::kCancelled);
}

TEST(Engine, AnswersTheNextQueryAfterAnInterruptedOne) {
  const auto engine = open_engine();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(integers(*engine, {.sql = kEndless}, {.stop = stop.get_token()}).ok());
  const auto next = integers(*engine, {.sql = "SELECT 42"});
  ASSERT_TRUE(next.ok()) << next.error().message;
  EXPECT_THAT(*next, ElementsAre(42));
}

// A function that is told to stop once it has begun, and stays until its engine is broken.
class StayingEngine {
 public:
  StayingEngine() {
    engine = open_engine({.stuck_after = std::chrono::milliseconds(20),
                          .functions = {{.name = "stay", .apply = [this](std::string_view in) {
                                           stay();
                                           return std::string(in);
                                         }}}});
  }
  RunLimits limits() const { return {.stop = stop_.get_token()}; }

  std::unique_ptr<Engine> engine;

 private:
  void stay() {
    stop_.request_stop();
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!engine->is_broken() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  }

  std::stop_source stop_;
};

TEST(Engine, IsBrokenByAStatementThatIgnoresItsInterrupt) {
  StayingEngine staying;
  (void)integers(*staying.engine, {.sql = "SELECT length(stay(x)) FROM (VALUES ('a')) t(x)"},
                 staying.limits());
  EXPECT_TRUE(staying.engine->is_broken());
}

// What is constant is computed while the statement is planned.
TEST(Engine, IsBrokenByAPlanThatIgnoresItsInterrupt) {
  StayingEngine staying;
  (void)staying.engine->describe({.sql = "SELECT stay('a')"}, staying.limits());
  EXPECT_TRUE(staying.engine->is_broken());
}

TEST(Engine, IsNotBrokenByAStatementThatEndsAtItsDeadline) {
  const auto engine = open_engine();
  EXPECT_FALSE(integers(*engine, {.sql = kEndless}, {.deadline = system_clock().now()}).ok());
  EXPECT_FALSE(engine->is_broken());
}

TEST(Engine, FailsWithMemoryLimitAndLives) {
  const auto engine = open_engine({.memory_bytes_max = 32U << 20U});
  const auto result =
      integers(*engine, {.sql = "SELECT max(len(l)) FROM (SELECT list(i::VARCHAR || repeat('x', 100)) AS l "
                                "FROM range(10000000) t(i))"});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, "memory_limit") << result.error().message;
  EXPECT_TRUE(integers(*engine, {.sql = "SELECT 1"}).ok());
}

// More than a gigabyte of values, which the engine does not count.
TEST(Engine, EndsAStatementWhoseMediansOutgrowItsMemory) {
  const auto engine = open_engine({.memory_bytes_max = 64U << 20U});
  std::string sql = "SELECT median(n)::BIGINT";
  for (int i = 1; i < 150; ++i) sql += ", median(n + " + std::to_string(i) + ")";
  const auto result = integers(*engine, {.sql = sql + " FROM range(1000000) t(n)"});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, "memory_limit");
  EXPECT_THAT(result.error().message, HasSubstr("took more memory than the server has for it"));
  EXPECT_TRUE(integers(*engine, {.sql = "SELECT 1"}).ok());
}

TEST(Engine, CallsTextFunctionsOfTheProgram) {
  const auto engine = open_engine(
      {.functions = {{.name = "shout", .apply = [](std::string_view in) { return std::string(in) + "!"; }}}});
  auto rows = engine->query(
      {.sql = "SELECT shout(x) FROM (VALUES ('a'), (NULL), ('a longer text than fits')) t(x)"}, {});
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  const auto batch = (*rows)->next();
  ASSERT_TRUE(batch.ok() && *batch != nullptr);
  EXPECT_EQ((*batch)->columns[0].text(0), "a!");
  EXPECT_TRUE((*batch)->columns[0].is_null(1));
  EXPECT_EQ((*batch)->columns[0].text(2), "a longer text than fits!");
}

TEST(Engine, CallsFunctionsOfTwoTexts) {
  const auto sizes = [](std::string_view a, std::string_view b) {
    return static_cast<double>(a.size()) / static_cast<double>(b.size());
  };
  const auto engine = open_engine({.pair_functions = {{.name = "sizes", .apply = sizes}}});
  auto rows = engine->query(
      {.sql = "SELECT sizes($1, x) FROM (VALUES ('ab'), (NULL), ('a longer text than fits')) t(x)",
       .parameters = {std::string("four")}},
      {});
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  const auto batch = (*rows)->next();
  ASSERT_TRUE(batch.ok() && *batch != nullptr);
  EXPECT_DOUBLE_EQ((*batch)->columns[0].at<double>(0), 2);
  EXPECT_TRUE((*batch)->columns[0].is_null(1));
  EXPECT_DOUBLE_EQ((*batch)->columns[0].at<double>(2), 4.0 / 23);
}

TEST(Engine, HidesFileNamesInItsErrors) {
  const auto engine = open_engine({.folders = {"/tmp"}});
  const auto rows = engine->query({.sql = "SELECT * FROM read_csv('/tmp/no/such/secret.csv')"}, {});
  ASSERT_FALSE(rows.ok());
  EXPECT_THAT(rows.error().message, ::testing::Not(HasSubstr("secret")));
  EXPECT_EQ(rows.error().code, "unreadable_file") << rows.error().message;
}

// Each test has a process of its own, so that here these threads are the first that need the library.
TEST(Engine, IsOpenedByManyThreadsAtOnce) {
  std::atomic<int> right = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        const Result<std::unique_ptr<Engine>> engine = open_duckdb({.threads = 1});
        if (!engine.ok()) return;
        const auto one = integers(**engine, {.sql = "SELECT 1"});
        if (one.ok() && one->front() == 1) ++right;
      });
    }
  }
  EXPECT_EQ(right, 8);
}

TEST(Engine, AnswersManyThreadsAtOnce) {
  const auto engine = open_engine();
  std::atomic<int> right = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < 20; ++n) {
          const auto sum = integers(*engine, {.sql = "SELECT sum(i)::BIGINT FROM range(1000) t(i)"});
          if (sum.ok() && sum->front() == 499500) ++right;
        }
      });
    }
  }
  EXPECT_EQ(right, 160);
}

}  // namespace
}  // namespace sluice::engine
