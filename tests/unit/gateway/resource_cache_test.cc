// Reads that are kept.

#include "sluice/gateway/resource_cache.h"

#include <atomic>
#include <latch>
#include <thread>

#include <gmock/gmock.h>

#include "test_server.h"

namespace sluice::gateway {
namespace {

using server::testing::TestClock;

class Cached : public ::testing::Test {
 protected:
  ResourceCache make(ResourceCacheConfig config = {}, bool to_artifacts = true) {
    return ResourceCache(store_, "filesystem", config, to_artifacts, clock_);
  }
  // A read of text that counts itself.
  ResourceCache::ReadFn text(std::string body, std::optional<protocol::CacheHint> hint = {}) {
    return [this, body = std::move(body), hint](const std::string& uri,
                                                const CallOptions&) -> Result<UpstreamRead> {
      ++reads_;
      UpstreamRead read;
      read.contents.push_back(
          {.uri = uri, .mime_type = "text/plain", .body = protocol::TextBody{body}, .meta = {}});
      read.hint = hint;
      return read;
    };
  }
  static std::string shown(const Result<ResourceCache::Read>& read) {
    EXPECT_TRUE(read.ok());
    return json::to_text(to_json(**read, 10'000));
  }

  TestClock clock_;
  std::shared_ptr<ArtifactStore> store_ = std::make_shared<InMemoryArtifactStore>(ArtifactBounds{}, clock_);
  std::atomic<int> reads_{0};
  const CallOptions anna_{.principal = {.id = "token:anna"}};
  const CallOptions bert_{.principal = {.id = "token:bert"}};
};

TEST_F(Cached, SecondReadsCostNothing) {
  ResourceCache cache = make();
  EXPECT_EQ(shown(cache.get_or_fetch("file:///a", text("hello"), anna_)), R"({"text":"hello"})");
  EXPECT_EQ(shown(cache.get_or_fetch("file:///a", text("other"), anna_)), R"({"text":"hello"})");
  EXPECT_EQ(reads_, 1);
  EXPECT_EQ(cache.size(), 1U);
}

TEST_F(Cached, TheOneWhoAsksIsPartOfEveryKey) {
  ResourceCache cache = make();
  EXPECT_EQ(shown(cache.get_or_fetch("file:///a", text("of anna"), anna_)), R"({"text":"of anna"})");
  EXPECT_EQ(shown(cache.get_or_fetch("file:///a", text("of bert"), bert_)), R"({"text":"of bert"})");
  EXPECT_EQ(reads_, 2);
  cache.invalidate("file:///a");
  EXPECT_EQ(cache.size(), 0U);
}

TEST_F(Cached, LargeTextAndBinariesAreArtifacts) {
  ResourceCache cache = make();
  const auto large = cache.get_or_fetch("file:///data/large.txt", text(std::string(10'001, 'x')), anna_);
  ASSERT_TRUE(large.ok());
  const auto& artifact = std::get<ArtifactRef>((*large)->items.at(0).body);
  EXPECT_EQ(artifact.filename, "large.txt");
  EXPECT_EQ(store_->read(anna_.principal, artifact.id)->size(), 10'001U);
  const auto binary = cache.get_or_fetch(
      "file:///a.bin",
      [](const std::string& uri, const CallOptions&) -> Result<UpstreamRead> {
        UpstreamRead read;
        read.contents.push_back(
            {.uri = uri, .mime_type = {}, .body = protocol::BlobBody{"\x01\x02"}, .meta = {}});
        return read;
      },
      anna_);
  EXPECT_EQ(std::get<ArtifactRef>((*binary)->items.at(0).body).mime_type, "application/octet-stream");
}

TEST_F(Cached, TextIsMeasuredInCharacters) {
  ResourceCache cache = make({.inline_text_if_under_chars = 3});
  EXPECT_EQ(shown(cache.get_or_fetch("a:1", text("äöü"), anna_)), R"({"text":"äöü"})");
  EXPECT_TRUE(std::holds_alternative<ArtifactRef>(
      (*cache.get_or_fetch("a:2", text("äöüß"), anna_))->items.at(0).body));
}

TEST_F(Cached, AllItemsAreKept) {
  ResourceCache cache = make();
  const auto several = [](const std::string& uri, const CallOptions&) -> Result<UpstreamRead> {
    UpstreamRead read;
    for (const std::string body : {"one", "two"})
      read.contents.push_back(
          {.uri = uri + "/" + body, .mime_type = {}, .body = protocol::TextBody{body}, .meta = {}});
    return read;
  };
  EXPECT_EQ(shown(cache.get_or_fetch("x:y", several, anna_)),
            R"({"items":[{"text":"one","uri":"x:y/one"},{"text":"two","uri":"x:y/two"}]})");
}

TEST_F(Cached, TimesAreKeptAndServersMayShortenThem) {
  ResourceCache cache = make({.ttl_seconds = 60});
  (void)cache.get_or_fetch("a:1", text("x"), anna_);
  (void)cache.get_or_fetch("a:2", text("x", protocol::CacheHint{.ttl = std::chrono::seconds(5)}), anna_);
  (void)cache.get_or_fetch("a:3", text("x", protocol::CacheHint{.ttl = std::chrono::seconds(0)}), anna_);
  (void)cache.get_or_fetch("a:4", text("x", protocol::CacheHint{.ttl = std::chrono::hours(5)}), anna_);
  EXPECT_EQ(reads_, 4);
  (void)cache.get_or_fetch("a:3", text("x"), anna_);
  EXPECT_EQ(reads_, 5) << "what may not be kept is read again";
  clock_.advance(std::chrono::seconds(6));
  (void)cache.get_or_fetch("a:1", text("x"), anna_);
  EXPECT_EQ(reads_, 5);
  (void)cache.get_or_fetch("a:2", text("x"), anna_);
  EXPECT_EQ(reads_, 6);
  clock_.advance(std::chrono::seconds(60));
  (void)cache.get_or_fetch("a:4", text("x"), anna_);
  EXPECT_EQ(reads_, 7) << "a server cannot ask for more than ttl_seconds";
}

TEST_F(Cached, ErrorsAreNot) {
  ResourceCache cache = make();
  const auto fails = [this](const std::string&, const CallOptions&) -> Result<UpstreamRead> {
    ++reads_;
    return unavailable("broken");
  };
  EXPECT_FALSE(cache.get_or_fetch("a:1", fails, anna_).ok());
  EXPECT_FALSE(cache.get_or_fetch("a:1", fails, anna_).ok());
  EXPECT_EQ(reads_, 2);
  EXPECT_TRUE(cache.get_or_fetch("a:1", text("x"), anna_).ok());
}

TEST_F(Cached, EntriesAndBytesAreBounded) {
  ResourceCache few = make({.max_entries = 2});
  for (const std::string uri : {"a:1", "a:2", "a:1", "a:3"}) (void)few.get_or_fetch(uri, text("x"), anna_);
  EXPECT_EQ(few.size(), 2U);
  reads_ = 0;
  (void)few.get_or_fetch("a:1", text("x"), anna_);
  EXPECT_EQ(reads_, 0) << "the one used last stays";
  ResourceCache small = make({.inline_text_if_under_chars = 100'000, .max_bytes = 20'000});
  for (int i = 0; i < 10; ++i)
    (void)small.get_or_fetch("a:" + std::to_string(i), text(std::string(5'000, 'x')), anna_);
  EXPECT_LE(small.size(), 3U);
}

TEST_F(Cached, OneReadServesAllWhoWait) {
  constexpr int kCallers = 32;
  ResourceCache cache = make();
  std::latch all(kCallers);
  const auto slow = [&](const std::string& uri, const CallOptions& options) -> Result<UpstreamRead> {
    all.wait();  // Until everyone has come.
    return text("shared")(uri, options);
  };
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int i = 0; i < kCallers; ++i) {
    threads.emplace_back([&] {
      all.count_down();
      if (shown(cache.get_or_fetch("a:1", slow, anna_)) == R"({"text":"shared"})") ++right;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, kCallers);
  EXPECT_EQ(reads_, 1);
}

TEST_F(Cached, WhatLostItsArtifactIsReadAgain) {
  ResourceCache cache = make({.ttl_seconds = 100'000});
  (void)cache.get_or_fetch("a:1", text(std::string(20'000, 'x')), anna_);
  clock_.advance(std::chrono::hours(2));  // Artifacts are kept for one.
  EXPECT_TRUE(cache.get_or_fetch("a:1", text(std::string(20'000, 'x')), anna_).ok());
  EXPECT_EQ(reads_, 2);
}

TEST_F(Cached, WithoutArtifactsTextIsCut) {
  ResourceCache cache = make({}, false);
  const auto read = cache.get_or_fetch("a:1", text(std::string(20'000, 'x')), anna_);
  const json::Object cut = to_json(**read, 10'000);
  EXPECT_EQ(cut.find("text")->if_string()->size(), 10'000U);
  EXPECT_TRUE(*cut.find("truncated")->if_bool());
}

TEST_F(Cached, EmptyTextIsNoContent) {
  ResourceCache cache = make();
  EXPECT_EQ(shown(cache.get_or_fetch("a:1", text(""), anna_)), R"({"error":"Resource has no content"})");
}

TEST_F(Cached, CanBeOff) {
  ResourceCache cache = make({.enabled = false});
  (void)cache.get_or_fetch("a:1", text("x"), anna_);
  (void)cache.get_or_fetch("a:1", text("x"), anna_);
  EXPECT_EQ(reads_, 2);
  EXPECT_EQ(cache.size(), 0U);
}

TEST_F(Cached, InvalidatesOneOrAll) {
  ResourceCache cache = make();
  (void)cache.get_or_fetch("a:1", text("x"), anna_);
  (void)cache.get_or_fetch("a:12", text("x"), anna_);
  cache.invalidate("a:1");
  EXPECT_EQ(cache.size(), 1U) << "a:12 is another resource";
  EXPECT_EQ(cache.invalidate_all(), 1U);
}

}  // namespace
}  // namespace sluice::gateway
