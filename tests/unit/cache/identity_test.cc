#include <array>
#include <atomic>
#include <chrono>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "sluice/cache/cache.h"

#include "fake_clock.h"

namespace sluice::cache {
namespace {

// `cross_client_leak`: identity is part of every key, and cannot be forgotten.
static_assert(!std::is_default_constructible_v<Scope>);
static_assert(!std::is_default_constructible_v<Key>);
static_assert(!std::is_constructible_v<Key, std::string>);
static_assert(!std::is_constructible_v<Scope, std::string>);
static_assert(!std::is_convertible_v<std::string, Scope>);

struct Tagged {
  std::string owner;
  std::string text;
};

// Ids and texts that would collide if a key were their concatenation, or if "shared" were an id like any
// other.
constexpr std::array kOwners = {"", "shared", "a", "a:b", "a/b", "local", "token:x"};
constexpr std::array kTexts = {"", "c", "b:c", ":c", "b/c", "/c", "shared", "token:x", "x"};

TEST(V11Identity, ScopesOfDifferentPrincipalsAreDifferent) {
  for (const char* a : kOwners) {
    EXPECT_NE(Scope::of({.id = a}), Scope::shared());
    for (const char* b : kOwners) {
      EXPECT_EQ(Scope::of({.id = a}) == Scope::of({.id = b}), std::string(a) == b);
    }
  }
}

// Runs random operations for random principals and checks every value that comes back.
void operate(Cache<Tagged>& cache, FakeClock& clock, unsigned seed, int rounds, std::atomic<int>& seen) {
  std::mt19937 random(seed);
  for (int round = 0; round < rounds; ++round) {
    const bool shared = random() % 8 == 0;
    const std::string owner = shared ? "everyone" : kOwners[random() % kOwners.size()];
    const std::string text = kTexts[random() % kTexts.size()];
    const Scope scope = shared ? Scope::shared() : Scope::of({.id = owner});
    const Key key = {.scope = scope, .text = text};
    Loaded<Tagged> loaded = {.value = {.owner = owner, .text = text},
                             .bytes = random() % 200,
                             .lifetime = std::chrono::seconds(3)};
    const auto check = [&](const Cache<Tagged>::Handle& handle) {
      if (!handle) return;
      ++seen;
      EXPECT_EQ(handle->owner, owner);
      EXPECT_EQ(handle->text, text);
    };
    switch (random() % 10) {
      case 0:
        cache.put(key, loaded);
        break;
      case 1:
        cache.invalidate(key);
        break;
      case 2:
        cache.invalidate_prefix(scope, text);
        break;
      case 3:
        clock.advance(std::chrono::milliseconds(500));
        break;
      case 4:
      case 5:
        check(cache.find(key));
        break;
      default:
        check(*cache.get_or_load(key, [&](std::stop_token) { return loaded; }, {}));
    }
  }
}

TEST(V11Identity, NobodySeesAnothersValue) {
  FakeClock clock;
  std::atomic<int> seen{0};
  for (const Options options : {Options{}, Options{.entries_max = 5}, Options{.bytes_max = 3'000}}) {
    Cache<Tagged> cache(clock, options);
    operate(cache, clock, 11, 5'000, seen);
  }
  EXPECT_GT(seen.load(), 1'000);
}

TEST(V11Identity, NobodySeesAnothersValueFromManyThreads) {
  FakeClock clock;
  Cache<Tagged> cache(clock, {.entries_max = 20});
  std::atomic<int> seen{0};
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] { operate(cache, clock, i, 2'000, seen); });
    }
  }
  EXPECT_GT(seen.load(), 1'000);
}

}  // namespace
}  // namespace sluice::cache
