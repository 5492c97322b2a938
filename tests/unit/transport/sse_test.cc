#include "sluice/transport/sse.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/sse_encode.h"

namespace sluice::transport {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string encode(const protocol::Outbound& event) {
  std::string out;
  append_sse_event(out, event);
  return out;
}

// "type|data|id" of each event, with the stream given in pieces of `size` bytes.
std::vector<std::string> read(const std::string& stream, std::size_t size = 1'000'000) {
  SseParser parser;
  std::vector<SseEvent> events;
  for (std::size_t at = 0; at < stream.size(); at += size) {
    EXPECT_TRUE(parser.feed(std::string_view(stream).substr(at, size), events).ok());
  }
  std::vector<std::string> out;
  for (const SseEvent& event : events) out.push_back(event.type + "|" + event.data + "|" + event.id);
  return out;
}

TEST(SseEncode, WritesOneDataLineForEachLine) {
  EXPECT_EQ(encode({.message = "{}"}), "event: message\ndata: {}\n\n");
  EXPECT_EQ(encode({.message = "{\r\n\"a\":\n1\r}"}),
            "event: message\ndata: {\ndata: \"a\":\ndata: 1\ndata: }\n\n");
}

TEST(SseEncode, LeavesOutAnIdThatCouldForgeAField) {
  EXPECT_EQ(encode({.message = "{}", .event_id = "1\ndata: evil"}), "event: message\ndata: {}\n\n");
  EXPECT_EQ(encode({.message = "{}", .event_id = std::string("1\0", 2)}), "event: message\ndata: {}\n\n");
}

TEST(SseEncode, PrimesWithAnEmptyDataLine) {
  EXPECT_EQ(encode({.message = "", .event_id = "7", .retry = std::chrono::milliseconds(500)}),
            "id: 7\nretry: 500\ndata: \n\n");
}

TEST(SseParser, ReadsWhatTheServerWrites) {
  EXPECT_THAT(read(encode({.message = "{\n}", .event_id = "1"}) + encode({.message = "[]"})),
              ElementsAre("message|{\n}|1", "message|[]|1"));
}

TEST(SseParser, GivesTheSameEventsForPiecesOfAnySize) {
  const std::string stream =
      "\xef\xbb\xbf: comment\r\nid: 1\r\nevent: a\r\ndata: x\r\ndata:y\r\n\r\n"
      "data\rdata\r\rid\ndata: z\n\n:\n\nevent: none\n\ndata: last\n\ndata: lost";
  const std::vector<std::string> expected = {"a|x\ny|1", "message|\n|1", "message|z|", "message|last|"};
  for (std::size_t size = 1; size <= stream.size(); ++size) EXPECT_EQ(read(stream, size), expected) << size;
}

TEST(SseParser, SkipsOneByteOrderMarkOnly) {
  EXPECT_THAT(read("\xef\xbb\xbf"
                   "data: x\n\n"),
              ElementsAre("message|x|"));
  EXPECT_THAT(read("\xef\xbb\xbf\xef\xbb\xbf"
                   "data: x\n\ndata: y\n\n"),
              ElementsAre("message|y|"));
  EXPECT_THAT(read("\xef\xbb"
                   "data: x\n\ndata: y\n\n"),
              ElementsAre("message|y|"));
}

TEST(SseParser, IgnoresFieldsItDoesNotKnow) {
  EXPECT_THAT(read("Data: x\n data: y\nfoo: z\n\n"), IsEmpty());
  EXPECT_THAT(read("data:  two spaces\n\n"), ElementsAre("message| two spaces|"));
}

TEST(SseParser, ReportsAnEventThatPrimes) {
  SseParser parser;
  std::vector<SseEvent> events;
  EXPECT_TRUE(parser.feed("id: 9\nretry: 1500\ndata:\n\n", events).ok());
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].data, "");
  EXPECT_EQ(parser.last_event_id(), "9");
  EXPECT_EQ(parser.retry(), std::chrono::milliseconds(1500));
}

TEST(SseParser, KeepsTheLastUsableIdAndRetry) {
  SseParser parser;
  std::vector<SseEvent> events;
  const std::string stream = "id: 1\nretry: 10\n\nid: 2" + std::string(1, '\0') +
                             "\nretry: 1x\n\nretry:\nid: " + std::string(5000, 'x') +
                             "\n\nretry: 99999999999999999999\n\nid: 3\n";
  EXPECT_TRUE(parser.feed(stream, events).ok());
  EXPECT_EQ(parser.last_event_id(), "1");
  EXPECT_EQ(parser.retry(), std::chrono::milliseconds(10));
}

TEST(SseParser, BoundsALine) {
  SseParser parser(100);
  std::vector<SseEvent> events;
  EXPECT_TRUE(parser.feed("data: " + std::string(90, 'x'), events).ok());
  EXPECT_EQ(parser.feed("xxxxx", events).error().kind, ErrorKind::kLimitReached);
  EXPECT_FALSE(parser.feed("\n\n", events).ok());
  EXPECT_THAT(events, IsEmpty());
}

TEST(SseParser, BoundsTheDataOfAnEvent) {
  SseParser parser(100);
  std::vector<SseEvent> events;
  Status status;
  int lines = 0;
  for (; lines < 1000 && status.ok(); ++lines) status = parser.feed("data: 1234567890\n", events);
  EXPECT_EQ(status.error().message, "bytes in one event: at most 100");
  EXPECT_LT(lines, 12);
}

TEST(SseParser, BoundsNothingAcrossEvents) {
  SseParser parser(100);
  std::vector<SseEvent> events;
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(parser.feed(": comment\ndata: 1234567890\n\n", events).ok());
  EXPECT_EQ(events.size(), 1000u);
}

}  // namespace
}  // namespace sluice::transport
