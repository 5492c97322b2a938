#include "sluice/cache/cache.h"

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>

#include <gtest/gtest.h>

#include "fake_clock.h"

namespace sluice::cache {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kOverhead =
    256;  // What the cache adds for an entry, beside the bytes of key and value.

Key shared_key(std::string text) { return {.scope = Scope::shared(), .text = std::move(text)}; }

Loaded<std::string> value(std::string text, std::size_t bytes = 10, milliseconds lifetime = seconds(60)) {
  return {.value = std::move(text), .bytes = bytes, .lifetime = lifetime};
}

std::string found(Cache<std::string>& cache, const std::string& text) {
  const auto handle = cache.find(shared_key(text));
  return handle ? *handle : "nothing";
}

TEST(Cache, GivesBackWhatWasPut) {
  const FakeClock clock;
  Cache<std::string> cache(clock);
  EXPECT_EQ(found(cache, "a"), "nothing");
  cache.put(shared_key("a"), value("1"));
  EXPECT_EQ(found(cache, "a"), "1");
  cache.put(shared_key("a"), value("2"));
  EXPECT_EQ(found(cache, "a"), "2");
  EXPECT_EQ(cache.counters().entries, 1U);
}

TEST(Cache, ForgetsAtTheEndOfALifetime) {
  FakeClock clock;
  Cache<std::string> cache(clock);
  cache.put(shared_key("a"), value("1", 10, seconds(5)));
  cache.put(shared_key("b"), value("2", 10, seconds(9)));
  clock.advance(milliseconds(4'999));
  EXPECT_EQ(found(cache, "a"), "1");
  clock.advance(milliseconds(1));
  EXPECT_EQ(found(cache, "a"), "nothing");
  EXPECT_EQ(found(cache, "b"), "2");
  EXPECT_EQ(cache.counters().expirations, 1U);
  EXPECT_EQ(cache.counters().entries, 1U);
}

TEST(Cache, DoesNotKeepWhatHasNoLifetime) {
  const FakeClock clock;
  Cache<std::string> cache(clock);
  cache.put(shared_key("a"), value("1", 10, milliseconds(0)));
  cache.put(shared_key("b"), value("1", 10, milliseconds(-1)));
  EXPECT_EQ(cache.counters().entries, 0U);
}

TEST(Cache, TakesTheLongestLifetimeThereIs) {
  FakeClock clock;
  Cache<std::string> cache(clock);
  cache.put(shared_key("a"), value("1", 10, milliseconds::max()));
  clock.advance(hours(24));
  EXPECT_EQ(found(cache, "a"), "1");
}

TEST(Cache, EvictsTheLeastRecentlyUsedBeyondItsEntries) {
  const FakeClock clock;
  Cache<std::string> cache(clock, {.entries_max = 2});
  cache.put(shared_key("a"), value("1"));
  cache.put(shared_key("b"), value("2"));
  EXPECT_EQ(found(cache, "a"), "1");
  cache.put(shared_key("c"), value("3"));
  EXPECT_EQ(found(cache, "b"), "nothing");
  EXPECT_EQ(found(cache, "a"), "1");
  EXPECT_EQ(found(cache, "c"), "3");
  EXPECT_EQ(cache.counters().evictions, 1U);
}

TEST(Cache, EvictsBeyondItsBytes) {
  const FakeClock clock;
  Cache<std::string> cache(clock, {.bytes_max = 3 * (kOverhead + 1 + 100)});
  for (const char* key : {"a", "b", "c"}) cache.put(shared_key(key), value(key, 100));
  EXPECT_EQ(cache.counters().entries, 3U);
  EXPECT_EQ(cache.counters().bytes, 3 * (kOverhead + 1 + 100));
  cache.put(shared_key("d"), value("d", 101));
  EXPECT_EQ(found(cache, "a"), "nothing");
  EXPECT_EQ(found(cache, "b"), "nothing");
  EXPECT_EQ(found(cache, "d"), "d");
}

TEST(Cache, DoesNotKeepWhatIsLargerThanItself) {
  const FakeClock clock;
  Cache<std::string> cache(clock, {.bytes_max = 1000});
  cache.put(shared_key("small"), value("1", 10));
  for (const std::size_t bytes : {std::size_t{1000}, std::numeric_limits<std::size_t>::max()}) {
    cache.put(shared_key("large"), value("2", bytes));
    EXPECT_EQ(found(cache, "large"), "nothing");
  }
  EXPECT_EQ(found(cache, "small"), "1");
}

TEST(Cache, KeepsNothingWithoutRoom) {
  const FakeClock clock;
  for (const Options options : {Options{.entries_max = 0}, Options{.bytes_max = 0}}) {
    Cache<std::string> cache(clock, options);
    cache.put(shared_key("a"), value("1", 0));
    EXPECT_EQ(cache.counters().entries, 0U);
    EXPECT_EQ(**cache.get_or_load(shared_key("a"), [](auto) { return value("loaded"); }, {}), "loaded");
  }
}

TEST(Cache, InvalidatesOneKey) {
  const FakeClock clock;
  Cache<std::string> cache(clock);
  cache.put(shared_key("a"), value("1"));
  cache.put(shared_key("ab"), value("2"));
  cache.invalidate(shared_key("a"));
  cache.invalidate(shared_key("missing"));
  EXPECT_EQ(found(cache, "a"), "nothing");
  EXPECT_EQ(found(cache, "ab"), "2");
}

TEST(Cache, InvalidatesByPrefixInOneScopeOrInAll) {
  const FakeClock clock;
  Cache<std::string> cache(clock);
  const Scope alice = Scope::of({.id = "alice"});
  for (const char* text : {"file:///a/1", "file:///a/2", "file:///b"}) {
    cache.put(shared_key(text), value("shared"));
    cache.put({.scope = alice, .text = text}, value("alice"));
  }
  EXPECT_EQ(cache.invalidate_prefix(alice, "file:///a/"), 2U);
  EXPECT_EQ(found(cache, "file:///a/1"), "shared");
  EXPECT_EQ(cache.find({.scope = alice, .text = "file:///a/1"}), nullptr);
  EXPECT_NE(cache.find({.scope = alice, .text = "file:///b"}), nullptr);
  EXPECT_EQ(cache.invalidate_prefix("file:///b"), 2U);
  EXPECT_EQ(cache.invalidate_prefix(""), 2U);
  EXPECT_EQ(cache.counters().entries, 0U);
  EXPECT_EQ(cache.counters().bytes, 0U);
}

TEST(Cache, KeepsAValueAliveForWhoHoldsIt) {
  const FakeClock clock;
  Cache<std::string> cache(clock, {.entries_max = 1});
  cache.put(shared_key("a"), value("1"));
  const auto held = cache.find(shared_key("a"));
  cache.put(shared_key("b"), value("2"));
  EXPECT_EQ(*held, "1");
}

TEST(Cache, LoadsOnceAndThenRemembers) {
  FakeClock clock;
  Cache<std::string> cache(clock);
  int loads = 0;
  const auto loader = [&](std::stop_token) -> Result<Loaded<std::string>> {
    return value(std::to_string(++loads), 10, seconds(5));
  };
  EXPECT_EQ(**cache.get_or_load(shared_key("a"), loader, {}), "1");
  EXPECT_EQ(**cache.get_or_load(shared_key("a"), loader, {}), "1");
  clock.advance(seconds(5));
  EXPECT_EQ(**cache.get_or_load(shared_key("a"), loader, {}), "2");
  EXPECT_EQ(cache.counters().hits, 1U);
  EXPECT_EQ(cache.counters().misses, 2U);
}

TEST(Cache, DoesNotRememberAFailure) {
  const FakeClock clock;
  Cache<std::string> cache(clock);
  bool fails = true;
  const auto loader = [&](std::stop_token) -> Result<Loaded<std::string>> {
    if (fails) return not_found("read: a");
    return value("1");
  };
  EXPECT_EQ(cache.get_or_load(shared_key("a"), loader, {}).error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(cache.counters().load_failures, 1U);
  fails = false;
  EXPECT_EQ(**cache.get_or_load(shared_key("a"), loader, {}), "1");
}

TEST(Cache, RefusesAKeyWithoutBound) {
  const FakeClock clock;
  Cache<std::string> cache(clock);
  const auto result =
      cache.get_or_load(shared_key(std::string(1'000'000, 'k')), [](auto) { return value("1"); }, {});
  EXPECT_EQ(result.error().kind, ErrorKind::kLimitReached);
}

TEST(Cache, HoldsValuesThatCannotBeCopied) {
  const FakeClock clock;
  Cache<std::unique_ptr<int>> cache(clock);
  cache.put(shared_key("a"), {.value = std::make_unique<int>(7), .bytes = 4, .lifetime = seconds(1)});
  EXPECT_EQ(**cache.find(shared_key("a")), 7);
}

}  // namespace
}  // namespace sluice::cache
