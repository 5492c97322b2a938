// Requests to routes beside the path of MCP: who is let in, what is refused, and how.
#include <atomic>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/transport/http_server.h"

#include "exchange_inbox.h"
#include "tcp_client.h"

namespace sluice::transport {
namespace {

using ::testing::HasSubstr;
using ::testing::Pair;

HttpRoute route_to(protocol::Receiver receiver, std::string path = "/api/query") {
  return {.path = std::move(path), .methods = {"GET", "POST"}, .receiver = std::move(receiver)};
}

HttpServerOptions with_route(HttpRoute route) {
  HttpServerOptions options;
  options.routes.push_back(std::move(route));
  return options;
}

// Knows one token.
Result<Principal> admit_good(const protocol::HttpHead& head) {
  if (head.authorization == "Bearer good") return Principal{.id = "token:good"};
  return unauthenticated("no such token");
}

// Answers with who is calling.
protocol::Receiver name_caller() {
  return [](const std::shared_ptr<protocol::Exchange>& exchange) {
    exchange->finish({.message = '"' + exchange->inbound().principal.id + '"'});
  };
}

TEST(HttpRoute, GetsTargetAndHeaders) {
  ExchangeInbox inbox;
  const auto server = start_server(with_route(route_to(inbox.receiver())), echo());
  TcpClient client = TcpClient::connect(server->port());
  client.send(get("/api/query?sql=1%20", "Range: bytes=0-1\r\nACCEPT: text/csv\r\nAccept: */*\r\n"));
  const auto exchange = inbox.next();
  const protocol::HttpHead& head = *exchange->inbound().http;
  EXPECT_EQ(head.target, "/api/query?sql=1%20");
  EXPECT_EQ(head.field("range"), "bytes=0-1");
  EXPECT_EQ(head.field("accept"), "text/csv, */*");
  EXPECT_EQ(head.field("if-range"), "");
  exchange->finish({.message = "a,b\n", .content_type = "text/csv"});
  const HttpReply reply = client.read_reply();
  EXPECT_EQ(reply.header("content-type"), "text/csv");
  EXPECT_EQ(reply.body, "a,b\n");
}

TEST(HttpRoute, OfAFolderGetsAllBeneathIt) {
  ExchangeInbox inbox;
  const auto server = start_server(with_route(route_to(inbox.receiver(), "/files/")), echo());
  TcpClient client = TcpClient::connect(server->port());
  client.send(get("/files/../secret") + get("/files") + get("/filesystem"));
  const auto exchange = inbox.next();
  EXPECT_EQ(exchange->inbound().http->target, "/files/../secret");
  exchange->finish({.status = 404});
  EXPECT_EQ(client.read_reply().status, 404);
  EXPECT_EQ(client.read_reply().status, 404);
  EXPECT_EQ(client.read_reply().status, 404);
  EXPECT_TRUE(inbox.empty());
}

TEST(HttpRoute, IsClosedToCallersWithoutCredentials) {
  HttpServerOptions options = with_route(route_to(name_caller()));
  options.admit = admit_by(admit_good);
  const auto server = start_server(std::move(options), echo());
  TcpClient client = TcpClient::connect(server->port());
  client.send(get("/api/query"));
  const HttpReply reply = client.read_reply();
  EXPECT_EQ(reply.status, 401);
  EXPECT_EQ(reply.header("www-authenticate"), "Bearer");
  EXPECT_EQ(reply.header("content-type"), "application/problem+json");
  EXPECT_EQ(reply.body,
            R"({"title":"Unauthorized","status":401,"code":"unauthenticated","detail":"no such token"})");
  client.send(get("/api/query", "Authorization: Bearer good\r\n"));
  EXPECT_EQ(client.read_reply().body, R"("token:good")");
}

TEST(HttpRoute, IsOpenWhereItSaysSoAndNeverToBadCredentials) {
  HttpRoute route = route_to(name_caller());
  route.is_open = [](const protocol::HttpHead& head) { return head.target.ends_with("?open"); };
  HttpServerOptions options = with_route(std::move(route));
  options.admit = admit_by(admit_good);
  const auto server = start_server(std::move(options), echo());
  TcpClient client = TcpClient::connect(server->port());
  client.send(get("/api/query?open"));
  EXPECT_EQ(client.read_reply().body, R"("")");
  client.send(get("/api/query?shut"));
  EXPECT_EQ(client.read_reply().status, 401);
  client.send(get("/api/query?open", "Authorization: Bearer bad\r\n"));
  EXPECT_EQ(client.read_reply().status, 401);
  client.send(get("/api/query?open", "Authorization: Bearer good\r\n"));
  EXPECT_EQ(client.read_reply().body, R"("token:good")");
}

TEST(HttpRoute, TakesAPasswordForATokenOnlyWhereItSaysSo) {
  HttpRoute basic = route_to(name_caller());
  basic.takes_basic = true;
  HttpServerOptions options = with_route(std::move(basic));
  options.routes.push_back(route_to(name_caller(), "/other"));
  options.admit = admit_by(admit_good);
  const auto server = start_server(std::move(options), echo());
  TcpClient client = TcpClient::connect(server->port());
  const std::string good = "Authorization: Basic YW55Ym9keTpnb29k\r\n";  // anybody:good
  client.send(get("/api/query", good));
  EXPECT_EQ(client.read_reply().body, R"("token:good")");
  client.send(get("/other", good));
  EXPECT_EQ(client.read_reply().status, 401);
  for (const std::string bad : {"YW55Ym9keTpiYWQ=", "Z29vZA==", "!", ""}) {
    client.send(get("/api/query", "Authorization: Basic " + bad + "\r\n"));
    const HttpReply reply = client.read_reply();
    EXPECT_EQ(reply.status, 401) << bad;
    EXPECT_EQ(reply.header("www-authenticate"), "Bearer") << bad;
  }
}

TEST(HttpRoute, RefusesTokensInTheUrlEvenIfTheyAreGood) {
  HttpServerOptions options = with_route(route_to(name_caller()));
  options.admit = admit_by(admit_good);
  const auto server = start_server(std::move(options), echo());
  TcpClient client = TcpClient::connect(server->port());
  for (const std::string target :
       {"/api/query?access_token=good", "/api/query?a=b&access_token=good", "/mcp?access_token=good"}) {
    client.send(get(target, "Authorization: Bearer good\r\n"));
    EXPECT_EQ(client.read_reply().status, 400) << target;
  }
  client.send(get("/api/query?a=access_token=1", "Authorization: Bearer good\r\n"));
  EXPECT_EQ(client.read_reply().status, 200);
}

TEST(HttpRoute, RefusesWhatPagesOfOtherSitesSend) {
  HttpRoute route = route_to(name_caller());
  route.refuses_cross_site = true;
  HttpServerOptions options = with_route(std::move(route));
  options.allowed_origins = {"https://app.example.org"};
  const auto server = start_server(std::move(options), echo());
  TcpClient client = TcpClient::connect(server->port());
  client.send(get("/api/query", "Sec-Fetch-Site: cross-site\r\n"));
  EXPECT_EQ(client.read_reply().status, 403);
  client.send(get("/api/query", "Sec-Fetch-Site: none\r\n"));
  EXPECT_EQ(client.read_reply().status, 200);
  client.send(get("/api/query", "Sec-Fetch-Site: cross-site\r\nOrigin: https://app.example.org\r\n"));
  EXPECT_EQ(client.read_reply().status, 200);
}

TEST(HttpRoute, AnswersPreflightsBeforeItAsksWhoIsCalling) {
  HttpServerOptions options = with_route(route_to(name_caller()));
  options.admit = admit_by(admit_good);
  options.allowed_origins = {"https://app.example.org"};
  const auto server = start_server(std::move(options), echo());
  TcpClient client = TcpClient::connect(server->port());
  const std::string origin = "Origin: https://app.example.org\r\n";
  client.send("OPTIONS /api/query HTTP/1.1\r\nHost: localhost\r\n" + origin +
              "Access-Control-Request-Method: GET\r\nAccess-Control-Request-Headers: range\r\n\r\n");
  const HttpReply preflight = client.read_reply();
  EXPECT_EQ(preflight.status, 204);
  EXPECT_EQ(preflight.header("access-control-allow-origin"), "https://app.example.org");
  EXPECT_EQ(preflight.header("access-control-allow-methods"), "GET, HEAD, POST, OPTIONS");
  EXPECT_THAT(preflight.header("access-control-allow-headers"), HasSubstr("range"));
  EXPECT_THAT(preflight.header("access-control-allow-headers"), HasSubstr("traceparent"));
  EXPECT_EQ(preflight.header("access-control-allow-credentials"), "");
  client.send(get("/api/query", origin));
  const HttpReply refused = client.read_reply();
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.header("access-control-allow-origin"), "https://app.example.org");
  EXPECT_THAT(refused.header("access-control-expose-headers"), HasSubstr("WWW-Authenticate"));
  EXPECT_THAT(refused.header("access-control-expose-headers"), HasSubstr("Content-Range"));
}

TEST(HttpRoute, RefusesOtherMethodsAndBodiesThatAreNoJson) {
  const auto server = start_server(with_route(route_to(name_caller())), echo());
  TcpClient client = TcpClient::connect(server->port());
  client.send("DELETE /api/query HTTP/1.1\r\nHost: localhost\r\n\r\n");
  HttpReply reply = client.read_reply();
  EXPECT_EQ(reply.status, 405);
  EXPECT_EQ(reply.header("allow"), "GET, HEAD, POST, OPTIONS");
  EXPECT_EQ(reply.header("content-type"), "application/problem+json");
  client.send(
      "POST /api/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n");
  reply = client.read_reply();
  EXPECT_EQ(reply.status, 415);
  EXPECT_THAT(reply.body, HasSubstr("unsupported_media_type"));
}

TEST(HttpRoute, LeavesHalfOfTheRequestsToOtherCallers) {
  ExchangeInbox inbox;
  HttpServerOptions options = with_route(route_to(inbox.receiver()));
  options.admit = admit_by([](const protocol::HttpHead& head) -> Result<Principal> {
    return Principal{.id = *head.authorization};
  });
  const auto server = start_server(std::move(options), echo());
  std::vector<TcpClient> clients;
  std::vector<std::shared_ptr<protocol::Exchange>> open;
  for (std::size_t i = 0; i < kHttpRouteRequestsMax / 2; ++i) {
    clients.push_back(TcpClient::connect(server->port()));
    clients.back().send(get("/api/query", "Authorization: greedy\r\n"));
    open.push_back(inbox.next());
  }
  TcpClient client = TcpClient::connect(server->port());
  client.send(get("/api/query", "Authorization: greedy\r\n"));
  const HttpReply refused = client.read_reply();
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.header("retry-after"), "1");
  EXPECT_THAT(refused.body, HasSubstr("too_many_requests"));
  client.send(get("/api/query", "Authorization: modest\r\n"));
  inbox.next()->finish({.message = "{}"});
  EXPECT_EQ(client.read_reply().status, 200);
  open.front()->finish({.message = "{}"});
  EXPECT_EQ(clients.front().read_reply().status, 200);
  client.send(get("/api/query", "Authorization: greedy\r\n"));
  inbox.next()->finish({.message = "{}"});
  EXPECT_EQ(client.read_reply().status, 200);
}

TEST(HttpRoute, ThatThrowsIsAProblem) {
  const auto server =
      start_server(with_route(route_to([](const auto&) { throw std::runtime_error("broken"); })), echo());
  TcpClient client = TcpClient::connect(server->port());
  client.send(get("/api/query"));
  const HttpReply reply = client.read_reply();
  EXPECT_EQ(reply.status, 500);
  EXPECT_EQ(reply.header("content-type"), "application/problem+json");
}

TEST(HttpProbe, IsAnsweredWhateverItsHostOriginAndCredentials) {
  std::atomic<bool> is_ready = true;
  HttpServerOptions options;
  options.admit = admit_by(admit_good);
  options.allowed_hosts = {"data.example.org"};
  options.allowed_origins = {"https://app.example.org"};
  options.is_ready = [&] { return is_ready.load(); };
  const auto server = start_server(std::move(options), echo());
  TcpClient client = TcpClient::connect(server->port());
  for (const std::string path : {"/healthz", "/readyz"}) {
    client.send("GET " + path + " HTTP/1.1\r\nHost: 10.1.2.3:8080\r\nOrigin: https://evil.example\r\n\r\n");
    const HttpReply reply = client.read_reply();
    EXPECT_EQ(reply.status, 200) << path;
    EXPECT_EQ(reply.header("access-control-allow-origin"), "") << path;
    client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.example.org\r\n\r\n");
    EXPECT_EQ(client.read_reply().header("access-control-allow-origin"), "https://app.example.org") << path;
  }
  is_ready = false;
  client.send(get("/readyz"));
  const HttpReply reply = client.read_reply();
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.body, R"({"status":"not_ready"})");
  client.send(get("/healthz"));
  EXPECT_EQ(client.read_reply().status, 200);
  client.send("GET /mcp HTTP/1.1\r\nHost: 10.1.2.3:8080\r\n\r\n");
  EXPECT_EQ(client.read_reply().status, 403);
}

}  // namespace
}  // namespace sluice::transport
