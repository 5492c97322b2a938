#include "interrupter.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sluice/engine/duckdb.h"
#include "sluice/engine/engine.h"

#include "memory_watch.h"

namespace sluice::engine::duck {
namespace {

using std::chrono::milliseconds;

// A connection on which nothing runs: whoever watches it cannot tell that from a statement that does not end.
class IdleConnection {
 public:
  IdleConnection() {
    loaded_ = open_duckdb({}).value();  // Loads the library.
    duckdb_database database = nullptr;
    EXPECT_EQ(duckdb_open_ext(nullptr, &database, nullptr, nullptr), DuckDBSuccess);
    database_.reset(database);
    duckdb_connection connection = nullptr;
    EXPECT_EQ(duckdb_connect(database, &connection), DuckDBSuccess);
    connection_.reset(connection);
  }
  duckdb_connection get() const { return connection_.get(); }

 private:
  std::unique_ptr<Engine> loaded_;
  Database database_;
  Connection connection_;
};

// Waits for what another thread does within milliseconds.
bool comes_true(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  return condition();
}

TEST(Interrupter, NoticesAStatementThatIgnoresItsInterrupt) {
  const IdleConnection connection;
  Interrupter interrupter({.stuck_after = milliseconds(20)});
  const Interrupter::Watch watch(interrupter, connection.get(), {.deadline = system_clock().now()});
  EXPECT_TRUE(comes_true([&] { return interrupter.is_stuck(); }));
  EXPECT_EQ(watch.cause(), Interrupter::Cause::kDeadline);
}

TEST(Interrupter, DoesNotBlameTheEngineForAReaderThatIsSlow) {
  const IdleConnection connection;
  std::atomic<int> looks{0};  // It measures whenever it looks at the statements.
  const auto measure = [&] {
    ++looks;
    return std::uint64_t{0};
  };
  Interrupter interrupter(
      {.stuck_after = milliseconds(0),
       .memory = {.bytes_max = 64U << 20U, .measure = measure, .interval = milliseconds(1)}});
  Interrupter::Watch running(interrupter, connection.get(), {});
  std::stop_source stop;
  Interrupter::Watch slow(interrupter, connection.get(), {.stop = stop.get_token()});
  slow.leave();
  stop.request_stop();
  EXPECT_EQ(slow.cause(), Interrupter::Cause::kStopped);
  const int before = looks;
  EXPECT_TRUE(comes_true([&] { return looks >= before + 2; }));
  EXPECT_FALSE(interrupter.is_stuck());
  EXPECT_EQ(running.cause(), Interrupter::Cause::kNone);
  slow.enter();
  EXPECT_TRUE(comes_true([&] { return interrupter.is_stuck(); }));
}

TEST(Interrupter, EndsTheStatementDuringWhichTheProcessOutgrewItsBound) {
  const IdleConnection connection;
  std::atomic<std::uint64_t> bytes{100U << 20U};
  Interrupter interrupter(
      {.memory = {
           .bytes_max = 64U << 20U, .measure = [&] { return bytes.load(); }, .interval = milliseconds(1)}});
  const RunLimits limits{.deadline = system_clock().now() + std::chrono::minutes(10)};
  const Interrupter::Watch watch(interrupter, connection.get(), limits);
  EXPECT_TRUE(comes_true([&] {
    bytes += 32U << 20U;
    return watch.cause() == Interrupter::Cause::kMemory;
  }));
}

class MemoryWatchTest : public ::testing::Test {
 protected:
  MemoryWatch::Share* look(std::uint64_t megabytes, const std::vector<MemoryWatch::Share*>& running) {
    bytes_ = megabytes << 20U;
    now_ += milliseconds(50);
    return watch_.look(now_, running);
  }

  std::uint64_t bytes_ = std::uint64_t{100} << 20U;
  Monotonic now_ = Monotonic(std::chrono::hours(1));
  // The bound is 100 + 1000 + 250 + 256 MB.
  MemoryWatch watch_{{.bytes_max = std::uint64_t{1'000} << 20U, .measure = [this] { return bytes_; }}};
  MemoryWatch::Share old_;
  MemoryWatch::Share young_;
};

TEST_F(MemoryWatchTest, ChoosesTheStatementThatGrewMost) {
  EXPECT_EQ(look(100, {&old_}), nullptr);
  EXPECT_EQ(look(300, {&old_}), nullptr);
  EXPECT_EQ(look(1'500, {&old_, &young_}), nullptr);
  EXPECT_EQ(look(1'700, {&old_, &young_}), &old_);
}

TEST_F(MemoryWatchTest, ForgetsWhatAStatementGaveBack) {
  EXPECT_EQ(look(100, {&old_}), nullptr);
  EXPECT_EQ(look(900, {&old_}), nullptr);
  EXPECT_EQ(look(100, {&old_}), nullptr);
  EXPECT_EQ(look(100, {&old_, &young_}), nullptr);
  EXPECT_EQ(look(1'800, {&young_}), &young_);
  EXPECT_EQ(old_.bytes, 0U);
}

TEST_F(MemoryWatchTest, LeavesAStatementThatDidNotGrowAlone) {
  EXPECT_EQ(look(2'000, {&old_}), nullptr);
  EXPECT_EQ(look(2'000, {&old_}), nullptr);
}

TEST_F(MemoryWatchTest, DoesNothingWithoutABound) {
  MemoryWatch unbounded({.measure = [] { return UINT64_MAX / 2; }});
  EXPECT_EQ(unbounded.look(now_, {&old_}), nullptr);
  EXPECT_EQ(unbounded.next(now_), Monotonic::max());
}

TEST(ProcessMemory, GrowsWithWhatIsUsed) {
  const std::uint64_t before = process_memory_bytes();
  const std::vector<char> used(std::size_t{64} << 20U, 'x');
  EXPECT_GT(process_memory_bytes(), before + (std::uint64_t{48} << 20U));
  EXPECT_EQ(used.back(), 'x');
}

}  // namespace
}  // namespace sluice::engine::duck
