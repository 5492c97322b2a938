#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/transport/http_server.h"

#include "exchange_inbox.h"
#include "tcp_client.h"

namespace sluice::transport {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

HttpReply ask(const HttpServer& server, const std::string& request) {
  TcpClient client = TcpClient::connect(server.port());
  client.send(request);
  return client.read_reply();
}

TEST(V9HostAndOrigin, AreCheckedOnEveryRequest) {
  ExchangeInbox inbox;
  const auto server = start_server({}, inbox.receiver());
  const std::string tail = " HTTP/1.1\r\nHost: evil.example\r\nAccept: */*\r\n\r\n";
  for (const std::string request : {"GET /mcp", "DELETE /mcp", "OPTIONS /mcp", "POST /mcp", "GET /none"}) {
    const HttpReply reply = ask(*server, request + tail);
    EXPECT_EQ(reply.status, 403) << request;
    EXPECT_EQ(reply.body,
              R"({"jsonrpc":"2.0","error":{"code":-32600,"message":"Host is not allowed: evil.example"}})");
  }
  for (const std::string request : {"GET /mcp", "DELETE /mcp", "OPTIONS /mcp", "POST /mcp"}) {
    const HttpReply reply =
        ask(*server, request + " HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n");
    EXPECT_EQ(reply.status, 403) << request;
    EXPECT_EQ(reply.header("access-control-allow-origin"), "");
  }
  EXPECT_TRUE(inbox.empty());
}

TEST(V9HostAndOrigin, ARequestWithoutHostIsRefused) {
  const auto server = start_server({}, echo());
  EXPECT_EQ(ask(*server, "GET /mcp HTTP/1.1\r\n\r\n").status, 400);
  EXPECT_EQ(ask(*server, "GET /mcp HTTP/1.0\r\n\r\n").status, 400);
  EXPECT_EQ(ask(*server, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n").status, 400);
}

TEST(V9HostAndOrigin, TheTableOfHosts) {
  const auto server = start_server({.allowed_hosts = {"proxy.example.org"}}, echo());
  const auto status = [&](const std::string& host) {
    return ask(*server, "OPTIONS /mcp HTTP/1.1\r\nHost: " + host + "\r\n\r\n").status;
  };
  EXPECT_EQ(status("localhost"), 204);
  EXPECT_EQ(status("127.0.0.1:" + std::to_string(server->port())), 204);
  EXPECT_EQ(status("[::1]:9"), 204);
  EXPECT_EQ(status("proxy.example.org"), 204);
  EXPECT_EQ(status("rebound.example.org"), 403);
  EXPECT_EQ(status("169.254.169.254"), 403);
}

TEST(V9HostAndOrigin, ANullOriginIsRefused) {
  const auto server = start_server({}, echo());
  EXPECT_EQ(ask(*server, get("/mcp", "Origin: null\r\n")).status, 403);
}

TEST(V9HostAndOrigin, AControlCharacterDoesNotReachTheAnswer) {
  const auto server = start_server({}, echo());
  const HttpReply reply = ask(*server, "GET /mcp HTTP/1.1\r\nHost: a\tb\"<script>\r\n\r\n");
  EXPECT_EQ(reply.status, 403);
  EXPECT_THAT(reply.body, Not(HasSubstr("\t")));
  EXPECT_THAT(reply.body, HasSubstr(R"(\")"));
}

TEST(Cors, LetsAnAllowedPageReadTheAnswer) {
  const auto server = start_server({.allowed_origins = {"https://app.example.org"}}, echo());
  const std::string own = "http://localhost:" + std::to_string(server->port());
  for (const std::string& origin : {own, std::string("https://app.example.org")}) {
    const HttpReply reply = ask(*server, post("{}", "Origin: " + origin + "\r\n"));
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.header("access-control-allow-origin"), origin);
    EXPECT_EQ(reply.header("vary"), "Origin");
    EXPECT_THAT(reply.header("access-control-expose-headers"), HasSubstr("Mcp-Session-Id"));
  }
}

TEST(Cors, LetsAnAllowedPageReadARefusal) {
  const auto server =
      start_server({.admit = admit_by([](const auto&) { return unauthenticated("no"); })}, echo());
  const std::string own = "http://localhost:" + std::to_string(server->port());
  const HttpReply reply = ask(*server, post("{}", "Origin: " + own + "\r\n"));
  EXPECT_EQ(reply.status, 401);
  EXPECT_EQ(reply.header("access-control-allow-origin"), own);
}

TEST(Cors, AnswersAPreflightWithTheHeadersOfMcp) {
  const auto server =
      start_server({.admit = admit_by([](const auto&) { return unauthenticated("no"); })}, echo());
  const HttpReply reply =
      ask(*server, "OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost:" +
                       std::to_string(server->port()) +
                       "\r\n"
                       "Access-Control-Request-Method: POST\r\n"
                       "Access-Control-Request-Headers: content-type, Mcp-Param-Region, x-other\r\n\r\n");
  EXPECT_EQ(reply.status, 204);
  EXPECT_FALSE(reply.headers.contains("content-length"));
  EXPECT_EQ(reply.header("access-control-allow-methods"), "POST, GET, DELETE, OPTIONS");
  const std::string allowed = reply.header("access-control-allow-headers");
  for (const std::string name : {"mcp-protocol-version", "mcp-session-id", "mcp-method", "mcp-name",
                                 "authorization", "last-event-id", "content-type", "mcp-param-region"}) {
    EXPECT_THAT(allowed, HasSubstr(name));
  }
  EXPECT_THAT(allowed, Not(HasSubstr("x-other")));
}

}  // namespace
}  // namespace sluice::transport
