#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sluice/catalog/catalog.h"

namespace sluice::catalog {
namespace {

crypto::Signer key() { return crypto::Signer(std::string(32, 'k')); }
ResourceUri uri(const std::string& text) { return ResourceUri::parse(text).value(); }

// Owns every URI, and records what it is told.
class WatchingProvider final : public Provider, public ResourceProvider {
 public:
  WatchingProvider() : Provider({.name = "watching"}) {}

  ResourceProvider* resources() override { return this; }
  bool owns(const ResourceUri&) const override { return true; }
  Result<protocol::ReadResult> read(const ResourceUri& uri, Context&) override {
    return protocol::resource_not_found(uri.text());
  }
  void watch(const ResourceUri& uri) override {
    if (on_watch) on_watch(uri);
    note(uri, true);
  }
  void unwatch(const ResourceUri& uri) override { note(uri, false); }

  bool watches(const std::string& uri) {
    const std::scoped_lock lock(mutex_);
    return watched_[uri];
  }
  // A watch of what is watched already, or the end of a watch that is none.
  int repeats() {
    const std::scoped_lock lock(mutex_);
    return repeats_;
  }

  std::function<void(const ResourceUri&)> on_watch;

 private:
  void note(const ResourceUri& uri, bool watched) {
    const std::scoped_lock lock(mutex_);
    if (watched_[uri.text()] == watched) ++repeats_;
    watched_[uri.text()] = watched;
  }

  std::mutex mutex_;
  std::map<std::string, bool> watched_;
  int repeats_ = 0;
};

std::unique_ptr<Catalog> catalog_of(const std::shared_ptr<Provider>& provider) {
  return Catalog::create({provider}, key()).value();
}

TEST(CatalogWatch, LetsAProviderComeBackToTheCatalog) {
  const auto provider = std::make_shared<WatchingProvider>();
  const auto catalog = catalog_of(provider);
  provider->on_watch = [&](const ResourceUri& one) {
    if (one.text() != "x://outer") return;
    EXPECT_TRUE(catalog->watch(uri("x://inner")));
    EXPECT_TRUE(catalog->can_watch(uri("x://inner")).ok());
    catalog->unwatch(uri("x://inner"));
  };
  EXPECT_TRUE(catalog->watch(uri("x://outer")));
  EXPECT_TRUE(provider->watches("x://outer"));
  EXPECT_FALSE(provider->watches("x://inner"));
}

TEST(CatalogWatch, DoesNotWaitForAProviderThatIsSlowWithAnotherUri) {
  const auto provider = std::make_shared<WatchingProvider>();
  const auto catalog = catalog_of(provider);
  std::jthread other;
  provider->on_watch = [&](const ResourceUri& one) {
    if (one.text() != "x://slow") return;
    other = std::jthread([&] { catalog->watch(uri("x://quick")); });
    other.join();
    EXPECT_TRUE(provider->watches("x://quick"));
  };
  EXPECT_TRUE(catalog->watch(uri("x://slow")));
}

TEST(CatalogWatch, ASecondCallerReturnsAfterTheProviderIsTold) {
  const auto provider = std::make_shared<WatchingProvider>();
  const auto catalog = catalog_of(provider);
  std::jthread second;
  provider->on_watch = [&](const ResourceUri& one) {
    second = std::jthread([&, text = one.text()] {
      EXPECT_TRUE(catalog->watch(uri(text)));
      EXPECT_TRUE(provider->watches(text));
    });
    std::this_thread::yield();
  };
  EXPECT_TRUE(catalog->watch(uri("x://1")));
}

TEST(CatalogWatch, TellsTheProvidersThatFollowWhatIsWatched) {
  const auto before = std::make_shared<WatchingProvider>();
  const auto after = std::make_shared<WatchingProvider>();
  const auto catalog = catalog_of(before);
  catalog->watch(uri("x://1"));
  catalog->watch(uri("x://2"));
  catalog->unwatch(uri("x://2"));
  ASSERT_TRUE(
      catalog->replace(std::make_shared<Generation>(std::vector<std::shared_ptr<Provider>>{after})).ok());
  EXPECT_TRUE(after->watches("x://1"));
  EXPECT_FALSE(after->watches("x://2"));
  catalog->unwatch(uri("x://1"));
  EXPECT_FALSE(after->watches("x://1"));
  EXPECT_TRUE(before->watches("x://1")) << "the providers before hear nothing any more";
}

// A replacement that waits for the call of a provider must not keep that call from coming back.
TEST(CatalogWatch, LetsAProviderComeBackWhileItIsReplaced) {
  WatchTable table;
  for (int i = 0; i < 100; ++i) {
    std::jthread replacing;
    const WatchTable::Turn outer(table, "x://outer");
    replacing = std::jthread([&] { const WatchTable::Pause pause(table); });
    for (int j = 0; j < i; ++j) std::this_thread::yield();
    const WatchTable::Turn inner(table, "x://inner");
  }
}

// Threads watch and unwatch a few URIs in pairs while the providers are replaced. Each provider hears of a
// URI in turn: watch, unwatch, watch; and in the end what the last one watches is what is wanted.
TEST(CatalogWatch, TellsEachProviderOfEveryUriInOrder) {
  constexpr int kUris = 3;
  std::vector<std::shared_ptr<WatchingProvider>> providers{std::make_shared<WatchingProvider>()};
  const auto catalog = catalog_of(providers.front());
  std::vector<std::jthread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&catalog, seed] {
      std::mt19937 random(seed);
      for (int i = 0; i < 500; ++i) {
        const ResourceUri one = uri("x://" + std::to_string(random() % kUris));
        catalog->watch(one);
        if (random() % 4 == 0) std::this_thread::yield();
        catalog->unwatch(one);
      }
      catalog->watch(uri("x://" + std::to_string(seed % 2)));
    });
  }
  for (int i = 0; i < 20; ++i) {
    providers.push_back(std::make_shared<WatchingProvider>());
    const std::vector<std::shared_ptr<Provider>> next{providers.back()};
    ASSERT_TRUE(catalog->replace(std::make_shared<Generation>(next)).ok());
  }
  threads.clear();
  for (const auto& provider : providers) EXPECT_EQ(provider->repeats(), 0);
  EXPECT_TRUE(providers.back()->watches("x://0"));
  EXPECT_TRUE(providers.back()->watches("x://1"));
  EXPECT_FALSE(providers.back()->watches("x://2"));
}

}  // namespace
}  // namespace sluice::catalog
