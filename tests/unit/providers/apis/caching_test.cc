// What is kept, for whom and how long.

#include <atomic>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "api_server.h"

namespace sluice::apis::testing {
namespace {

using std::chrono::milliseconds;

TEST(ApiCache, AnswersAreKeptForTheirTime) {
  std::atomic<int> count{0};
  HttpFixture fixture([&](const SeenRequest&, Answer& answer) { answer.text(std::to_string(++count)); });
  ApiServer server(api_at(fixture));
  EXPECT_EQ(server.text("api://v1/status"), "1");
  EXPECT_EQ(server.text("api://v1/status"), "1");
  EXPECT_EQ(server.text("api://v1/user/1"), "2");
  server.clock().advance(milliseconds(59'000));
  const WireMessage kept = server.reply("api://v1/status");
  EXPECT_EQ(kept.text({"result", "contents", 0, "text"}), "1");
  EXPECT_LE(std::stol(kept.text({"result", "ttlMs"})), 1'000);
  server.clock().advance(milliseconds(2'000));
  EXPECT_EQ(server.text("api://v1/status"), "3");
}

TEST(ApiCache, AnAnswerThatHasNotChangedIsNotSentAgain) {
  std::atomic<int> whole{0};
  std::atomic<int> unchanged{0};
  HttpFixture fixture([&](const SeenRequest& request, Answer& answer) {
    if (request.header("if-none-match") == "\"one\"") {
      ++unchanged;
      return answer.reply(304, {{"ETag", "\"one\""}}, "");
    }
    ++whole;
    answer.reply(200, {{"ETag", "\"one\""}, {"Content-Type", "text/plain"}}, "tagged");
  });
  ApiServer server(api_at(fixture));
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(server.text("api://v1/status"), "tagged");
    server.clock().advance(milliseconds(61'000));
  }
  EXPECT_EQ(whole, 1);
  EXPECT_EQ(unchanged, 3);
}

TEST(ApiCache, WhatSaysNotToBeKeptIsNot) {
  std::atomic<int> count{0};
  HttpFixture fixture([&](const SeenRequest&, Answer& answer) {
    answer.reply(200, {{"Cache-Control", "private, No-Store"}, {"ETag", "\"x\""}}, std::to_string(++count));
  });
  ApiServer server(api_at(fixture));
  EXPECT_EQ(server.text("api://v1/status"), "1");
  const WireMessage second = server.reply("api://v1/status");
  EXPECT_EQ(second.text({"result", "contents", 0, "text"}), "2");
  EXPECT_EQ(second.text({"result", "ttlMs"}), "0");
  EXPECT_EQ(fixture.seen().at(1).header("if-none-match"), "");
}

TEST(ApiCache, ATagThatCannotBeSentBackIsNot) {
  HttpFixture fixture([&](const SeenRequest&, Answer& answer) {
    answer.reply(200, {{"ETag", "\"a\x01\rb\""}, {"Content-Type", "text/plain"}}, "tagged");
  });
  ApiServer server(api_at(fixture));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(server.text("api://v1/status"), "tagged");
    server.clock().advance(milliseconds(61'000));
  }
  EXPECT_EQ(fixture.seen().at(1).header("if-none-match"), "");
}

TEST(ApiCache, ErrorsAreNotKept) {
  std::atomic<int> count{0};
  HttpFixture fixture([&](const SeenRequest&, Answer& answer) {
    if (++count == 1) return answer.reply(500, {}, "");
    answer.text("well again");
  });
  ApiServer server(api_at(fixture));
  EXPECT_FALSE(server.reply("api://v1/status").is_result());
  EXPECT_EQ(server.text("api://v1/status"), "well again");
}

TEST(ApiCache, CallersAtTheSameTimeShareOneRequest) {
  std::atomic<int> count{0};
  HttpFixture fixture([&](const SeenRequest&, Answer& answer) {
    answer.gone_within(milliseconds(300));
    answer.text(std::to_string(++count));
  });
  ApiServer server(api_at(fixture));
  std::vector<std::unique_ptr<TestClient::Pending>> calls;
  for (int i = 0; i < 8; ++i)
    calls.push_back(server.client().start("resources/read", R"({"uri":"api://v1/status"})"));
  for (const auto& call : calls) EXPECT_EQ(call->reply().text({"result", "contents", 0, "text"}), "1");
  EXPECT_EQ(fixture.seen().size(), 1U);
}

TEST(ApiCache, WhatOneCallerGotIsNotGivenToAnother) {
  std::atomic<int> count{0};
  HttpFixture fixture([&](const SeenRequest&, Answer& answer) { answer.text(std::to_string(++count)); });
  ApiServer server(api_at(fixture));
  const auto read = [&](const char* principal) {
    const auto client =
        server.connect(server::testing::kModernHttp, {.principal = Principal{.id = principal}});
    return client->call("resources/read", R"({"uri":"api://v1/status"})")
        .text({"result", "contents", 0, "text"});
  };
  EXPECT_EQ(read("token:a"), "1");
  EXPECT_EQ(read("token:b"), "2");
  EXPECT_EQ(read("token:a"), "1");
}

TEST(ApiCache, ACancelledReadGivesItsRequestUp) {
  std::promise<bool> gone;
  HttpFixture fixture([&](const SeenRequest&, Answer& answer) {
    gone.set_value(answer.gone_within(std::chrono::seconds(30)));
    answer.close();
  });
  ApiServer server(api_at(fixture));
  const auto call = server.client().start("resources/read", R"({"uri":"api://v1/status"})");
  ASSERT_TRUE(fixture.saw(1));
  const Monotonic begin = system_clock().now();
  call->cancel();
  EXPECT_TRUE(gone.get_future().get());
  EXPECT_LT(system_clock().now() - begin, std::chrono::seconds(2));
}

}  // namespace
}  // namespace sluice::apis::testing
