#include "sluice/guard/key_source.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/base/background_thread.h"

#include "signed_tokens.h"
#include "temp_folder.h"

namespace sluice::guard {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

// A clock that only a test moves.
class MovedClock final : public Clock {
 public:
  Monotonic now() const override { return Monotonic(seconds(1'000'000) + seconds(moved_)); }
  WallTime wall() const override { return test_time() + seconds(moved_); }
  void move(seconds by) { moved_ += by.count(); }

 private:
  std::atomic<std::int64_t> moved_{0};
};

// An issuer whose keys are in a file, and the thread that loads them.
class Keys {
 public:
  Keys() {
    publish("first", one_);
    IssuerSpec spec = test_issuer();
    spec.jwks_file = folder_.at("keys.json").string();
    source_ = std::make_shared<KeySource>("corp", IssuerClient::create(spec, clock_).value(), clock_);
    // Asked before the thread runs, so that this is answered by the first load and asks for no second one.
    std::promise<KeySource::Outcome> first;
    source_->want_newer([&](KeySource::Outcome outcome) { first.set_value(outcome); });
    thread_ =
        BackgroundThread("keys", [source = source_](const std::stop_token& stop) { source->run(stop); });
    EXPECT_EQ(first.get_future().get(), KeySource::Outcome::kLoaded);
  }

  void publish(std::string_view id, const crypto::SigningKey& key) {
    folder_.write("next.json", "{\"keys\":[" + published(key, id) + "]}");
    std::filesystem::rename(folder_.at("next.json"), folder_.at("keys.json"));
  }
  void lose() { std::filesystem::remove(folder_.at("keys.json")); }
  KeySource::Outcome want_newer() {
    std::promise<KeySource::Outcome> answer;
    source_->want_newer([&](KeySource::Outcome outcome) { answer.set_value(outcome); });
    return answer.get_future().get();
  }
  bool has(const std::string& id) const {
    const auto keys = source_->loaded().keys;
    return keys != nullptr && keys->find(id, crypto::JwsAlgorithm::kEs256).key != nullptr;
  }
  std::shared_ptr<std::atomic<bool>> removed(const std::string& id) const {
    return source_->loaded().keys->find(id, crypto::JwsAlgorithm::kEs256).key->removed;
  }

  MovedClock clock_;
  crypto::SigningKey one_ = crypto::SigningKey::generate_es256();
  crypto::SigningKey two_ = crypto::SigningKey::generate_es256();
  std::shared_ptr<KeySource> source_;
  BackgroundThread thread_;

 private:
  fs::TempFolder folder_;
};

TEST(KeySource, LoadsForAnUnknownKeyOnceInHalfAMinute) {
  Keys keys;
  EXPECT_TRUE(keys.has("first"));
  keys.publish("second", keys.two_);
  EXPECT_EQ(keys.want_newer(), KeySource::Outcome::kLoaded);
  EXPECT_TRUE(keys.has("second"));
  keys.publish("third", keys.two_);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(keys.want_newer(), KeySource::Outcome::kLoaded);
  EXPECT_FALSE(keys.has("third"));
  keys.clock_.move(seconds(29));
  EXPECT_EQ(keys.want_newer(), KeySource::Outcome::kLoaded);
  EXPECT_FALSE(keys.has("third"));
  keys.clock_.move(seconds(1));
  EXPECT_EQ(keys.want_newer(), KeySource::Outcome::kLoaded);
  EXPECT_TRUE(keys.has("third"));
}

TEST(KeySource, EndsWhatWasVerifiedByAKeyThatIsGone) {
  Keys keys;
  const auto removed = keys.removed("first");
  keys.want_newer();
  EXPECT_FALSE(*removed);  // Loaded again, and the same.
  keys.publish("second", keys.two_);
  keys.clock_.move(seconds(30));
  keys.want_newer();
  EXPECT_TRUE(*removed);
  EXPECT_FALSE(keys.has("first"));
}

TEST(KeySource, EndsWhatWasVerifiedByAKeyThatAnotherReplacesUnderItsId) {
  Keys keys;
  const auto removed = keys.removed("first");
  keys.publish("first", keys.two_);
  keys.want_newer();
  EXPECT_TRUE(*removed);
  EXPECT_TRUE(keys.has("first"));
}

TEST(KeySource, KeepsKeysForADayIfTheyCannotBeLoadedAgain) {
  Keys keys;
  const auto removed = keys.removed("first");
  keys.lose();
  EXPECT_EQ(keys.want_newer(), KeySource::Outcome::kFailed);
  EXPECT_EQ(keys.want_newer(), KeySource::Outcome::kFailed);
  EXPECT_TRUE(keys.has("first"));
  keys.clock_.move(hours(23));
  EXPECT_EQ(keys.want_newer(), KeySource::Outcome::kFailed);
  EXPECT_TRUE(keys.has("first"));
  keys.clock_.move(hours(2));
  EXPECT_EQ(keys.want_newer(), KeySource::Outcome::kFailed);
  EXPECT_FALSE(keys.has("first"));
  EXPECT_TRUE(*removed);
  keys.publish("first", keys.one_);
  keys.clock_.move(seconds(60));
  EXPECT_EQ(keys.want_newer(), KeySource::Outcome::kLoaded);
  EXPECT_TRUE(keys.has("first"));
}

TEST(KeySource, AnswersWhoWaitsWhenItEnds) {
  MovedClock clock;
  IssuerSpec spec = test_issuer();
  spec.jwks_file = "/nowhere/keys.json";
  KeySource source("corp", IssuerClient::create(spec, clock).value(), clock);
  std::vector<KeySource::Outcome> answers;
  source.want_newer([&](KeySource::Outcome outcome) { answers.push_back(outcome); });
  EXPECT_TRUE(answers.empty());
  std::stop_source stop;
  stop.request_stop();
  source.run(stop.get_token());
  source.want_newer([&](KeySource::Outcome outcome) { answers.push_back(outcome); });
  EXPECT_THAT(answers, ::testing::ElementsAre(KeySource::Outcome::kFailed, KeySource::Outcome::kFailed));
}

}  // namespace
}  // namespace sluice::guard
