// What a legacy HTTP session keeps for a client that lost its connection is bounded; the oldest goes first.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recording_exchange.h"
#include "test_client.h"
#include "test_server.h"

namespace sluice::server::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kMegabyte = 1'000'000;

class ReplayTest : public ::testing::Test {
 protected:
  ReplayTest() : client(*server, kLegacyHttp) {
    server.add_tool("count",
                    [](const json::Object& arguments, Context& context) -> Result<protocol::ToolResult> {
                      const std::int64_t steps = *arguments.find("steps")->if_number()->as_int64();
                      for (std::int64_t step = 1; step <= steps; ++step)
                        context.progress({.done = static_cast<double>(step), .total = {}, .message = {}});
                      return protocol::text_result("counted");
                    });
    server.add_tool("log",
                    [](const json::Object& arguments, Context& context) -> Result<protocol::ToolResult> {
                      const std::string text(kMegabyte, 'x');
                      const std::int64_t times = *arguments.find("times")->if_number()->as_int64();
                      for (std::int64_t time = 0; time < times; ++time)
                        context.log(protocol::LogLevel::kError, std::to_string(time), json::Value(text));
                      return protocol::text_result("logged");
                    });
  }

  // Calls a tool to its end, and gives the id of the event that opened its stream.
  std::string run(std::string_view name, std::string_view arguments) {
    const std::string params = json::to_text(json::Object{
        {"name", name}, {"arguments", parse(arguments)}, {"_meta", json::Object{{"progressToken", "t"}}}});
    auto exchange = std::make_shared<RecordingExchange>(
        client.head("tools/call", params), client.request(client.next_id(), "tools/call", params));
    server->receive(exchange);
    EXPECT_TRUE(exchange->final().has_value());
    return exchange->events(1).at(0).event_id;
  }

  std::shared_ptr<RecordingExchange> resume(const std::string& last_event_id) {
    protocol::HttpHead head = client.head("", "{}");
    head.method = "GET";
    head.last_event_id = last_event_id;
    auto exchange = std::make_shared<RecordingExchange>(std::move(head), "");
    server->receive(exchange);
    return exchange;
  }

  // The events of a resumed stream whose answer is over, without the one that primes it.
  static std::vector<protocol::Outbound> missed(RecordingExchange& resumed) {
    resumed.final();
    std::vector<protocol::Outbound> events = resumed.events(0);
    events.erase(events.begin());
    return events;
  }

  TestServer server;
  TestClient client;
};

TEST_F(ReplayTest, BringsTheNewestEventsWhereTheOldestWereDropped) {
  const std::string opening = run("count", R"({"steps":5000})");
  const auto resumed = resume(opening);
  const std::vector<protocol::Outbound> events = missed(*resumed);
  ASSERT_EQ(events.size(), 4095);
  EXPECT_THAT(events.front().message, HasSubstr(R"("progress":906)"));
  EXPECT_THAT(events.back().message, HasSubstr(R"("progress":5000)"));
  EXPECT_THAT(resumed->final()->message, HasSubstr("counted"));
}

TEST_F(ReplayTest, DropsTheOldestEventsWhereTheyAreTooManyBytes) {
  const std::string opening = run("log", R"({"times":10})");
  const auto resumed = resume(opening);
  const std::vector<protocol::Outbound> events = missed(*resumed);
  ASSERT_EQ(events.size(), 8);
  EXPECT_THAT(events.front().message, HasSubstr(R"("logger":"2")"));
  EXPECT_THAT(resumed->final()->message, HasSubstr("logged"));
}

TEST_F(ReplayTest, IsBoundedForAllStreamsOfASessionTogether) {
  const std::string first = run("log", R"({"times":5})");
  const std::string second = run("log", R"({"times":5})");
  const auto older = resume(first);
  EXPECT_EQ(missed(*older).size(), 3);
  EXPECT_THAT(older->final()->message, HasSubstr("logged"));
  EXPECT_EQ(missed(*resume(second)).size(), 5);
}

TEST_F(ReplayTest, OfAStreamOfWhichNothingIsLeftEndsAtOnce) {
  const std::string first = run("count", R"({"steps":3})");
  run("log", R"({"times":10})");
  const auto resumed = resume(first);
  EXPECT_FALSE(resumed->final().has_value());
  EXPECT_EQ(resumed->events(0).size(), 1);
}

TEST_F(ReplayTest, KeepsTheNewestAnswerHoweverLargeItIs) {
  server.add_tool("large", [](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
    context.progress({.done = 1, .total = {}, .message = {}});
    return protocol::text_result(std::string(9 * kMegabyte, 'x'));
  });
  const std::string opening = run("large", "{}");
  EXPECT_GT(resume(opening)->final()->message.size(), 9 * kMegabyte);
}

TEST_F(ReplayTest, OfOneSessionIsNotShortenedByAnother) {
  const std::string opening = run("log", R"({"times":5})");
  TestClient other(*server, kLegacyHttp);
  EXPECT_TRUE(other.call_tool("log", R"({"times":10})").is_result());
  EXPECT_EQ(missed(*resume(opening)).size(), 5);
}

}  // namespace
}  // namespace sluice::server::testing
