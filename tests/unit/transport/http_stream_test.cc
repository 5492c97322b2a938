#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/transport/http_server.h"
#include "sluice/transport/sse.h"

#include "exchange_inbox.h"
#include "tcp_client.h"

namespace sluice::transport {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(HttpStream, CarriesMessagesAsEvents) {
  const auto server = start_server({}, [](const auto& exchange) {
    EXPECT_TRUE(exchange->send({.message = "", .event_id = "s/1", .retry = milliseconds(500)}));
    EXPECT_TRUE(exchange->send({.message = R"({"method":"n"})", .event_id = "s/2"}));
    exchange->finish({.status = 400, .message = R"({"id":1})", .event_id = "s/3", .headers = {{"X", "y"}}});
  });
  TcpClient client = TcpClient::connect(server->port());
  client.send(post("{}"));
  const HttpReply reply = client.read_reply();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("content-type"), "text/event-stream");
  EXPECT_EQ(reply.header("cache-control"), "no-cache, no-transform");
  EXPECT_EQ(reply.header("x-accel-buffering"), "no");
  EXPECT_FALSE(reply.headers.contains("x"));
  EXPECT_EQ(reply.body,
            "id: s/1\nretry: 500\ndata: \n\n"
            "id: s/2\nevent: message\ndata: {\"method\":\"n\"}\n\n"
            "id: s/3\nevent: message\ndata: {\"id\":1}\n\n");
  client.send(get("/healthz"));
  EXPECT_EQ(client.read_reply().status, 200);
}

TEST(HttpStream, DeliversEachMessageAtOnce) {
  ExchangeInbox inbox;
  const auto server = start_server({}, inbox.receiver());
  TcpClient client = TcpClient::connect(server->port());
  client.send(post("{}"));
  const auto exchange = inbox.next();
  for (const std::string message : {"[1]", "[2]", "[3]"}) {
    EXPECT_TRUE(exchange->send({.message = message}));
    EXPECT_THAT(client.read_until("data: " + message + "\n\n"), Not(IsEmpty()));
  }
  exchange->finish({.message = "[4]"});
  EXPECT_THAT(client.read_until("\r\n0\r\n\r\n"), HasSubstr("data: [4]\n\n"));
}

TEST(HttpStream, KeepsTheOrderOfCallsFromOneThread) {
  ExchangeInbox inbox;
  const auto server = start_server({}, inbox.receiver());
  TcpClient client = TcpClient::connect(server->port());
  client.send(post("{}"));
  std::thread sender([exchange = inbox.next()] {
    for (int i = 0; i < 1000; ++i) EXPECT_TRUE(exchange->send({.message = std::to_string(i)}));
    exchange->finish({.message = "1000"});
  });
  SseParser parser;
  std::vector<SseEvent> events;
  EXPECT_TRUE(parser.feed(client.read_reply().body, events).ok());
  sender.join();
  ASSERT_EQ(events.size(), 1001u);
  for (std::size_t i = 0; i < events.size(); ++i) EXPECT_EQ(events[i].data, std::to_string(i));
}

TEST(HttpStream, OpensWithoutAMessage) {
  ExchangeInbox inbox;
  const auto server = start_server({}, inbox.receiver());
  TcpClient client = TcpClient::connect(server->port());
  client.send(get("/mcp", "Accept: text/event-stream\r\n"));
  const auto exchange = inbox.next();
  EXPECT_TRUE(exchange->send({}));
  EXPECT_EQ(client.read_head().status, 200);
  EXPECT_THAT(client.read_until("\n\n"), HasSubstr("\r\n: "));
}

TEST(HttpStream, SendsACommentWhileNothingHappens) {
  ExchangeInbox inbox;
  const auto server = start_server({.keep_alive = milliseconds(20)}, inbox.receiver());
  TcpClient client = TcpClient::connect(server->port());
  client.send(post("{}"));
  const auto exchange = inbox.next();
  EXPECT_TRUE(exchange->send({.message = "[1]"}));
  EXPECT_THAT(client.read_until("data: [1]\n\n"), Not(IsEmpty()));
  EXPECT_THAT(client.read_until(": keep-alive\n\n"), Not(IsEmpty()));
  EXPECT_THAT(client.read_until(": keep-alive\n\n"), Not(IsEmpty()));
  exchange->finish({.message = "[2]"});
  EXPECT_THAT(client.read_until("\r\n0\r\n\r\n"), HasSubstr("data: [2]\n\n"));
}

TEST(HttpStream, EndsWithoutAFinalMessageWhenReleased) {
  ExchangeInbox inbox;
  const auto server = start_server({}, inbox.receiver());
  TcpClient client = TcpClient::connect(server->port());
  client.send(post("{}"));
  auto exchange = inbox.next();
  EXPECT_TRUE(exchange->send({.message = "[1]"}));
  exchange->release();
  EXPECT_FALSE(exchange->send({.message = "[2]"}));
  exchange->finish({.message = "[3]"});
  EXPECT_EQ(client.read_reply().body, "event: message\ndata: [1]\n\n");

  client.send(post("{}"));
  inbox.next()->release();
  const HttpReply empty = client.read_reply();
  EXPECT_EQ(empty.header("content-type"), "text/event-stream");
  EXPECT_THAT(empty.body, IsEmpty());
}

TEST(HttpStream, EndsWhenItsExchangeIsDropped) {
  ExchangeInbox inbox;
  const auto server = start_server({}, inbox.receiver());
  TcpClient client = TcpClient::connect(server->port());
  client.send(post("{}"));
  auto exchange = inbox.next();
  EXPECT_TRUE(exchange->send({.message = "[1]"}));
  exchange.reset();
  EXPECT_EQ(client.read_reply().body, "event: message\ndata: [1]\n\n");
}

TEST(HttpStream, IsNotForcedOnAClientThatWantsJson) {
  ExchangeInbox inbox;
  const auto server = start_server({}, inbox.receiver());
  TcpClient client = TcpClient::connect(server->port());
  client.send(
      "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: "
      "application/json\r\n"
      "Content-Length: 2\r\n\r\n{}");
  const auto exchange = inbox.next();
  EXPECT_FALSE(exchange->inbound().http->accepts_stream);
  EXPECT_FALSE(exchange->send({.message = "[1]"}));
  exchange->finish({.message = "[2]"});
  EXPECT_EQ(client.read_reply().body, "[2]");
}

TEST(HttpStream, IsNotChunkedForHttp10) {
  const auto server = start_server({}, [](const auto& exchange) {
    exchange->send({.message = "[1]"});
    exchange->finish({.message = "[2]"});
  });
  TcpClient client = TcpClient::connect(server->port());
  client.send(
      "POST /mcp HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
      "2\r\n\r\n{}");
  const HttpReply head = client.read_head();
  EXPECT_FALSE(head.headers.contains("transfer-encoding"));
  EXPECT_EQ(head.header("connection"), "close");
  EXPECT_EQ(client.read_all(), "event: message\ndata: [1]\n\nevent: message\ndata: [2]\n\n");
}

TEST(HttpStream, CarriesMessagesLargerThanItsQueue) {
  const std::string large(1'000'000, 'x');
  const auto server = start_server({.stream_queue_bytes_max = 1000}, [&](const auto& exchange) {
    EXPECT_TRUE(exchange->send({.message = large}));
    exchange->finish({.message = large});
  });
  TcpClient client = TcpClient::connect(server->port());
  client.send(post("{}"));
  EXPECT_EQ(client.read_reply().body.size(),
            2 * (large.size() + std::string_view("event: message\ndata: \n\n").size()));
}

TEST(HttpStream, DropsAReaderThatDoesNotRead) {
  ExchangeInbox inbox;
  const auto server = start_server({.stream_queue_bytes_max = 256 * 1024}, inbox.receiver());
  TcpClient client = TcpClient::connect_with_small_buffer(server->port());
  client.send(post("{}"));
  const auto exchange = inbox.next();
  const std::string message(16 * 1024, 'x');
  int sent = 0;
  while (sent < 100'000 && exchange->send({.message = message})) ++sent;
  EXPECT_LT(sent, 100'000);
  EXPECT_TRUE(wait_for_stop(exchange->gone()));
  EXPECT_FALSE(exchange->send({.message = "{}"}));
  exchange->finish({.message = "{}"});
}

TEST(HttpStream, BoundsTheNumberOfMessagesThatWait) {
  ExchangeInbox inbox;
  const auto server = start_server({}, inbox.receiver());
  TcpClient client = TcpClient::connect_with_small_buffer(server->port());
  client.send(post("{}"));
  const auto exchange = inbox.next();
  EXPECT_TRUE(exchange->send({.message = std::string(16'000'000, 'x')}));
  int sent = 0;
  while (sent < 10'000 && exchange->send({.message = "{}"})) ++sent;
  EXPECT_LE(sent, 4096);
  EXPECT_TRUE(wait_for_stop(exchange->gone()));
}

TEST(HttpCancellation, AClosedConnectionEndsAPendingExchange) {
  ExchangeInbox inbox;
  const auto server = start_server({}, inbox.receiver());
  TcpClient client = TcpClient::connect(server->port());
  client.send(post("{}"));
  const auto exchange = inbox.next();
  EXPECT_FALSE(exchange->gone().stop_requested());
  client.close();
  EXPECT_TRUE(wait_for_stop(exchange->gone()));
  EXPECT_FALSE(exchange->send({.message = "{}"}));
  exchange->finish({.message = "{}"});
}

TEST(HttpCancellation, AClosedConnectionEndsAStream) {
  ExchangeInbox inbox;
  const auto server = start_server({}, inbox.receiver());
  TcpClient client = TcpClient::connect(server->port());
  client.send(post("{}"));
  const auto exchange = inbox.next();
  EXPECT_TRUE(exchange->send({.message = "[1]"}));
  EXPECT_THAT(client.read_until("data: [1]\n\n"), Not(IsEmpty()));
  client.close();
  EXPECT_TRUE(wait_for_stop(exchange->gone()));
}

TEST(HttpCancellation, TheEndOfInputCountsAsLeaving) {
  ExchangeInbox inbox;
  const auto server = start_server({}, inbox.receiver());
  TcpClient client = TcpClient::connect(server->port());
  client.send(post("{}"));
  const auto exchange = inbox.next();
  client.shutdown_sending();
  EXPECT_TRUE(wait_for_stop(exchange->gone()));
  EXPECT_THAT(client.read_all(), IsEmpty());
}

TEST(HttpCancellation, IsNoticedBehindAPipelinedRequest) {
  ExchangeInbox inbox;
  const auto server = start_server({}, inbox.receiver());
  TcpClient client = TcpClient::connect(server->port());
  client.send(post("[1]") + post("[2]"));
  const auto exchange = inbox.next();
  client.close();
  EXPECT_TRUE(wait_for_stop(exchange->gone()));
  EXPECT_TRUE(inbox.empty());
}

TEST(HttpCancellation, DoesNotFollowAnAnswer) {
  ExchangeInbox inbox;
  const auto server = start_server({}, inbox.receiver());
  TcpClient client = TcpClient::connect(server->port());
  client.send(post("{}"));
  const auto exchange = inbox.next();
  exchange->finish({.message = "{}"});
  EXPECT_EQ(client.read_reply().status, 200);
  client.close();
  server->stop(milliseconds(0));
  EXPECT_FALSE(exchange->gone().stop_requested());
}

TEST(HttpCancellation, MayAnswerFromItsCallback) {
  ExchangeInbox inbox;
  const auto server = start_server({}, inbox.receiver());
  TcpClient client = TcpClient::connect(server->port());
  client.send(post("{}"));
  const auto exchange = inbox.next();
  const std::stop_callback answer(exchange->gone(), [&] {
    EXPECT_FALSE(exchange->send({.message = "{}"}));
    exchange->finish({.message = "{}"});
  });
  client.close();
  EXPECT_TRUE(wait_for_stop(exchange->gone()));
}

}  // namespace
}  // namespace sluice::transport
