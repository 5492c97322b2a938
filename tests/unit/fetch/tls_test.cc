// HTTPS, mostly against openssl's own server, with authorities made for the test.

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "child_process.h"
#include "fetching.h"
#include "test_authority.h"

namespace sluice::fetch::testing {
namespace {

// Two authorities, and servers that show certificates of the first.
class Tls : public ::testing::Test {
 protected:
  static std::vector<std::string> command(const TlsFiles& files) {
    return {"openssl",         "s_server", "-accept", "127.0.0.1:0", "-cert",
            files.certificate, "-key",     files.key, "-www"};
  }
  std::string start(const TlsFiles& files) {
    server_ = std::make_unique<ChildProcess>(command(files));
    const std::string port = server_->read_behind("ACCEPT 127.0.0.1:");
    EXPECT_NE(port, "");
    return port;
  }
  static Result<Response> ask(const std::string& host_and_port, const std::string& ca_file) {
    const Policy policy{.allow_private = true, .ca_file = ca_file, .hosts = {{"api.example", {"127.0.0.1"}}}};
    return client_of(policy)->send(request("https://" + host_and_port + "/"));
  }

  TestAuthority authority_;
  TestAuthority other_;
  std::unique_ptr<ChildProcess> server_;
};

TEST_F(Tls, TrustsThePrivateAuthorityThatIsConfigured) {
  const std::string port = start(authority_.certify("DNS:api.example,IP:127.0.0.1"));
  const Result<Response> by_name = ask("api.example:" + port, authority_.file());
  ASSERT_TRUE(by_name.ok()) << by_name.error().message;
  EXPECT_EQ(by_name->head.status, 200);
  EXPECT_TRUE(ask("127.0.0.1:" + port, authority_.file()).ok());
}

TEST_F(Tls, RefusesAnAuthorityThatIsNotConfigured) {
  const std::string port = start(authority_.certify("DNS:api.example"));
  EXPECT_EQ(code_of(ask("api.example:" + port, "")), "tls_failed");
  EXPECT_EQ(code_of(ask("api.example:" + port, other_.file())), "tls_failed");
  EXPECT_EQ(code_of(ask("api.example:" + port, authority_.folder() + "/missing.pem")), "tls_failed");
}

TEST_F(Tls, RefusesACertificateForAnotherName) {
  const std::string port = start(authority_.certify("DNS:other.example"));
  EXPECT_EQ(code_of(ask("api.example:" + port, authority_.file())), "tls_failed");
  EXPECT_EQ(code_of(ask("127.0.0.1:" + port, authority_.file())), "tls_failed");
}

TEST_F(Tls, RefusesACertificateThatHasExpired) {
  const std::string port = start(authority_.certify("DNS:api.example", -1));
  EXPECT_EQ(code_of(ask("api.example:" + port, authority_.file())), "tls_failed");
}

TEST_F(Tls, CredentialsAreNotSentFromHttpsToHttp) {
  const HttpFixture plain([](const SeenRequest&, Answer& answer) { answer.text("plain"); });
  const HttpFixture secure([&](const SeenRequest&, Answer& answer) { answer.redirect(302, plain.url("/")); },
                           "127.0.0.1", authority_.certify("IP:127.0.0.1"));
  Request asked = request(secure.url("/down"));
  const auto client = client_of({.allow_private = true, .ca_file = authority_.file()});
  asked.credentials = {.origin = asked.url.origin(), .headers = {{"Authorization", "secret"}}};
  EXPECT_EQ(code_of(client->send(asked)), "redirect_refused");
  EXPECT_TRUE(plain.seen().empty());
  asked.credentials = {};
  const Result<Response> followed = client->send(asked);
  ASSERT_TRUE(followed.ok()) << followed.error().message;
  EXPECT_EQ(followed->body, "plain");
}

TEST_F(Tls, RefusesWhatIsNotTlsAtAll) {
  const HttpFixture plain([](const SeenRequest&, Answer& answer) { answer.text("x"); });
  Request asked = request("https://127.0.0.1:" + std::to_string(plain.port()) + "/");
  asked.limits.connect = std::chrono::milliseconds(300);
  // The other waits for the rest of a head.
  EXPECT_EQ(code_of(loopback_client()->send(asked)), "fetch_timed_out");
}

}  // namespace
}  // namespace sluice::fetch::testing
