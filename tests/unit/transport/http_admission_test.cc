// Who is let in, when the answer takes a while, and how long it holds.
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
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

// Keeps the questions until the test answers them.
class Questions {
 public:
  auto admit() {
    return [this](const AdmissionRequest& request, AdmissionDone done) {
      const std::lock_guard lock(mutex_);
      asked_.push_back({request.head.authorization.value_or(""), request.peer, std::move(done)});
    };
  }
  struct Question {
    std::string authorization;
    std::string peer;
    AdmissionDone done;
  };
  // The next question; fails the test if none comes in time.
  Question next() {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < end) {
      {
        const std::lock_guard lock(mutex_);
        if (!asked_.empty()) {
          Question out = std::move(asked_.front());
          asked_.erase(asked_.begin());
          return out;
        }
      }
      std::this_thread::yield();
    }
    ADD_FAILURE() << "nobody asked";
    return {.authorization = {}, .peer = {}, .done = [](const Admission&) {}};
  }

 private:
  std::mutex mutex_;
  std::vector<Question> asked_;
};

TEST(HttpAdmission, WaitsForAnAnswerOfAnotherThread) {
  Questions questions;
  const auto server = start_server({.admit = questions.admit()}, echo());
  TcpClient client = TcpClient::connect(server->port());
  client.send(post(R"({"a":1})", "Authorization: Bearer x\r\n"));
  Questions::Question question = questions.next();
  EXPECT_EQ(question.authorization, "Bearer x");
  EXPECT_EQ(question.peer, "127.0.0.1");
  EXPECT_FALSE(client.has_input(milliseconds(20)));
  std::thread([&] { question.done(Admitted{.principal = {.id = "corp:a"}}); }).join();
  EXPECT_EQ(client.read_reply().body, R"({"a":1})");
}

TEST(HttpAdmission, TakesOneAnswerOnly) {
  Questions questions;
  ExchangeInbox inbox;
  const auto server = start_server({.admit = questions.admit()}, inbox.receiver());
  TcpClient client = TcpClient::connect(server->port());
  client.send(post("{}"));
  const Questions::Question question = questions.next();
  question.done(Admitted{.principal = {.id = "first"}});
  question.done(Admitted{.principal = {.id = "second"}});
  EXPECT_EQ(inbox.next()->inbound().principal.id, "first");
  question.done(Refusal{.error = forbidden("late")});
}

TEST(HttpAdmission, GivesUpWhenNobodyAnswers) {
  Questions questions;
  HttpServerOptions options;
  options.admit = questions.admit();
  options.body_timeout = milliseconds(50);
  const auto server = start_server(std::move(options), echo());
  TcpClient client = TcpClient::connect(server->port());
  client.send(post("{}"));
  const HttpReply reply = client.read_reply();
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.header("retry-after"), "1");
  questions.next().done(Admitted{.principal = {.id = "late"}});  // Goes nowhere.
}

TEST(HttpAdmission, SurvivesAnAnswerAfterTheServer) {
  Questions questions;
  std::optional<Questions::Question> question;
  {
    const auto server = start_server({.admit = questions.admit()}, echo());
    TcpClient client = TcpClient::connect(server->port());
    client.send(post("{}"));
    question = questions.next();
  }
  question->done(Admitted{.principal = {.id = "late"}});
}

TEST(HttpAdmission, AsksAgainOnceTheLeaseOfAnAnswerHasEnded) {
  std::atomic<int> asked{0};
  const auto ended = std::make_shared<std::atomic<bool>>(false);
  HttpServerOptions options;
  options.admit = [&](const AdmissionRequest& request, const AdmissionDone& done) {
    ++asked;
    done(Admitted{.principal = {.id = request.head.authorization.value_or("")},
                  .lease = std::make_shared<const AdmissionLease>(std::vector<AdmissionLease::Ended>{ended},
                                                                  Monotonic::max())});
  };
  ExchangeInbox inbox;
  const auto server = start_server(std::move(options), inbox.receiver());
  TcpClient client = TcpClient::connect(server->port());
  const auto caller = [&](const std::string& token) {
    client.send(post("{}", "Authorization: " + token + "\r\n"));
    const auto exchange = inbox.next();
    std::string id = exchange->inbound().principal.id;
    exchange->finish({.message = "{}"});
    EXPECT_EQ(client.read_reply().status, 200);
    return id;
  };
  EXPECT_EQ(caller("a"), "a");
  EXPECT_EQ(caller("a"), "a");
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(caller("b"), "b");
  EXPECT_EQ(caller("a"), "a");
  EXPECT_EQ(asked, 3);
  *ended = true;
  EXPECT_EQ(caller("a"), "a");
  EXPECT_EQ(caller("a"), "a");
  EXPECT_EQ(asked, 5);
}

TEST(HttpAdmission, AsksEachTimeWithoutALease) {
  std::atomic<int> asked{0};
  HttpServerOptions options;
  options.admit = [&](const AdmissionRequest&, const AdmissionDone& done) {
    ++asked;
    done(Admitted{.principal = {.id = "a"}});
  };
  const auto server = start_server(std::move(options), echo());
  TcpClient client = TcpClient::connect(server->port());
  for (int i = 0; i < 3; ++i) {
    client.send(post("{}"));
    EXPECT_EQ(client.read_reply().status, 200);
  }
  EXPECT_EQ(asked, 3);
}

TEST(HttpAdmission, DoesNotTakeAPasswordForATokenBesideTheRouteThatAllowsIt) {
  HttpServerOptions options;
  const auto for_ever =
      std::make_shared<const AdmissionLease>(std::vector<AdmissionLease::Ended>{}, Monotonic::max());
  options.admit = [&](const AdmissionRequest& request, const AdmissionDone& done) {
    if (request.head.authorization == "Bearer good")
      return done(Admitted{.principal = {.id = "a"}, .lease = for_ever});
    done(Refusal{.error = unauthenticated("no")});
  };
  options.routes.push_back({.path = "/rows", .methods = {"GET"}, .receiver = echo(), .takes_basic = true});
  const auto server = start_server(std::move(options), echo());
  TcpClient client = TcpClient::connect(server->port());
  const std::string basic = "Authorization: Basic YW55Ym9keTpnb29k\r\n";  // anybody:good
  client.send(get("/rows", basic));
  EXPECT_EQ(client.read_reply().status, 200);
  client.send(post("{}", "Authorization: Bearer good\r\n"));
  EXPECT_EQ(client.read_reply().status, 200);
  client.send(post("{}", basic));
  EXPECT_EQ(client.read_reply().status, 401);
}

TEST(HttpAdmission, SendsChallengeAndRetryAfterOfARefusal) {
  HttpServerOptions options;
  options.admit = [](const AdmissionRequest& request, const AdmissionDone& done) {
    if (request.head.authorization)
      return done(Refusal{.error = unavailable("down").with_code("provider_down"),
                          .retry_after = std::chrono::seconds(5)});
    done(Refusal{.error = unauthenticated("who?"), .challenge = R"(Bearer scope="a")"});
  };
  const auto server = start_server(std::move(options), echo());
  TcpClient client = TcpClient::connect(server->port());
  client.send(post("{}"));
  const HttpReply unknown = client.read_reply();
  EXPECT_EQ(unknown.status, 401);
  EXPECT_EQ(unknown.header("www-authenticate"), R"(Bearer scope="a")");
  TcpClient other = TcpClient::connect(server->port());
  other.send(post("{}", "Authorization: x\r\n"));
  const HttpReply down = other.read_reply();
  EXPECT_EQ(down.status, 503);
  EXPECT_EQ(down.header("retry-after"), "5");
  EXPECT_EQ(down.body,
            R"({"jsonrpc":"2.0","error":{"code":-32603,"message":"down","data":{"code":"provider_down"}}})");
}

TEST(HttpPublicDocument, IsReadByAnybodyFromAnywhere) {
  HttpServerOptions options;
  options.admit = admit_by([](const auto&) { return unauthenticated("no"); });
  options.public_document = [](std::string_view path) -> std::optional<protocol::Final> {
    if (path != "/.well-known/about") return std::nullopt;
    return protocol::Final{.message = R"({"a":1})", .headers = {{"Cache-Control", "max-age=60"}}};
  };
  const auto server = start_server(std::move(options), echo());
  const auto ask = [&](const std::string& request_line) {
    TcpClient client = TcpClient::connect(server->port());
    client.send(request_line +
                " HTTP/1.1\r\nHost: elsewhere.example\r\nOrigin: https://elsewhere.example\r\n\r\n");
    return request_line.starts_with("GET") ? client.read_reply() : client.read_head();
  };
  const HttpReply document = ask("GET /.well-known/about?x=1");
  EXPECT_EQ(document.status, 200);
  EXPECT_EQ(document.body, R"({"a":1})");
  EXPECT_EQ(document.header("access-control-allow-origin"), "*");
  EXPECT_EQ(document.header("cache-control"), "max-age=60");
  EXPECT_EQ(document.header("content-type"), "application/json");
  EXPECT_EQ(ask("HEAD /.well-known/about").header("content-length"), "7");
  const HttpReply preflight = ask("OPTIONS /.well-known/about");
  EXPECT_EQ(preflight.status, 204);
  EXPECT_EQ(preflight.header("access-control-allow-headers"), "*");
  EXPECT_EQ(ask("DELETE /.well-known/about").status, 405);
  EXPECT_EQ(ask("GET /.well-known/other").status, 403);
}

TEST(HttpServer, RefusesATokenInTheQuery) {
  const auto server = start_server({}, echo());
  for (const std::string query :
       {"access_token=a", "a=b&access_token=", "a&access%5Ftoken=x", "%61ccess_token"}) {
    TcpClient client = TcpClient::connect(server->port());
    client.send(
        "POST /mcp?" + query +
        " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
    EXPECT_EQ(client.read_reply().status, 400) << query;
  }
  for (const std::string query : {"token=a", "access_tokens=a", "x=access_token", "%"}) {
    TcpClient client = TcpClient::connect(server->port());
    client.send(
        "POST /mcp?" + query +
        " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
    EXPECT_EQ(client.read_reply().status, 200) << query;
  }
}

}  // namespace
}  // namespace sluice::transport
