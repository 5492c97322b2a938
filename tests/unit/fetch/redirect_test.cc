// Redirects, addresses behind names (`ssrf`), and where credentials go (`credential_theft`).

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "fetching.h"

namespace sluice::fetch::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A server that leads to another.
class Redirects : public ::testing::Test {
 protected:
  HttpFixture target_{[](const SeenRequest&, Answer& answer) { answer.text("target"); }};
  HttpFixture source_{[this](const SeenRequest& request, Answer& answer) {
    if (request.target == "/here") return answer.redirect(302, "/there");
    if (request.target == "/loop") return answer.redirect(301, "/loop");
    if (request.target.starts_with("/to/")) return answer.redirect(307, request.target.substr(4));
    if (request.target == "/303") return answer.redirect(303, "/there");
    if (request.target == "/308") return answer.redirect(308, "/there");
    if (request.target == "/across") return answer.redirect(302, target_.url("/arrived?x=1"));
    if (request.target == "/flood")
      return answer.reply(302, {{"Location", "/there"}}, std::string(1'000'000, 'x'));
    answer.text("source");
  }};
  static Request with_credentials(const std::string& url) {
    Request out = request(url);
    out.credentials = {.origin = out.url.origin(),
                       .headers = {{"Authorization", "Bearer secret"}, {"X-Key", "secret"}}};
    return out;
  }
};

TEST_F(Redirects, AreFollowedAndTheEndIsNamed) {
  const Response response = send(source_.url("/here")).value();
  EXPECT_EQ(response.body, "source");
  EXPECT_EQ(response.head.url.text(), source_.url("/there"));
  EXPECT_EQ(send(source_.url("/across")).value().body, "target");
}

TEST_F(Redirects, EndAfterAFew) {
  EXPECT_EQ(code_of(send(source_.url("/loop"))), "too_many_redirects");
  EXPECT_EQ(source_.seen().size(), 6U);
  Request none = request(source_.url("/here"));
  none.limits.redirects_max = 0;
  EXPECT_EQ(code_of(loopback_client()->send(none)), "too_many_redirects");
}

TEST_F(Redirects, WithALongBodyAreNotReadToTheEnd) {
  EXPECT_EQ(code_of(send(source_.url("/flood"))), "answer_too_large");
}

TEST_F(Redirects, MakeAGetOfAPostOrKeepIt) {
  Request post = request(source_.url("/303"));
  post.method = "POST";
  post.body = "x=1";
  ASSERT_TRUE(loopback_client()->send(post).ok());
  EXPECT_EQ(source_.seen().at(1).method, "GET");
  EXPECT_EQ(source_.seen().at(1).body, "");
  post.url = Url::parse(source_.url("/308")).value();
  ASSERT_TRUE(loopback_client()->send(post).ok());
  EXPECT_EQ(source_.seen().at(3).method, "POST");
  EXPECT_EQ(source_.seen().at(3).body, "x=1");
}

TEST_F(Redirects, ToOtherSchemesAreRefused) {
  for (const std::string to :
       {"file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1:6379/_INFO", "dict://x/",
        "http://user@127.0.0.1/", "http://0x7f.1/", "http://2130706433/"}) {
    EXPECT_EQ(code_of(send(source_.url("/to/" + to))), "redirect_refused") << to;
  }
}

TEST_F(Redirects, ToRefusedAddressesAreNotFollowed) {
  // Private networks are allowed here, and still these are not.
  for (const std::string to :
       {"http://169.254.169.254/latest/meta-data/", "http://[fe80::1]/", "http://0.0.0.0/",
        "http://[::ffff:169.254.169.254]/", "http://[64:ff9b::7f00:1]/", "http://224.0.0.1/"}) {
    EXPECT_EQ(code_of(send(source_.url("/to/" + to))), "redirect_refused") << to;
  }
}

TEST_F(Redirects, AreHeldAgainstTheAllowList) {
  const auto client = client_of({.allowed = {source_.origin()}, .allow_private = true});
  EXPECT_EQ(code_of(client->send(request(source_.url("/across")))), "redirect_refused");
  EXPECT_EQ(client->send(request(source_.url("/here"))).value().body, "source");
  EXPECT_EQ(code_of(client->send(request(target_.url("/")))), "origin_refused");
  EXPECT_TRUE(target_.seen().empty());
}

TEST_F(Redirects, CredentialsGoToTheirOriginAlone) {
  const auto client = loopback_client();
  Request sent = with_credentials(source_.url("/across"));
  sent.headers = {{"Accept", "text/plain"},
                  {"Authorization", "Basic other"},
                  {"X-Session", "secret"},
                  {"Cookie", "a=secret"}};
  ASSERT_TRUE(client->send(sent).ok());
  EXPECT_EQ(source_.seen().at(0).header("authorization"), "Bearer secret");
  EXPECT_EQ(source_.seen().at(0).header("x-key"), "secret");
  const SeenRequest arrived = target_.seen().at(0);
  EXPECT_EQ(arrived.header("accept"), "text/plain");
  for (const auto& [name, value] : arrived.headers) {
    EXPECT_THAT(value, Not(HasSubstr("secret"))) << name;
    EXPECT_THAT(value, Not(HasSubstr("other"))) << name;
  }
  EXPECT_EQ(arrived.headers.count("referer"), 0U);
}

TEST_F(Redirects, CredentialsAreNotSentToAnUrlOfAnotherOrigin) {
  Request sent = with_credentials(source_.url("/"));
  sent.url = Url::parse(target_.url("/")).value();
  ASSERT_TRUE(loopback_client()->send(sent).ok());
  EXPECT_EQ(target_.seen().at(0).headers.count("authorization"), 0U);
}

TEST_F(Redirects, CredentialsStayOnRedirectsWithinTheOrigin) {
  ASSERT_TRUE(loopback_client()->send(with_credentials(source_.url("/here"))).ok());
  EXPECT_EQ(source_.seen().at(1).header("authorization"), "Bearer secret");
}

TEST_F(Redirects, CredentialsThereAndBackAgainAreOnlyAtHome) {
  HttpFixture back(
      [this](const SeenRequest&, Answer& answer) { answer.redirect(302, source_.url("/home")); });
  ASSERT_TRUE(loopback_client()->send(with_credentials(source_.url("/to/" + back.url("/")))).ok());
  EXPECT_EQ(back.seen().at(0).headers.count("authorization"), 0U);
}

TEST_F(Redirects, BodiesAreNotForAnotherOrigin) {
  Request post = request(source_.url("/to/" + target_.url("/")));
  post.method = "POST";
  post.body = "secret";
  EXPECT_EQ(code_of(loopback_client()->send(post)), "redirect_refused");
  EXPECT_TRUE(target_.seen().empty());
}

TEST(SsrfNames, AreJudgedByWhatTheyLeadTo) {
  HttpFixture server([](const SeenRequest&, Answer& answer) { answer.text("inside"); });
  const std::string url = "http://rebind.example:" + std::to_string(server.port()) + "/";
  const auto outcome = [&](const std::vector<std::string>& addresses, bool allow_private) {
    return code_of(client_of({.allow_private = allow_private, .hosts = {{"rebind.example", addresses}}})
                       ->send(request(url)));
  };
  EXPECT_EQ(outcome({"127.0.0.1"}, false), "address_refused");
  EXPECT_EQ(outcome({"[::1]"}, false), "address_refused");
  EXPECT_EQ(outcome({"127.0.0.1", "[::1]", "10.0.0.1"}, false), "address_refused");
  EXPECT_EQ(outcome({"[::ffff:127.0.0.1]"}, false), "address_refused");
  EXPECT_EQ(outcome({"[64:ff9b::7f00:1]"}, false), "address_refused");
  EXPECT_EQ(outcome({"[2002:7f00:1::1]"}, false), "address_refused");
  EXPECT_EQ(outcome({"169.254.169.254"}, true), "address_refused");
  EXPECT_EQ(outcome({"0.0.0.0"}, true), "address_refused");
  EXPECT_TRUE(server.seen().empty());
  EXPECT_EQ(server.connections(), 0U);
  EXPECT_EQ(outcome({"127.0.0.1"}, true), "");
  EXPECT_EQ(server.seen().at(0).header("host"), "rebind.example:" + std::to_string(server.port()));
}

TEST(SsrfNames, LocalhostIsLoopback) {
  HttpFixture server([](const SeenRequest&, Answer& answer) { answer.text("inside"); });
  const std::string url = "http://localhost:" + std::to_string(server.port()) + "/";
  EXPECT_EQ(code_of(client_of({})->send(request(url))), "address_refused");
  EXPECT_EQ(server.connections(), 0U);
}

TEST(SsrfNames, ARedirectToANameThatLeadsInsideIsRefused) {
  HttpFixture inside([](const SeenRequest&, Answer& answer) { answer.text("inside"); });
  HttpFixture outside([&](const SeenRequest&, Answer& answer) {
    answer.redirect(302, "http://meta.example:" + std::to_string(inside.port()) + "/");
  });
  const auto client = client_of({.allow_private = true, .hosts = {{"meta.example", {"169.254.169.254"}}}});
  EXPECT_EQ(code_of(client->send(request(outside.url("/")))), "address_refused");
  EXPECT_TRUE(inside.seen().empty());
}

TEST(Proxy, IsUsedOnlyWhereItIsConfigured) {
  HttpFixture proxy([](const SeenRequest&, Answer& answer) { answer.text("by proxy"); });
  ::setenv("http_proxy", proxy.origin().c_str(), 1);
  ::setenv("ALL_PROXY", proxy.origin().c_str(), 1);
  HttpFixture server([](const SeenRequest&, Answer& answer) { answer.text("direct"); });
  EXPECT_EQ(send(server.url("/")).value().body, "direct");
  ::unsetenv("http_proxy");
  ::unsetenv("ALL_PROXY");
  EXPECT_TRUE(proxy.seen().empty());
  const auto client = client_of({.allowed = {"somewhere.example"}, .proxy = proxy.origin()});
  EXPECT_EQ(client->send(request("http://somewhere.example/x")).value().body, "by proxy");
  EXPECT_EQ(proxy.seen().at(0).target, "http://somewhere.example/x");
  EXPECT_EQ(code_of(client->send(request("http://elsewhere.example/x"))), "origin_refused");
  EXPECT_EQ(code_of(client->send(request("http://127.0.0.1/x"))), "origin_refused");
}

}  // namespace
}  // namespace sluice::fetch::testing
