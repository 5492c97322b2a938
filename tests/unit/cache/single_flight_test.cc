#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <semaphore>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sluice/cache/cache.h"

#include "fake_clock.h"

namespace sluice::cache {
namespace {

using Text = Cache<std::string>;
using Answer = Result<Loaded<std::string>>;

constexpr std::chrono::seconds kPatience{30};  // For a loaded machine.

const Key kKey = {.scope = Scope::shared(), .text = "key"};

Loaded<std::string> value(std::string text) {
  return {.value = std::move(text), .bytes = 10, .lifetime = std::chrono::seconds(60)};
}

// Waits, bounded, for what another thread is about to do.
[[nodiscard]] bool eventually(const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

[[nodiscard]] bool has_waiters(const Text& cache, std::uint64_t count) {
  return eventually([&] { return cache.counters().waits >= count; });
}

TEST(SingleFlight, RunsTheLoaderOnceForAllWhoAsk) {
  const FakeClock clock;
  Text cache(clock);
  std::atomic<int> loads{0};
  const auto loader = [&](std::stop_token) -> Answer {
    ++loads;
    if (!has_waiters(cache, 7)) return internal_error("nobody waits");
    return value("loaded");
  };
  std::atomic<int> served{0};
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 8; ++i) {
      callers.emplace_back([&] {
        const auto result = cache.get_or_load(kKey, loader, {});
        if (result.ok() && **result == "loaded") ++served;
      });
    }
  }
  EXPECT_EQ(loads.load(), 1);
  EXPECT_EQ(served.load(), 8);
  EXPECT_EQ(cache.counters().waits, 7U);
}

TEST(SingleFlight, DoesNotHoldUpOtherKeys) {
  const FakeClock clock;
  Text cache(clock);
  const auto outer = cache.get_or_load(kKey,
                                       [&](std::stop_token) -> Answer {
                                         const Key other = {.scope = Scope::shared(), .text = "other"};
                                         const auto inner = cache.get_or_load(
                                             other, [](auto) { return value("inner"); }, {});
                                         return value(**inner + " and outer");
                                       },
                                       {});
  EXPECT_EQ(**outer, "inner and outer");
}

TEST(SingleFlight, GivesAFailureToThoseWhoWaitAndForgetsIt) {
  const FakeClock clock;
  Text cache(clock);
  std::atomic<int> failures{0};
  const auto fails = [&](std::stop_token) -> Answer {
    if (!has_waiters(cache, 3)) return internal_error("nobody waits");
    return unavailable("load: upstream");
  };
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 4; ++i) {
      callers.emplace_back([&] {
        const auto result = cache.get_or_load(kKey, fails, {});
        if (!result.ok() && result.error().message == "load: upstream") ++failures;
      });
    }
  }
  EXPECT_EQ(failures.load(), 4);
  EXPECT_EQ(**cache.get_or_load(kKey, [](auto) { return value("later"); }, {}), "later");
}

// A load that lasts until it is allowed to end, on a thread of its own.
class SlowLoad {
 public:
  explicit SlowLoad(Text& cache, Answer answer = value("slow"), std::stop_token stop = {})
      : thread_([this, &cache, answer = std::move(answer), stop = std::move(stop)] {
          result_ = cache.get_or_load(
              kKey,
              [&](std::stop_token) {
                begun_.release();
                EXPECT_TRUE(may_end_.try_acquire_for(kPatience));
                return answer;
              },
              stop);
        }) {
    EXPECT_TRUE(begun_.try_acquire_for(kPatience));
  }
  ~SlowLoad() { finish(); }

  void finish() {
    if (!thread_.joinable()) return;
    may_end_.release();
    thread_.join();
  }
  const Result<Text::Handle>& result() const { return *result_; }

 private:
  std::binary_semaphore begun_{0};
  std::binary_semaphore may_end_{0};
  std::optional<Result<Text::Handle>> result_;
  std::thread thread_;
};

TEST(SingleFlight, LetsAWaiterGoWhenItIsCancelled) {
  const FakeClock clock;
  Text cache(clock);
  SlowLoad slow(cache);
  std::stop_source stop;
  std::optional<Result<Text::Handle>> result;
  std::thread waiter([&] {
    result = cache.get_or_load(
        kKey, [](auto) { return value("own"); }, stop.get_token());
  });
  EXPECT_TRUE(has_waiters(cache, 1));
  stop.request_stop();
  waiter.join();  // While the load is still under way.
  ASSERT_FALSE(result->ok());
  EXPECT_EQ(result->error().kind, ErrorKind::kCancelled);
  slow.finish();
  EXPECT_EQ(**slow.result(), "slow");
}

TEST(SingleFlight, RefusesACallerThatIsAlreadyCancelled) {
  const FakeClock clock;
  Text cache(clock);
  std::stop_source stop;
  stop.request_stop();
  const auto result = cache.get_or_load(
      kKey, [](auto) { return value("x"); }, stop.get_token());
  EXPECT_EQ(result.error().kind, ErrorKind::kCancelled);
}

TEST(SingleFlight, HandsOverWhenTheLoaderIsCancelled) {
  const FakeClock clock;
  Text cache(clock);
  for (const Error& reason : {cancelled(), deadline_exceeded()}) {
    cache.invalidate(kKey);
    const std::uint64_t waits = cache.counters().waits;
    SlowLoad slow(cache, reason);
    std::optional<Result<Text::Handle>> result;
    std::thread waiter([&] { result = cache.get_or_load(kKey, [](auto) { return value("own"); }, {}); });
    EXPECT_TRUE(has_waiters(cache, waits + 1));
    slow.finish();
    waiter.join();
    EXPECT_EQ(slow.result().error().kind, reason.kind);
    ASSERT_TRUE(result->ok());
    EXPECT_EQ(***result, "own");
  }
}

TEST(SingleFlight, PassesTheStopTokenToTheLoader) {
  const FakeClock clock;
  Text cache(clock);
  std::stop_source stop;
  const auto result = cache.get_or_load(
      kKey,
      [&](std::stop_token token) -> Answer {
        stop.request_stop();
        return token.stop_requested() ? Answer(cancelled()) : Answer(value("x"));
      },
      stop.get_token());
  EXPECT_EQ(result.error().kind, ErrorKind::kCancelled);
}

TEST(SingleFlight, DoesNotKeepWhatAnInvalidationOvertakes) {
  const FakeClock clock;
  Text cache(clock);
  const std::function<void()> invalidations[] = {
      [&] { cache.invalidate(kKey); },
      [&] { cache.invalidate_prefix("k"); },
      [&] { cache.invalidate_prefix(Scope::shared(), "key"); },
  };
  for (const auto& invalidate : invalidations) {
    SlowLoad slow(cache);
    invalidate();
    // Who asks now does not join the load that may have read the old state.
    EXPECT_EQ(**cache.get_or_load(kKey, [](auto) { return value("fresh"); }, {}), "fresh");
    slow.finish();
    EXPECT_EQ(**slow.result(), "slow");
    EXPECT_EQ(*cache.find(kKey), "fresh");
    cache.invalidate(kKey);
  }
}

TEST(SingleFlight, KeepsWhatIsPutWhileItLoads) {
  const FakeClock clock;
  Text cache(clock);
  SlowLoad slow(cache);
  cache.put(kKey, value("newer"));
  slow.finish();
  EXPECT_EQ(*cache.find(kKey), "newer");
}

TEST(SingleFlight, EndsWhereTheLoaderThrows) {
  const FakeClock clock;
  Text cache(clock);
  std::optional<Result<Text::Handle>> waited;
  std::thread waiter;
  const auto throws = [&](std::stop_token) -> Answer {
    waiter = std::thread([&] { waited = cache.get_or_load(kKey, [](auto) { return value("own"); }, {}); });
    EXPECT_TRUE(has_waiters(cache, 1));
    throw std::runtime_error("loader");
  };
  EXPECT_THROW(static_cast<void>(cache.get_or_load(kKey, throws, {})), std::runtime_error);
  waiter.join();
  EXPECT_EQ(waited->error().kind, ErrorKind::kInternal);
  EXPECT_EQ(**cache.get_or_load(kKey, [](auto) { return value("after"); }, {}), "after");
}

}  // namespace
}  // namespace sluice::cache
