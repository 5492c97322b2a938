#include "sluice/fetch/retry.h"

#include <deque>
#include <string>

#include <gmock/gmock.h>

#include "fake_time.h"

namespace sluice::fetch::testing {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;

Response answer(int status, const Headers& headers = {}) {
  return {.head = {.status = status, .headers = headers, .url = {}}, .body = {}};
}

// Sends what was prepared, in order, then 200.
class Retry : public ::testing::Test {
 protected:
  Result<Response> send(const Request& request, const RetryRules& rules = {}) {
    return send_with_retries(
        [this](const Request&) -> Result<Response> {
          ++sent_;
          if (outcomes_.empty()) return answer(200);
          Result<Response> next = outcomes_.front();
          outcomes_.pop_front();
          return next;
        },
        request, rules, {.clock = time_, .pause = time_, .random = [this] { return random_; }});
  }
  std::deque<Result<Response>> outcomes_;
  FakeTime time_;
  double random_ = 0;
  int sent_ = 0;
};

TEST_F(Retry, TriesAgainWithDoubledDelays) {
  outcomes_ = {answer(503), unavailable("reset"), answer(502)};
  EXPECT_EQ(send({}, {.attempts_max = 5}).value().head.status, 200);
  EXPECT_THAT(time_.waits, ElementsAre(milliseconds(250), milliseconds(500), milliseconds(1'000)));
}

TEST_F(Retry, GivesUpWithTheLastOutcome) {
  outcomes_ = {answer(503), answer(504), answer(429), answer(200)};
  EXPECT_EQ(send({}).value().head.status, 429);
  EXPECT_EQ(sent_, 3);
}

TEST_F(Retry, JitterTakesUpToHalfAway) {
  random_ = 0.5;
  outcomes_ = {answer(503)};
  EXPECT_TRUE(send({}).ok());
  EXPECT_THAT(time_.waits, ElementsAre(milliseconds(188)));
}

TEST_F(Retry, DelaysAreBounded) {
  for (int i = 0; i < 9; ++i) outcomes_.push_back(answer(503));
  EXPECT_TRUE(send({}, {.attempts_max = 10}).ok());
  EXPECT_EQ(time_.waits.back(), milliseconds(5'000));
}

TEST_F(Retry, OnlyWhatMayBeDoneTwiceIs) {
  for (const std::string method : {"POST", "PATCH"}) {
    outcomes_ = {answer(503)};
    Request request;
    request.method = method;
    EXPECT_EQ(send(request).value().head.status, 503) << method;
  }
  EXPECT_EQ(sent_, 2);
}

TEST_F(Retry, WhatTryingAgainCannotHelpIsGivenUp) {
  for (const Error& error :
       {forbidden("address"), cancelled(), internal_error("tls"), limit_reached("bytes", 1)}) {
    outcomes_ = {error};
    EXPECT_FALSE(send({}).ok());
  }
  outcomes_ = {answer(500)};
  EXPECT_EQ(send({}).value().head.status, 500);
  EXPECT_TRUE(time_.waits.empty());
}

TEST_F(Retry, ObeysRetryAfterInSecondsAndAsDate) {
  outcomes_ = {answer(503, {{"Retry-After", "7"}})};
  EXPECT_TRUE(send({}).ok());
  EXPECT_EQ(time_.waits.back(), milliseconds(7'000));
  // The wall stands at 2023-11-14T22:13:20Z and a little.
  outcomes_ = {answer(429, {{"Retry-After", "Tue, 14 Nov 2023 22:30:27 GMT"}})};
  EXPECT_TRUE(send({}).ok());
  EXPECT_EQ(time_.waits.back(), milliseconds(20'000));
}

TEST_F(Retry, DoesNotObeyARetryAfterThatIsTooLong) {
  outcomes_ = {answer(503, {{"Retry-After", "3600"}})};
  EXPECT_EQ(send({}).value().head.status, 503);
  EXPECT_EQ(sent_, 1);
}

TEST_F(Retry, ReadsOddRetryAfters) {
  const auto parsed = [&](const std::string& value) {
    return retry_after({{"Retry-After", value}}, time_.wall());
  };
  EXPECT_EQ(parsed("0"), milliseconds(0));
  EXPECT_FALSE(parsed("-5"));
  EXPECT_FALSE(parsed("soon"));
  EXPECT_FALSE(parsed(""));
  EXPECT_EQ(parsed("Mon, 01 Jan 1990 00:00:00 GMT"), milliseconds(0));
  EXPECT_LE(parsed("999999999999"), std::chrono::hours(24 * 366));
  EXPECT_FALSE(parsed("99999999999999999999999"));
}

TEST_F(Retry, NeitherWaitsBeyondTheDeadlineNorWhenStopped) {
  outcomes_ = {answer(503)};
  Request request;
  request.deadline = time_.now() + milliseconds(100);
  EXPECT_EQ(send(request).value().head.status, 503);
  EXPECT_TRUE(time_.waits.empty());
  std::stop_source source;
  source.request_stop();
  Request stopped;
  stopped.stop = source.get_token();
  outcomes_ = {answer(503)};
  EXPECT_EQ(send(stopped).error().kind, ErrorKind::kCancelled);
}

}  // namespace
}  // namespace sluice::fetch::testing
