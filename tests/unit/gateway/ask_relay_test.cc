// Calls that wait for an answer while their caller is away.

#include "ask_relay.h"

#include <gmock/gmock.h>

namespace sluice::gateway {
namespace {

const AskRelay::Terms kTerms{.waits = true, .time_max = std::chrono::seconds(20)};

protocol::Question question() {
  return {.key = "q",
          .body = protocol::ElicitForm{.message = "?", .schema = json::Object{{"type", "object"}}}};
}

// What a call of a test does: asks once, and keeps the answer.
AskRelay::Work asking(const std::shared_ptr<std::string>& outcome) {
  return [outcome](const CallOptions& options) {
    const Result<catalog::Answers> answers = options.ask({question()});
    *outcome = answers.ok() ? "answered" : answers.error().code;
  };
}

CallOptions away(std::string& key) {
  CallOptions options;
  options.ask = [&key](std::vector<protocol::Question> questions) -> Result<catalog::Answers> {
    key = questions.front().key;
    return make_error(ErrorKind::kInputRequired, "later");
  };
  return options;
}

CallOptions back(const std::string& key) {
  CallOptions options;
  options.is_retry = true;
  options.ask = [key](std::vector<protocol::Question> questions) -> Result<catalog::Answers> {
    if (questions.front().key != key) return make_error(ErrorKind::kInputRequired, "later");
    catalog::Answers answers;
    answers.emplace(key, protocol::ElicitAnswer{});
    return answers;
  };
  return options;
}

TEST(AskRelay, ARetryFindsItsOwnCall) {
  AskRelay relay;
  std::string first_key;
  std::string second_key;
  const auto first = std::make_shared<std::string>();
  const auto second = std::make_shared<std::string>();
  EXPECT_EQ(relay.run("same", away(first_key), kTerms, asking(first), first).error().kind,
            ErrorKind::kInputRequired);
  EXPECT_EQ(relay.run("same", away(second_key), kTerms, asking(second), second).error().kind,
            ErrorKind::kInputRequired);
  EXPECT_NE(first_key, second_key);
  EXPECT_EQ(relay.size(), 2U);
  const auto unused = std::make_shared<std::string>();
  const auto outcome = relay.run("same", back(second_key), kTerms, asking(unused), unused);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->get(), second.get());
  EXPECT_EQ(*second, "answered");
  EXPECT_EQ(*first, "");
}

TEST(AskRelay, AnotherCallersRetryFindsNothing) {
  AskRelay relay;
  std::string key;
  const auto first = std::make_shared<std::string>();
  EXPECT_FALSE(relay.run("anna", away(key), kTerms, asking(first), first).ok());
  const auto mine = std::make_shared<std::string>();
  std::string other;
  CallOptions bert = away(other);
  bert.is_retry = true;
  EXPECT_FALSE(relay.run("bert", bert, kTerms, asking(mine), mine).ok());
  EXPECT_NE(other, key);
  EXPECT_EQ(*first, "");
}

TEST(AskRelay, EndsWhatWaitsWhenItGoes) {
  const auto outcome = std::make_shared<std::string>();
  {
    AskRelay relay;
    std::string key;
    EXPECT_FALSE(relay.run("a", away(key), kTerms, asking(outcome), outcome).ok());
  }
  EXPECT_EQ(*outcome, "cancelled");
}

TEST(AskRelay, ACallerWhoLeavesEndsTheCall) {
  AskRelay relay;
  std::stop_source stop;
  stop.request_stop();
  CallOptions options;
  options.stop = stop.get_token();
  options.ask = [](std::vector<protocol::Question>) -> Result<catalog::Answers> { return cancelled(); };
  const auto outcome = std::make_shared<std::string>();
  EXPECT_EQ(relay.run("a", options, kTerms, asking(outcome), outcome).error().kind, ErrorKind::kCancelled);
}

}  // namespace
}  // namespace sluice::gateway
