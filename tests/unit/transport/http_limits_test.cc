#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/transport/http_server.h"

#include "exchange_inbox.h"
#include "tcp_client.h"

namespace sluice::transport {
namespace {

using std::chrono::milliseconds;
using ::testing::IsEmpty;

constexpr std::string_view kChunkedHead =
    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: "
    "chunked\r\n\r\n";

// Gives one byte at a time, slower than any of the timeouts below allows, until the server answers or leaves.
void drip(TcpClient& client, std::string_view bytes) {
  for (const char byte : bytes) {
    if (client.has_input(milliseconds(20)) || !client.send(std::string_view(&byte, 1))) return;
  }
}

TEST(V10Limits, AHeadThatIsTooLargeIsRefused) {
  const auto server = start_server({}, echo());
  TcpClient one_line = TcpClient::connect(server->port());
  one_line.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(40'000, 'x'));
  EXPECT_EQ(one_line.read_reply().status, 431);
  EXPECT_THAT(one_line.read_all(), IsEmpty());

  TcpClient many_lines = TcpClient::connect(server->port());
  std::string head = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n";
  for (int i = 0; i < 5000; ++i) head += "X-" + std::to_string(i) + ": x\r\n";
  many_lines.send(head + "\r\n");
  EXPECT_EQ(many_lines.read_reply().status, 431);

  TcpClient long_target = TcpClient::connect(server->port());
  long_target.send("GET /" + std::string(40'000, 'x'));
  EXPECT_EQ(long_target.read_reply().status, 431);
}

TEST(V10Limits, AHeadOfTheLargestSizeIsServed) {
  const auto server = start_server({}, echo());
  TcpClient client = TcpClient::connect(server->port());
  client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(32'000, 'x') + "\r\n\r\n");
  EXPECT_EQ(client.read_reply().status, 200);
}

TEST(V10Limits, ADeclaredBodyThatIsTooLargeIsRefusedUnread) {
  ExchangeInbox inbox;
  const auto server = start_server({.message_bytes_max = 1000}, inbox.receiver());
  TcpClient client = TcpClient::connect(server->port());
  const std::string request = post(std::string(1001, 'x'));
  client.send(request.substr(0, request.size() - 1001));
  const HttpReply reply = client.read_reply();
  EXPECT_EQ(reply.status, 413);
  EXPECT_EQ(reply.header("connection"), "close");
  EXPECT_TRUE(inbox.empty());
}

TEST(V10Limits, AChunkedBodyThatIsTooLargeIsRefusedOnTheWay) {
  ExchangeInbox inbox;
  const auto server = start_server({.message_bytes_max = 1000}, inbox.receiver());
  TcpClient client = TcpClient::connect(server->port());
  client.send(kChunkedHead);
  const std::string chunk = "64\r\n" + std::string(100, 'x') + "\r\n";
  for (int i = 0; i < 11; ++i) client.send(chunk);
  EXPECT_EQ(client.read_reply().status, 413);
  EXPECT_TRUE(inbox.empty());
}

TEST(V10Limits, ABodyOfTheLargestSizeIsServed) {
  const std::string body(100'000, 'x');
  const auto server = start_server({.message_bytes_max = body.size()}, echo());
  TcpClient client = TcpClient::connect(server->port());
  client.send(post(body));
  EXPECT_EQ(client.read_reply().body, body);
}

TEST(V10Limits, ARefusalReachesAClientThatIsStillSending) {
  const auto server = start_server({.message_bytes_max = 1000}, echo());
  TcpClient client = TcpClient::connect(server->port());
  client.send(post(std::string(600'000, 'x')));
  EXPECT_EQ(client.read_reply().status, 413);
}

// A body of `bytes` of which all but the last byte is sent.
TcpClient stalled(const HttpServer& server, std::size_t bytes, const std::string& token) {
  TcpClient client = TcpClient::connect(server.port());
  const std::string request = post(std::string(bytes, 'x'), "Authorization: " + token + "\r\n");
  client.send(request.substr(0, request.size() - 1));
  return client;
}

TEST(V10Limits, StalledBodiesOfOneCallerLeaveRoomForOthers) {
  HttpServerOptions options{.message_bytes_max = 100'000};
  options.body_bytes_total_max = 400'000;
  options.admit = admit_by([](const protocol::HttpHead& head) -> Result<Principal> {
    return Principal{.id = head.authorization.value_or("")};
  });
  const auto server = start_server(std::move(options), echo());
  std::vector<TcpClient> held;
  std::size_t refused = 0;
  for (int i = 0; i < 8; ++i) held.push_back(stalled(*server, 90'000, "alice"));
  // 200,000 bytes are the share of one caller; 16 KiB of each body do not count.
  for (TcpClient& client : held) {
    if (!client.has_input(milliseconds(200))) continue;
    const HttpReply reply = client.read_reply();
    EXPECT_EQ(reply.status, 503);
    EXPECT_EQ(reply.header("retry-after"), "1");
    ++refused;
  }
  EXPECT_GE(refused, 5U);
  TcpClient bob = TcpClient::connect(server->port());
  bob.send(post(std::string(90'000, 'y'), "Authorization: bob\r\n"));
  EXPECT_EQ(bob.read_reply().status, 200);
  TcpClient small = TcpClient::connect(server->port());
  small.send(post("{}", "Authorization: alice\r\n"));
  EXPECT_EQ(small.read_reply().status, 200);
}

TEST(V10Limits, AnsweredRequestsHoldNothingOfTheSharedRoom) {
  HttpServerOptions options{.message_bytes_max = 100'000};
  options.body_bytes_total_max = 400'000;
  const auto server = start_server(std::move(options), echo());
  TcpClient client = TcpClient::connect(server->port());
  for (int i = 0; i < 10; ++i) {
    client.send(post(std::string(90'000, 'x')));
    EXPECT_EQ(client.read_reply().status, 200);
  }
}

// Answers of 20 MB, which the buffers of a socket do not hold.
TEST(V10Limits, UnreadAnswersOfOneCallerLeaveRoomForOthers) {
  const std::string large(20'000'000, 'x');
  HttpServerOptions options;
  options.answer_bytes_total_max = 90'000'000;
  options.admit = admit_by([](const protocol::HttpHead& head) -> Result<Principal> {
    return Principal{.id = head.authorization.value_or("")};
  });
  const auto server =
      start_server(std::move(options), [&](const std::shared_ptr<protocol::Exchange>& exchange) {
        exchange->finish({.message = exchange->inbound().body == "{}" ? "{}" : large});
      });
  const auto ask = [&](const std::string& caller, const std::string& body) {
    TcpClient client = TcpClient::connect(server->port());
    client.send(post(body, "Authorization: " + caller + "\r\n"));
    EXPECT_TRUE(client.has_input(milliseconds(10'000)));
    return client;
  };
  TcpClient first = ask("alice", "[]");
  TcpClient second = ask("alice", "[]");
  TcpClient third = ask("alice", "[]");
  EXPECT_EQ(third.read_reply().status, 503);
  EXPECT_EQ(ask("alice", "{}").read_reply().status, 200) << "small answers do not count";
  EXPECT_EQ(ask("bob", "[]").read_reply().body.size(), large.size());
  EXPECT_EQ(first.read_reply().body.size(), large.size());
  EXPECT_EQ(second.read_reply().body.size(), large.size());
  EXPECT_EQ(ask("alice", "[]").read_reply().body.size(), large.size()) << "what was read makes room";
}

TEST(HttpFraming, ConflictsAreRefusedAndEndTheConnection) {
  const auto server = start_server({}, echo());
  const std::string start = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  for (const std::string headers : {
           "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
           "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n",
           "Transfer-Encoding: gzip\r\nContent-Length: 2\r\n",
           "Content-Length: 2\r\nContent-Length: 2\r\n",
           "Content-Length: 2\r\nContent-Length: 3\r\n",
           "Content-Length: 2, 2\r\n",
           "Content-Length: +2\r\n",
           "Content-Length: -1\r\n",
           "Content-Length: 99999999999999999999999\r\n",
           "Transfer-Encoding: gzip, chunked\r\n",
           "Transfer-Encoding: xchunked\r\n",
           "Transfer-Encoding: identity\r\n",
           "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
           "Content-Length : 2\r\n",
       }) {
    TcpClient client = TcpClient::connect(server->port());
    client.send(start + headers + "\r\n{}" + get("/healthz"));
    const HttpReply reply = client.read_reply();
    EXPECT_EQ(reply.status, 400) << headers;
    if (reply.header("connection") == "close") {
      EXPECT_THAT(client.read_all(), IsEmpty()) << headers;
    }
  }
}

TEST(HttpFraming, WhatIsNotHttpIsRefused) {
  const auto server = start_server({}, echo());
  for (const std::string bytes :
       {"\x16\x03\x01\x02\x01\x01\x01", "hello\r\n\r\n", "GET / HTTP/2.0\r\n\r\n", "GET /\r\n\r\n"}) {
    TcpClient client = TcpClient::connect(server->port());
    client.send(bytes);
    client.send("\r\n\r\n");
    EXPECT_EQ(client.read_reply().status, 400) << bytes;
    EXPECT_THAT(client.read_all(), IsEmpty());
  }
}

TEST(HttpFraming, AChunkThatLiesIsRefused) {
  const auto server = start_server({}, echo());
  for (const std::string chunk : {"zz\r\n", "2\r\n{}xx", "-1\r\n", "ffffffffffffffffff\r\n"}) {
    TcpClient client = TcpClient::connect(server->port());
    client.send(std::string(kChunkedHead) + chunk + "\r\n\r\n");
    const int status = client.read_reply().status;
    EXPECT_TRUE(status == 400 || status == 413) << chunk << " " << status;
  }
}

TEST(HttpFraming, OnlyPostTakesABody) {
  const auto server = start_server({}, echo());
  TcpClient client = TcpClient::connect(server->port());
  client.send("DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}");
  EXPECT_EQ(client.read_reply().status, 400);
}

TEST(HttpTimeouts, ASlowHeadIsRefused) {
  const auto server = start_server({.header_timeout = milliseconds(100)}, echo());
  TcpClient client = TcpClient::connect(server->port());
  drip(client, "GET /healthz HTTP/1.1\r\nX: " + std::string(1000, 'x'));
  EXPECT_EQ(client.read_reply().status, 408);
  EXPECT_THAT(client.read_all(), IsEmpty());
}

TEST(HttpTimeouts, ASlowBodyIsRefused) {
  const auto server = start_server({.body_timeout = milliseconds(100)}, echo());
  TcpClient client = TcpClient::connect(server->port());
  const std::string body(1000, 'x');
  const std::string request = post(body);
  client.send(request.substr(0, request.size() - body.size()));
  drip(client, body);
  EXPECT_EQ(client.read_reply().status, 408);

  TcpClient chunked = TcpClient::connect(server->port());
  chunked.send(kChunkedHead);
  drip(chunked, "3e8\r\n" + body);
  EXPECT_EQ(chunked.read_reply().status, 408);
}

TEST(HttpTimeouts, AnIdleConnectionIsClosed) {
  const auto server = start_server({.idle_timeout = milliseconds(400)}, echo());
  TcpClient silent = TcpClient::connect(server->port());
  EXPECT_THAT(silent.read_all(), IsEmpty());
  TcpClient used = TcpClient::connect(server->port());
  used.send(post("{}"));
  EXPECT_EQ(used.read_reply().status, 200);
  EXPECT_THAT(used.read_all(), IsEmpty());
}

TEST(HttpTimeouts, DoNotApplyToAPendingAnswer) {
  ExchangeInbox inbox;
  const auto server = start_server({.header_timeout = milliseconds(300),
                                    .body_timeout = milliseconds(300),
                                    .idle_timeout = milliseconds(300),
                                    .write_timeout = milliseconds(300),
                                    .keep_alive = milliseconds(300)},
                                   inbox.receiver());
  TcpClient client = TcpClient::connect(server->port());
  client.send(post("{}"));
  const auto exchange = inbox.next();
  EXPECT_TRUE(client.is_quiet(milliseconds(700)));
  EXPECT_FALSE(exchange->gone().stop_requested());
  exchange->finish({.message = "{}"});
  EXPECT_EQ(client.read_reply().status, 200);
}

TEST(HttpTimeouts, AReaderThatTakesNothingIsDropped) {
  ExchangeInbox inbox;
  const auto server = start_server({.write_timeout = milliseconds(100)}, inbox.receiver());
  TcpClient client = TcpClient::connect_with_small_buffer(server->port());
  client.send(post("{}"));
  const auto exchange = inbox.next();
  EXPECT_TRUE(exchange->send({.message = std::string(32'000'000, 'x')}));
  EXPECT_TRUE(wait_for_stop(exchange->gone()));
  EXPECT_FALSE(exchange->send({.message = "{}"}));
}

}  // namespace
}  // namespace sluice::transport
