// Who hears of what changes at an API.

#include <atomic>
#include <mutex>
#include <string>

#include <gmock/gmock.h>

#include "api_server.h"

namespace sluice::apis::testing {
namespace {

using std::chrono::milliseconds;

// An API with a state that tests change, with or without a tag.
class ApiChanges : public ::testing::Test {
 protected:
  ApiSpec api() const {
    ApiSpec api = api_at(fixture_);
    api.poll = milliseconds(20);
    return api;
  }
  void set(int status, const std::string& body) {
    const std::lock_guard lock(mutex_);
    status_ = status;
    body_ = body;
  }
  static void subscribe(TestClient& client, const std::string& uri) {
    const WireMessage reply = client.call("resources/subscribe", json::to_text(json::Object{{"uri", uri}}));
    EXPECT_TRUE(reply.is_result()) << reply.error();
  }
  static std::string next(TestClient& client) {
    const WireMessage message = client.next();
    EXPECT_EQ(message.method(), "notifications/resources/updated");
    return message.text({"params", "uri"});
  }
  // Waits for so many requests beyond those that there were: what stands now has been seen.
  void wait_for_polls(std::size_t count) { EXPECT_TRUE(fixture_.saw(fixture_.seen().size() + count)); }

  std::mutex mutex_;
  int status_ = 200;
  std::string body_ = "one";
  std::atomic<bool> has_tags_{true};
  std::atomic<int> unchanged_{0};
  HttpFixture fixture_{[this](const SeenRequest& request, Answer& answer) {
    const std::lock_guard lock(mutex_);
    const std::string tag = "\"" + body_ + "\"";
    if (has_tags_ && status_ == 200 && request.header("if-none-match") == tag) {
      ++unchanged_;
      return answer.reply(304, {}, "");
    }
    std::map<std::string, std::string> headers{{"Content-Type", "text/plain"}};
    if (has_tags_) headers["ETag"] = tag;
    answer.reply(status_, headers, body_);
  }};
};

TEST_F(ApiChanges, AreSeenByTheTag) {
  ApiServer server(api());
  const auto client = server.connect(server::testing::kLegacyPipe);
  subscribe(*client, "api://v1/status");
  wait_for_polls(3);
  EXPECT_GT(unchanged_, 0);
  set(200, "two");
  EXPECT_EQ(next(*client), "api://v1/status");
  EXPECT_EQ(server.text("api://v1/status"), "two");
}

TEST_F(ApiChanges, AreSeenByTheBodyWhereThereIsNoTag) {
  has_tags_ = false;
  ApiServer server(api());
  const auto client = server.connect(server::testing::kLegacyPipe);
  subscribe(*client, "api://v1/user/7?verbose=no");
  wait_for_polls(3);
  EXPECT_TRUE(client->is_quiet());
  set(200, "two");
  EXPECT_EQ(next(*client), "api://v1/user/7?verbose=no");
}

TEST_F(ApiChanges, ComingAndGoingAreChangesAndFailuresAreNot) {
  ApiServer server(api());
  const auto client = server.connect(server::testing::kLegacyPipe);
  subscribe(*client, "api://v1/status");
  wait_for_polls(2);
  set(503, "down");
  wait_for_polls(3);
  set(200, "one");  // As it was.
  wait_for_polls(3);
  EXPECT_TRUE(client->is_quiet());
  set(404, "");
  EXPECT_EQ(next(*client), "api://v1/status");
  set(200, "one");
  EXPECT_EQ(next(*client), "api://v1/status");
}

TEST_F(ApiChanges, ReadsSeeWhatWasTold) {
  ApiServer server(api());
  EXPECT_EQ(server.text("api://v1/status"), "one");  // Kept for a minute,
  const auto client = server.connect(server::testing::kLegacyPipe);
  subscribe(*client, "api://v1/status");
  wait_for_polls(2);
  set(200, "two");
  EXPECT_EQ(next(*client), "api://v1/status");
  EXPECT_EQ(server.text("api://v1/status"), "two");  // unless it is known to have changed.
}

TEST_F(ApiChanges, NobodyIsAskedWhenNobodyListens) {
  ApiServer server(api());
  const auto client = server.connect(server::testing::kLegacyPipe);
  subscribe(*client, "api://v1/status");
  wait_for_polls(2);
  EXPECT_TRUE(client->call("resources/unsubscribe", R"({"uri":"api://v1/status"})").is_result());
  subscribe(*client, "api://v1/items");
  wait_for_polls(3);
  const auto seen = fixture_.seen();
  for (std::size_t i = seen.size() - 2; i < seen.size(); ++i)
    EXPECT_THAT(seen[i].target, ::testing::StartsWith("/v1/items"));
}

TEST_F(ApiChanges, WhatNamesNothingIsNotAskedFor) {
  ApiServer server(api());
  const auto client = server.connect(server::testing::kLegacyPipe);
  for (const std::string uri :
       {"api://v1/none", "api://v1/user/..", "api://other/status", "api://v1/user/%2e%2e%2fadmin"})
    client->call("resources/subscribe", json::to_text(json::Object{{"uri", uri}}));
  subscribe(*client, "api://v1/status");
  wait_for_polls(3);
  for (const SeenRequest& seen : fixture_.seen()) EXPECT_EQ(seen.target, "/v1/status");
}

TEST_F(ApiChanges, ASubscriptionThatCannotBeObeyedIsRefused) {
  ApiServer server(api());
  const auto client = server.connect(server::testing::kLegacyPipe);
  const auto subscribe_to = [&](const std::string& uri) {
    return client->call("resources/subscribe", json::to_text(json::Object{{"uri", uri}}));
  };
  for (int i = 0; i < 256; ++i) subscribe(*client, "api://v1/user/" + std::to_string(i));
  const WireMessage refused = subscribe_to("api://v1/user/256");
  EXPECT_FALSE(refused.is_result());
  EXPECT_EQ(refused.text({"error", "data", "code"}), "too_many_subscriptions");
  EXPECT_THAT(refused.text({"error", "data", "hint"}), ::testing::HasSubstr("Unsubscribe"));
  // Others may hear of what is watched anyway, and a place that becomes free is given again.
  const auto other = server.connect(server::testing::kLegacyPipe);
  subscribe(*other, "api://v1/user/7");
  client->call("resources/unsubscribe", R"({"uri":"api://v1/user/0"})");
  EXPECT_TRUE(subscribe_to("api://v1/user/256").is_result());
  EXPECT_EQ(subscribe_to("api://v1/none").text({"error", "data", "code"}), "resource_not_found");
  // A modern client sees in the acknowledgement what it will not hear of.
  const auto stream = server.client().start(
      "subscriptions/listen",
      R"({"notifications":{"resourceSubscriptions":["api://v1/user/0","api://v1/user/1"]}})");
  const WireMessage acknowledged = stream->next();
  EXPECT_EQ(json::to_text(acknowledged.at({"params", "notifications", "resourceSubscriptions"})),
            R"(["api://v1/user/1"])");
}

TEST_F(ApiChanges, AreStreamedToModernClients) {
  ApiServer server(api());
  const auto stream = server.client().start(
      "subscriptions/listen", R"({"notifications":{"resourceSubscriptions":["api://v1/status"]}})");
  EXPECT_EQ(stream->next().method(), "notifications/subscriptions/acknowledged");
  wait_for_polls(2);
  set(200, "two");
  EXPECT_EQ(stream->next().text({"params", "uri"}), "api://v1/status");
}

}  // namespace
}  // namespace sluice::apis::testing
