#include "http/http_head.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/request_parser.h"

namespace sluice::transport {
namespace {

struct Accepts {
  bool json;
  bool stream;
  friend bool operator==(const Accepts&, const Accepts&) = default;
};

Accepts accepts(const std::string& value) {
  AcceptedTypes types;
  types.add(value);
  return {types.json(), types.stream()};
}

TEST(AcceptedTypes, IsEverythingWithoutAHeader) {
  EXPECT_TRUE(AcceptedTypes().json());
  EXPECT_TRUE(AcceptedTypes().stream());
}

TEST(AcceptedTypes, FollowsTheMostSpecificRange) {
  EXPECT_EQ(accepts("application/json, text/event-stream"), (Accepts{true, true}));
  EXPECT_EQ(accepts("Application/JSON;q=0.5"), (Accepts{true, false}));
  EXPECT_EQ(accepts("text/event-stream"), (Accepts{false, true}));
  EXPECT_EQ(accepts("*/*"), (Accepts{true, true}));
  EXPECT_EQ(accepts("application/*"), (Accepts{true, false}));
  EXPECT_EQ(accepts("text/*;q=0.1"), (Accepts{false, true}));
  EXPECT_EQ(accepts("text/event-stream;q=0, */*"), (Accepts{true, false}));
  EXPECT_EQ(accepts("*/*, text/event-stream ; q=0.000"), (Accepts{true, false}));
  EXPECT_EQ(accepts("text/html;x=\"application/json,\", image/png"), (Accepts{false, false}));
  EXPECT_EQ(accepts(""), (Accepts{false, false}));
  EXPECT_EQ(accepts(",,;,\"\\"), (Accepts{false, false}));
}

TEST(ContentType, IsJsonInUtf8) {
  for (const std::string value :
       {"application/json", "Application/Json ;charset=utf-8", "application/json; charset=\"UTF-8\"",
        "application/json; profile=\"a;b\""}) {
    EXPECT_TRUE(is_json_content_type(value)) << value;
  }
  for (const std::string value : {"", "text/json", "application/jsonx", "application/json; charset=utf-16",
                                  "application/json-seq", "application/x-www-form-urlencoded"}) {
    EXPECT_FALSE(is_json_content_type(value)) << value;
  }
}

TEST(RequestHead, CallsASecondDecisiveHeaderAProblem) {
  for (const std::string name :
       {"Host", "Content-Length", "Transfer-Encoding", "Authorization", "Origin", "Mcp-Method", "Mcp-Name",
        "Mcp-Session-Id", "MCP-Protocol-Version", "Mcp-Param-A", "Last-Event-ID"}) {
    RequestHead head;
    head.add_field(name, "a");
    EXPECT_TRUE(head.problem.empty()) << name;
    head.add_field(name, "a");
    EXPECT_FALSE(head.problem.empty()) << name;
  }
}

TEST(RequestHead, BoundsTheNumberOfParameters) {
  RequestHead head;
  for (int i = 0; i < 64; ++i) head.add_field("Mcp-Param-" + std::to_string(i), "x");
  EXPECT_TRUE(head.problem.empty());
  head.add_field("Mcp-Param-64", "x");
  EXPECT_EQ(head.problem, "There are too many Mcp-Param headers");
}

// The whole request, given in pieces of `size` bytes.
std::string parse_in_pieces(const std::string& request, std::size_t size) {
  RequestParser parser(1000);
  std::string waiting;
  for (std::size_t at = 0; at < request.size() && !parser.failed(); at += size) {
    waiting.append(request, at, size);
    if (!parser.head_done()) waiting.erase(0, parser.put_head(waiting));
    if (parser.head_done() && !parser.done() && !waiting.empty()) waiting.erase(0, parser.put_body(waiting));
  }
  return parser.done() ? *parser.head().host + "|" + parser.body() : "unfinished";
}

TEST(RequestParser, TakesPiecesOfAnySize) {
  const std::string plain = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello";
  const std::string chunked =
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n";
  for (std::size_t size = 1; size <= plain.size(); ++size)
    EXPECT_EQ(parse_in_pieces(plain, size), "h|hello") << size;
  for (std::size_t size = 1; size <= chunked.size(); ++size)
    EXPECT_EQ(parse_in_pieces(chunked, size), "h|hello") << size;
}

TEST(RequestParser, BoundsAHeadThatArrivesLineByLine) {
  RequestParser parser(1000);
  std::string waiting = "POST / HTTP/1.1\r\n";
  std::size_t given = 0;
  for (; !parser.failed() && given < 1'000'000; given += 1000) {
    waiting.append("X: ").append(995, 'x').append("\r\n");
    waiting.erase(0, parser.put_head(waiting));
  }
  EXPECT_EQ(parser.status(), 431);
  EXPECT_LE(given, 34'000u);
}

TEST(RequestParser, BoundsAChunkedBody) {
  RequestParser parser(10);
  parser.put_head("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
  parser.put_body("8\r\n12345678\r\n");
  EXPECT_FALSE(parser.failed());
  parser.put_body("\r\n3\r\n");
  EXPECT_EQ(parser.status(), 413);
}

TEST(RequestParser, BoundsTheExtensionsOfAChunk) {
  RequestParser parser(10);
  parser.put_head("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
  parser.put_body("1;" + std::string(65'534, 'x'));
  EXPECT_EQ(parser.status(), 400);
}

}  // namespace
}  // namespace sluice::transport
