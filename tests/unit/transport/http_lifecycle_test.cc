#include <sys/resource.h>

#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/transport/http_server.h"

#include "exchange_inbox.h"
#include "tcp_client.h"

namespace sluice::transport {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(HttpStart, FailsOnAnAddressThatIsTaken) {
  const auto server = start_server({}, echo());
  const auto second = HttpServer::start({.port = server->port()}, echo());
  EXPECT_EQ(second.error().kind, ErrorKind::kUnavailable);
  EXPECT_THAT(second.error().message, StartsWith("listen for HTTP ("));
  EXPECT_THAT(second.error().message, HasSubstr("127.0.0.1:" + std::to_string(server->port())));
}

TEST(HttpStart, FailsOnOptionsThatMakeNoSense) {
  EXPECT_EQ(HttpServer::start({.path = "mcp"}, echo()).error().kind, ErrorKind::kInvalidInput);
  EXPECT_EQ(HttpServer::start({.allowed_hosts = {"*"}}, echo()).error().kind, ErrorKind::kInvalidInput);
  EXPECT_EQ(HttpServer::start({.connections_max = 0}, echo()).error().kind, ErrorKind::kInvalidInput);
  EXPECT_EQ(HttpServer::start({.idle_timeout = milliseconds(0)}, echo()).error().kind,
            ErrorKind::kInvalidInput);
  EXPECT_EQ(HttpServer::start({.keep_alive = milliseconds::max()}, echo()).error().kind,
            ErrorKind::kInvalidInput);
  EXPECT_EQ(HttpServer::start({.threads = 65}, echo()).error().kind, ErrorKind::kLimitReached);
  EXPECT_EQ(HttpServer::start({.threads = 0}, echo()).error().kind, ErrorKind::kLimitReached);
}

TEST(V9OpenBind, NeedsACheckOfCallers) {
  for (const std::string host : {"0.0.0.0", "::"}) {
    EXPECT_EQ(HttpServer::start({.host = host}, echo()).error().code, "http_open_bind") << host;
  }
  const auto server = start_server(
      {.host = "0.0.0.0", .admit = admit_by([](const auto&) { return unauthenticated("no"); })}, echo());
  TcpClient client = TcpClient::connect(server->port());
  client.send(post("{}"));
  EXPECT_EQ(client.read_reply().status, 401);
}

TEST(HttpStart, TakesLocalhostForTheLoopbackAddress) {
  const auto server = start_server({.host = "localhost"}, echo());
  TcpClient client = TcpClient::connect(server->port());
  client.send(get("/healthz"));
  EXPECT_EQ(client.read_reply().status, 200);
}

TEST(HttpStop, ClosesIdleConnectionsAtOnce) {
  const auto server = start_server({}, echo());
  TcpClient idle = TcpClient::connect(server->port());
  idle.send(get("/healthz"));
  EXPECT_EQ(idle.read_reply().status, 200);
  TcpClient half = TcpClient::connect(server->port());
  half.send(get("/healthz") + "POST /mcp HT");
  EXPECT_EQ(half.read_reply().status, 200);
  TcpClient silent = TcpClient::connect(server->port());
  server->stop(std::chrono::hours(1));
  EXPECT_THAT(idle.read_all(), IsEmpty());
  EXPECT_THAT(half.read_all(), IsEmpty());
  silent.read_all();  // It may have been accepted too late, and then it is told so.
  server->stop(std::chrono::hours(1));
}

TEST(HttpStop, LetsOpenExchangesFinish) {
  ExchangeInbox inbox;
  const auto server = start_server({}, inbox.receiver());
  TcpClient plain = TcpClient::connect(server->port());
  plain.send(post("[1]"));
  const auto first = inbox.next();
  TcpClient stream = TcpClient::connect(server->port());
  stream.send(post("[2]"));
  const auto second = inbox.next();
  EXPECT_TRUE(second->send({.message = "[21]"}));

  auto stopped = std::async(std::launch::async, [&] { server->stop(std::chrono::hours(1)); });
  first->finish({.message = "[12]"});
  second->finish({.message = "[22]"});
  EXPECT_EQ(plain.read_reply().body, "[12]");
  EXPECT_THAT(stream.read_reply().body, HasSubstr("[22]"));
  stopped.get();
  EXPECT_FALSE(first->gone().stop_requested());
}

TEST(HttpStop, ClosesOpenExchangesAfterItsGrace) {
  ExchangeInbox inbox;
  const auto server = start_server({}, inbox.receiver());
  TcpClient pending = TcpClient::connect(server->port());
  pending.send(post("{}"));
  const auto first = inbox.next();
  TcpClient stream = TcpClient::connect(server->port());
  stream.send(post("{}"));
  const auto second = inbox.next();
  EXPECT_TRUE(second->send({.message = "[1]"}));
  EXPECT_THAT(stream.read_until("data: [1]\n\n"), HasSubstr("200 OK"));

  server->stop(milliseconds(20));
  EXPECT_TRUE(first->gone().stop_requested());
  EXPECT_TRUE(second->gone().stop_requested());
  pending.read_all();
  stream.read_all();
}

TEST(HttpStop, LeavesExchangesUsableAfterTheServerIsGone) {
  ExchangeInbox inbox;
  auto server = start_server({}, inbox.receiver());
  TcpClient client = TcpClient::connect(server->port());
  client.send(post("{}"));
  auto exchange = inbox.next();
  server.reset();
  EXPECT_TRUE(exchange->gone().stop_requested());
  EXPECT_EQ(exchange->inbound().body, "{}");
  EXPECT_FALSE(exchange->send({.message = "{}"}));
  exchange->finish({.message = "{}"});
  exchange->release();
  exchange.reset();
}

TEST(HttpStop, MayRaceWithAnswers) {
  for (int round = 0; round < 20; ++round) {
    ExchangeInbox inbox;
    auto server = start_server({.threads = 2}, inbox.receiver());
    std::vector<TcpClient> clients;
    std::vector<std::thread> workers;
    for (int i = 0; i < 4; ++i) {
      clients.push_back(TcpClient::connect(server->port()));
      clients.back().send(post("{}"));
      workers.emplace_back([exchange = inbox.next()]() mutable {
        while (exchange->send({.message = "{}"})) {
        }
        exchange.reset();
      });
    }
    server.reset();
    for (std::thread& worker : workers) worker.join();
  }
}

TEST(HttpConnections, ANewOneReplacesTheLongestIdle) {
  const auto server = start_server({.connections_max = 2}, echo());
  TcpClient oldest = TcpClient::connect(server->port());
  oldest.send(post("[1]"));
  EXPECT_EQ(oldest.read_reply().status, 200);
  TcpClient younger = TcpClient::connect(server->port());
  younger.send(post("[2]"));
  EXPECT_EQ(younger.read_reply().status, 200);
  TcpClient newest = TcpClient::connect(server->port());
  newest.send(post("[3]"));
  EXPECT_EQ(newest.read_reply().status, 200);
  EXPECT_THAT(oldest.read_all(), IsEmpty());
  younger.send(post("[4]"));
  EXPECT_EQ(younger.read_reply().status, 200);
}

TEST(HttpConnections, ANewOneIsRefusedIfAllAreBusy) {
  ExchangeInbox inbox;
  const auto server = start_server({.connections_max = 1}, inbox.receiver());
  TcpClient busy = TcpClient::connect(server->port());
  busy.send(post("{}"));
  const auto exchange = inbox.next();
  TcpClient refused = TcpClient::connect(server->port());
  EXPECT_EQ(refused.read_reply().status, 503);
  exchange->finish({.message = "{}"});
  EXPECT_EQ(busy.read_reply().status, 200);
}

TEST(HttpConnections, ThousandsMayBeIdle) {
  constexpr rlim_t kConnections = 2000;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  ASSERT_GE(limit.rlim_cur, 2 * kConnections + 100)
      << "too few descriptors: raise the hard limit of open files";

  const auto server = start_server({}, echo());
  std::vector<TcpClient> clients;
  for (rlim_t i = 0; i < kConnections; ++i) clients.push_back(TcpClient::connect(server->port()));
  TcpClient another = TcpClient::connect(server->port());
  another.send(post("{}"));
  EXPECT_EQ(another.read_reply().status, 200);
  for (const std::size_t i : {0U, 999U, 1999U}) {
    clients[i].send(post("{}"));
    EXPECT_EQ(clients[i].read_reply().status, 200);
  }
}

TEST(HttpConnections, MayBreakAtAnyPoint) {
  const auto server = start_server({}, echo());
  const std::string request = post("{}");
  for (std::size_t size = 0; size <= request.size(); size += 7) {
    TcpClient client = TcpClient::connect(server->port());
    client.send(request.substr(0, size));
  }
  TcpClient client = TcpClient::connect(server->port());
  client.send(request);
  EXPECT_EQ(client.read_reply().status, 200);
}

}  // namespace
}  // namespace sluice::transport
