#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include "sluice/fetch/client.h"
#include "sluice/oauth/loopback_user_agent.h"

#include "world.h"

namespace sluice::oauth::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Sends raw bytes to a port of this machine and returns what comes back.
std::string talk(const std::string& redirect_uri, const std::string& bytes) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(redirect_uri.substr(17))));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string out;
  if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 &&
      ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL) >= 0) {
    std::string piece(4'096, '\0');
    for (ssize_t got = ::recv(socket, piece.data(), piece.size(), 0); got > 0;
         got = ::recv(socket, piece.data(), piece.size(), 0)) {
      out.append(piece, 0, static_cast<std::size_t>(got));
    }
  }
  ::close(socket);
  return out;
}

std::string host_of(const std::string& uri) { return uri.substr(7, uri.find('/', 7) - 7); }

std::string get(const std::string& uri, const std::string& target) {
  return talk(uri, "GET " + target + " HTTP/1.1\r\nHost: " + host_of(uri) + "\r\n\r\n");
}

// A user agent whose browser does what a test says, on a thread of its own.
class Loopback : public ::testing::Test {
 protected:
  Result<std::string> authorize(const std::function<void(const std::string& uri)>& browser,
                                std::chrono::milliseconds timeout = std::chrono::seconds(10)) {
    std::string uri;
    std::jthread thread;  // Ends before what it reads.
    const std::unique_ptr<UserAgent> agent =
        make_loopback_user_agent({.open = [&](const std::string&) -> Status {
                                    thread = std::jthread([&] { browser(uri); });
                                    return {};
                                  },
                                  .timeout = timeout})
            .value();
    uri = agent->redirect_uri().value();
    uri_ = uri;
    return agent->authorize("https://as.example.org/authorize?state=right&x=y", {});
  }

  std::string uri_;
};

TEST_F(Loopback, BringsTheAnswerBack) {
  std::string page;
  const Result<std::string> answer =
      authorize([&](const std::string& uri) { page = get(uri, "/callback?code=c&state=right"); });
  EXPECT_THAT(uri_, StartsWith("http://127.0.0.1:"));
  EXPECT_EQ(answer.value(), uri_ + "?code=c&state=right");
  EXPECT_THAT(page, StartsWith("HTTP/1.1 200 OK"));
  EXPECT_THAT(page, Not(HasSubstr("code=c")));
  EXPECT_EQ(get(uri_, "/callback?code=c&state=right"), "");  // The port is closed.
}

TEST_F(Loopback, TurnsAwayWhatIsNotTheAnswer) {
  std::vector<std::string> pages;
  const Result<std::string> answer = authorize([&](const std::string& uri) {
    pages.push_back(get(uri, "/callback?code=evil&state=wrong"));
    pages.push_back(get(uri, "/callback?code=evil"));
    pages.push_back(get(uri, "/callback?code=evil&state=rightmost"));
    pages.push_back(get(uri, "/favicon.ico"));
    pages.push_back(get(uri, "/callback/../callback?state=right"));
    pages.push_back(
        talk(uri, "POST /callback?code=evil&state=right HTTP/1.1\r\nHost: " + host_of(uri) + "\r\n\r\n"));
    pages.push_back(
        talk(uri, "GET /callback?code=evil&state=right HTTP/1.1\r\nHost: evil.example.org\r\n\r\n"));
    pages.push_back(talk(uri, "GET /callback?code=evil&state=right HTTP/1.1\r\n\r\n"));
    pages.push_back(talk(uri, std::string(20'000, 'a')));
    get(uri, "/callback?code=good&state=right");
  });
  EXPECT_EQ(answer.value(), uri_ + "?code=good&state=right");
  ASSERT_EQ(pages.size(), 9U);
  for (std::size_t i = 0; i + 1 < pages.size(); ++i) EXPECT_THAT(pages[i], StartsWith("HTTP/1.1 404")) << i;
}

TEST_F(Loopback, DoesNotWaitForEver) {
  const Result<std::string> answer = authorize([](const std::string&) {}, std::chrono::milliseconds(50));
  EXPECT_EQ(code_of(answer), "user_agent_timed_out");
}

TEST_F(Loopback, GivesUpOnAFloodOfOtherRequests) {
  const Result<std::string> answer = authorize([](const std::string& uri) {
    for (int i = 0; i < 70; ++i) get(uri, "/callback?state=wrong");
  });
  EXPECT_EQ(code_of(answer), "user_agent_failed");
}

TEST_F(Loopback, EndsWhereItIsStopped) {
  std::stop_source stop;
  const std::unique_ptr<UserAgent> agent =
      make_loopback_user_agent({.open = [&](const std::string&) -> Status {
        stop.request_stop();
        return {};
      }}).value();
  ASSERT_TRUE(agent->redirect_uri().ok());
  const Result<std::string> answer = agent->authorize("https://as.example.org/?state=x", stop.get_token());
  EXPECT_EQ(answer.error().kind, ErrorKind::kCancelled);
}

TEST_F(Loopback, IsUsedOnce) {
  const std::unique_ptr<UserAgent> agent =
      make_loopback_user_agent({.open = [](const std::string&) -> Status {
        return unavailable("no browser");
      }}).value();
  EXPECT_EQ(code_of(agent->authorize("https://as.example.org/?state=x", {})), "user_agent_failed");
  ASSERT_TRUE(agent->redirect_uri().ok());
  EXPECT_EQ(agent->authorize("https://as.example.org/?state=x", {}).error().message, "no browser");
  EXPECT_EQ(code_of(agent->authorize("https://as.example.org/?state=x", {})), "user_agent_failed");
}

TEST_F(Loopback, KeepsItsPortWhereItIsFree) {
  const std::unique_ptr<UserAgent> agent =
      make_loopback_user_agent({.open = [](const std::string&) -> Status { return {}; }}).value();
  const std::string uri = agent->redirect_uri().value();
  EXPECT_EQ(agent->redirect_uri().value(), uri);
  const std::unique_ptr<UserAgent> other =
      make_loopback_user_agent({.open = [](const std::string&) -> Status { return {}; }}).value();
  EXPECT_NE(other->redirect_uri().value(), uri);
}

TEST_F(Loopback, WaitsOnThePortThatIsNamedAndOnNoOther) {
  const auto open = [](const std::string&) -> Status { return {}; };
  const std::unique_ptr<UserAgent> any = make_loopback_user_agent({.open = open}).value();
  const std::string uri = any->redirect_uri().value();
  const auto port = static_cast<std::uint16_t>(std::stoi(uri.substr(17)));
  const std::unique_ptr<UserAgent> named = make_loopback_user_agent({.open = open, .port = port}).value();
  const Result<std::string> taken = named->redirect_uri();
  EXPECT_EQ(code_of(taken), "user_agent_failed");
  EXPECT_THAT(taken.error().message, HasSubstr("port " + std::to_string(port)));
  // Closes the port that any() has.
  EXPECT_FALSE(any->authorize("https://as.example.org/", {}).ok());
  EXPECT_EQ(named->redirect_uri().value(), uri);
  EXPECT_EQ(named->redirect_uri().value(), uri);
}

TEST_F(Loopback, CompletesTheWholeFlowWithABrowserThatFollowsRedirects) {
  World world;
  world.server.on("/authorize", [](const SeenRequest& request, Answer& answer) {
    const Fields query = query_of(request.target);
    answer.redirect(302, query.at("redirect_uri") + "?code=the-code&state=" + query.at("state"));
  });
  std::jthread browser;
  const std::unique_ptr<UserAgent> agent =
      make_loopback_user_agent({.open = [&](const std::string& url) -> Status {
        browser = std::jthread([url] {
          fetch::Request request;
          request.url = fetch::Url::parse(url).value();
          EXPECT_TRUE(fetch::Client::create({.allow_private = true}).value()->send(request).ok());
        });
        return {};
      }}).value();
  const std::unique_ptr<Authorizer> authorizer =
      make_oauth_authorizer(world.options(), {.tokens = *world.tokens, .user_agent = agent.get()}).value();
  EXPECT_TRUE(authorizer->challenged(world.refusal(), {}).value());
  EXPECT_EQ(world.authorization(*authorizer), "Bearer token-1");
}

}  // namespace
}  // namespace sluice::oauth::testing
