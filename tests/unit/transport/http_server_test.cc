#include "sluice/transport/http_server.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exchange_inbox.h"
#include "tcp_client.h"

namespace sluice::transport {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(HttpServer, AnswersWithJsonAndKeepsTheConnection) {
  const auto server = start_server({}, echo());
  TcpClient client = TcpClient::connect(server->port());
  for (const std::string body : {R"({"id":1})", R"({"id":2})"}) {
    client.send(post(body));
    const HttpReply reply = client.read_reply();
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.header("content-type"), "application/json");
    EXPECT_EQ(reply.header("connection"), "");
    EXPECT_EQ(reply.body, body);
  }
}

TEST(HttpServer, HandsOverTheHeadersThatMcpKnows) {
  ExchangeInbox inbox;
  const auto server = start_server({}, inbox.receiver());
  TcpClient client = TcpClient::connect(server->port());
  client.send(
      post("{}",
           "mcp-protocol-version: 2026-07-28\r\nMcp-Method:  tools/call \r\nMcp-Name: =?base64?eA==?=\r\n"
           "Mcp-Param-Region: us-west1\r\nMCP-Session-Id: s1\r\nLast-Event-ID: 7\r\n"
           "Authorization: Bearer t\r\n"));
  const auto exchange = inbox.next();
  const protocol::HttpHead& head = *exchange->inbound().http;
  EXPECT_EQ(head.method, "POST");
  EXPECT_EQ(head.protocol_version, "2026-07-28");
  EXPECT_EQ(head.mcp_method, "tools/call");
  EXPECT_EQ(head.mcp_name, "=?base64?eA==?=");
  EXPECT_THAT(head.mcp_params, ::testing::ElementsAre(::testing::Pair("region", "us-west1")));
  EXPECT_EQ(head.session_id, "s1");
  EXPECT_EQ(head.last_event_id, "7");
  EXPECT_EQ(head.authorization, "Bearer t");
  EXPECT_TRUE(head.accepts_stream);
  EXPECT_EQ(exchange->inbound().principal.id, "local");
  EXPECT_EQ(exchange->inbound().connection, nullptr);
}

TEST(HttpServer, GivesANotificationNoBody) {
  const auto server = start_server({}, [](const auto& exchange) { exchange->finish({.status = 202}); });
  TcpClient client = TcpClient::connect(server->port());
  client.send(post("{}"));
  const HttpReply reply = client.read_reply();
  EXPECT_EQ(reply.status, 202);
  EXPECT_EQ(reply.header("content-length"), "0");
  EXPECT_EQ(reply.header("content-type"), "");
}

TEST(HttpServer, SendsTheStatusAndHeadersOfTheAnswer) {
  const auto server = start_server({}, [](const auto& exchange) {
    exchange->finish({.status = 404,
                      .message = "{}",
                      .event_id = "",
                      .headers = {{"Mcp-Session-Id", "abc"}, {"X-Bad", "a\r\nSet-Cookie: b"}}});
  });
  TcpClient client = TcpClient::connect(server->port());
  client.send(post("{}"));
  const HttpReply reply = client.read_reply();
  EXPECT_EQ(reply.status, 404);
  EXPECT_EQ(reply.header("mcp-session-id"), "abc");
  EXPECT_FALSE(reply.headers.contains("x-bad"));
  EXPECT_FALSE(reply.headers.contains("set-cookie"));
}

TEST(HttpServer, SendsLargeAnswersWhole) {
  const std::string large(3'000'000, 'x');
  const auto server = start_server({}, [&](const auto& exchange) { exchange->finish({.message = large}); });
  TcpClient client = TcpClient::connect(server->port());
  client.send(post("{}") + post("{}"));
  EXPECT_EQ(client.read_reply().body, large);
  EXPECT_EQ(client.read_reply().body, large);
}

TEST(HttpServer, TakesAnAnswerFromAnotherThread) {
  ExchangeInbox inbox;
  const auto server = start_server({}, inbox.receiver());
  TcpClient client = TcpClient::connect(server->port());
  client.send(post(R"({"id":1})"));
  const auto exchange = inbox.next();
  exchange->finish({.message = R"({"result":1})"});
  EXPECT_EQ(client.read_reply().body, R"({"result":1})");
}

TEST(HttpServer, AnswersPipelinedRequestsInOrder) {
  ExchangeInbox inbox;
  const auto server = start_server({}, inbox.receiver());
  TcpClient client = TcpClient::connect(server->port());
  client.send(post("[1]") + post("[22]") + post("[333]"));
  for (const std::string body : {"[1]", "[22]", "[333]"}) {
    const auto exchange = inbox.next();
    EXPECT_EQ(exchange->inbound().body, body);
    exchange->finish({.message = body});
    EXPECT_EQ(client.read_reply().body, body);
  }
}

TEST(HttpServer, TakesARequestThatArrivesBehindAPipelinedOne) {
  ExchangeInbox inbox;
  const auto server = start_server({}, inbox.receiver());
  TcpClient client = TcpClient::connect(server->port());
  client.send(post("[1]") + post("[22]"));
  // The read that looks for a departure is under way from the first answer on, behind the second request.
  auto exchange = inbox.next();
  EXPECT_TRUE(exchange->send({.message = "[0]"}));
  EXPECT_THAT(client.read_until("data: [0]\n\n"), HasSubstr("200 OK"));
  exchange->finish({.message = "[1]"});
  exchange = inbox.next();
  EXPECT_EQ(exchange->inbound().body, "[22]");
  client.send(post("[333]"));
  exchange->finish({.message = "[22]"});
  exchange = inbox.next();
  EXPECT_EQ(exchange->inbound().body, "[333]");
}

TEST(HttpServer, JoinsAChunkedBody) {
  const auto server = start_server({}, echo());
  TcpClient client = TcpClient::connect(server->port());
  client.send(
      "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: "
      "chunked\r\n\r\n"
      "4;note=x\r\n{\"a\"\r\n3\r\n:1}\r\n0\r\nHost: evil.example\r\n\r\n");
  const HttpReply reply = client.read_reply();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, R"({"a":1})");
  client.send(post("{}"));
  EXPECT_EQ(client.read_reply().status, 200);
}

TEST(HttpServer, GivesLeaveToSendTheBody) {
  const auto server = start_server({}, echo());
  TcpClient client = TcpClient::connect(server->port());
  const std::string request = post("{}", "Expect: 100-continue\r\n");
  client.send(request.substr(0, request.size() - 2));
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("{}");
  EXPECT_EQ(client.read_reply().body, "{}");
}

TEST(HttpServer, RefusesInsteadOfGivingLeaveForABodyThatIsTooLarge) {
  const auto server = start_server({.message_bytes_max = 100}, echo());
  TcpClient client = TcpClient::connect(server->port());
  client.send(
      "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 101\r\n"
      "Expect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.read_reply().status, 413);
}

TEST(HttpServer, MakesExchangesOfGetAndDelete) {
  ExchangeInbox inbox;
  const auto server = start_server({}, inbox.receiver());
  TcpClient client = TcpClient::connect(server->port());
  client.send(get("/mcp", "Accept: text/event-stream\r\n") +
              "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n");
  auto exchange = inbox.next();
  EXPECT_EQ(exchange->inbound().http->method, "GET");
  EXPECT_THAT(exchange->inbound().body, IsEmpty());
  exchange->finish({.status = 405});
  EXPECT_EQ(client.read_reply().status, 405);
  exchange = inbox.next();
  EXPECT_EQ(exchange->inbound().http->method, "DELETE");
  exchange->finish({.status = 200});
  EXPECT_EQ(client.read_reply().status, 200);
}

TEST(HttpServer, SaysThatItIsAliveWithoutAskingWhoIsCalling) {
  const auto server =
      start_server({.admit = admit_by([](const auto&) { return unauthenticated("no"); })}, echo());
  TcpClient client = TcpClient::connect(server->port());
  client.send(get("/healthz"));
  const HttpReply reply = client.read_reply();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, R"({"status":"ok"})");
}

TEST(HttpServer, GivesNoBodyToHead) {
  const auto server = start_server({}, echo());
  TcpClient client = TcpClient::connect(server->port());
  client.send("HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  HttpReply head = client.read_head();
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("content-length"), "15");
  client.send("HEAD /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.read_head().status, 405);
  client.send(get("/healthz"));
  EXPECT_EQ(client.read_reply().body, R"({"status":"ok"})");
}

TEST(HttpServer, GivesNoBodyToAStatusThatHasNone) {
  const auto server =
      start_server({}, [](const auto& exchange) { exchange->finish({.status = 204, .message = "{}"}); });
  TcpClient client = TcpClient::connect(server->port());
  client.send(post("{}") + post("{}"));
  EXPECT_EQ(client.read_head().status, 204);
  EXPECT_EQ(client.read_head().status, 204);
}

TEST(HttpServer, RefusesOtherMethodsAndPaths) {
  const auto server = start_server({}, echo());
  TcpClient client = TcpClient::connect(server->port());
  client.send("PATCH /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n");
  HttpReply reply = client.read_reply();
  EXPECT_EQ(reply.status, 405);
  EXPECT_EQ(reply.header("allow"), "POST, GET, DELETE, OPTIONS");
  client.send(get("/other"));
  EXPECT_EQ(client.read_reply().status, 404);
  client.send(get("/mcp2", "Accept: text/event-stream\r\n"));
  EXPECT_EQ(client.read_reply().status, 404);
  client.send(get("http://localhost/mcp"));
  EXPECT_EQ(client.read_reply().status, 400);
}

TEST(HttpServer, IgnoresTheQueryOfATarget) {
  const auto server = start_server({}, echo());
  TcpClient client = TcpClient::connect(server->port());
  client.send(get("/healthz?probe=1"));
  EXPECT_EQ(client.read_reply().status, 200);
}

TEST(HttpServer, RefusesBodiesThatAreNotJson) {
  const auto server = start_server({}, echo());
  const auto status = [&](const std::string& headers) {
    TcpClient client = TcpClient::connect(server->port());
    client.send("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n" + headers + "\r\n{}");
    return client.read_reply().status;
  };
  EXPECT_EQ(status("Content-Type: text/plain\r\n"), 415);
  EXPECT_EQ(status(""), 415);
  EXPECT_EQ(status("Content-Type: application/json; charset=latin1\r\n"), 415);
  EXPECT_EQ(status("Content-Type: application/json\r\nContent-Encoding: gzip\r\n"), 415);
  EXPECT_EQ(status("Content-Type: application/json\r\nAccept: text/html\r\n"), 406);
  EXPECT_EQ(status("Content-Type: application/json\r\nExpect: magic\r\n"), 417);
  EXPECT_EQ(status("Content-Type: application/json; charset=UTF-8\r\nAccept: */*\r\n"), 200);
}

TEST(HttpServer, WantsAStreamToBeAcceptableForGet) {
  const auto server = start_server({}, echo());
  TcpClient client = TcpClient::connect(server->port());
  client.send(get("/mcp", "Accept: application/json\r\n"));
  EXPECT_EQ(client.read_reply().status, 406);
}

TEST(HttpServer, TurnsTheVerdictOnACallerIntoAStatus) {
  Error verdict = unauthenticated("Say who you are");
  HttpServerOptions options;
  options.admit = admit_by([&](const protocol::HttpHead& head) -> Result<Principal> {
    if (head.authorization == "Bearer right") return Principal{.id = "token:ci"};
    return verdict;
  });
  ExchangeInbox inbox;
  const auto server = start_server(std::move(options), inbox.receiver());
  const auto reply = [&] {
    TcpClient client = TcpClient::connect(server->port());
    client.send(post("{}"));
    return client.read_reply();
  };
  HttpReply refused = reply();
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.header("www-authenticate"), "Bearer");
  EXPECT_EQ(
      refused.body,
      R"({"jsonrpc":"2.0","error":{"code":-32600,"message":"Say who you are","data":{"code":"unauthenticated"}}})");
  verdict = forbidden("no");
  EXPECT_EQ(reply().status, 403);
  verdict = limit_reached("requests in a minute", 60);
  EXPECT_EQ(reply().status, 429);
  verdict = internal_error("broken");
  EXPECT_EQ(reply().status, 500);
  EXPECT_TRUE(inbox.empty());

  TcpClient client = TcpClient::connect(server->port());
  client.send(post("{}", "Authorization: Bearer right\r\n"));
  EXPECT_EQ(inbox.next()->inbound().principal.id, "token:ci");
}

TEST(HttpServer, SurvivesCallbacksThatThrow) {
  HttpServerOptions options;
  options.admit = admit_by([](const protocol::HttpHead& head) -> Result<Principal> {
    if (head.authorization) throw std::runtime_error("admit");
    return local_principal();
  });
  const auto server =
      start_server(std::move(options), [](const auto&) { throw std::runtime_error("receiver"); });
  TcpClient client = TcpClient::connect(server->port());
  client.send(post("{}"));
  EXPECT_EQ(client.read_reply().status, 500);
  client.send(post("{}", "Authorization: x\r\n"));
  EXPECT_EQ(client.read_reply().status, 500);
}

TEST(HttpServer, AnswersForAnExchangeThatIsDropped) {
  ExchangeInbox inbox;
  const auto server = start_server({}, inbox.receiver());
  TcpClient client = TcpClient::connect(server->port());
  client.send(post("{}"));
  inbox.next().reset();
  const HttpReply reply = client.read_reply();
  EXPECT_EQ(reply.status, 500);
  EXPECT_THAT(reply.body, StartsWith(R"({"jsonrpc":"2.0","error":{"code":-32603,)"));
}

TEST(HttpServer, ClosesWhenTheClientAsksForIt) {
  const auto server = start_server({}, echo());
  TcpClient client = TcpClient::connect(server->port());
  client.send(post("{}", "Connection: close\r\n"));
  EXPECT_EQ(client.read_reply().header("connection"), "close");
  EXPECT_THAT(client.read_all(), IsEmpty());
}

TEST(HttpServer, ClosesAfterAnAnswerToHttp10) {
  const auto server = start_server({}, echo());
  TcpClient client = TcpClient::connect(server->port());
  client.send("GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(client.read_all(), HasSubstr(R"({"status":"ok"})"));
}

TEST(HttpServer, ServesIpv6Loopback) {
  auto server = HttpServer::start({.host = "::1"}, echo());
  ASSERT_TRUE(server.ok()) << "this machine has no IPv6 loopback: " << server.error().message;
  TcpClient client = TcpClient::connect((*server)->port(), "::1");
  client.send("GET /healthz HTTP/1.1\r\nHost: [::1]:" + std::to_string((*server)->port()) + "\r\n\r\n");
  EXPECT_EQ(client.read_reply().status, 200);
}

TEST(HttpServer, SpreadsConnectionsOverItsThreads) {
  const auto server = start_server({.threads = 3}, echo());
  std::vector<TcpClient> clients;
  for (int i = 0; i < 9; ++i) clients.push_back(TcpClient::connect(server->port()));
  for (TcpClient& client : clients) client.send(post("{}"));
  for (TcpClient& client : clients) EXPECT_EQ(client.read_reply().status, 200);
}

}  // namespace
}  // namespace sluice::transport
