// HTTPS against openssl's own server, with authorities made for the test.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>

#include "child_process.h"
#include "fetching.h"

namespace sluice::fetch::testing {
namespace {

// Certificates of two authorities, and servers that show them.
class Tls : public ::testing::Test {
 public:
  Tls() {
    std::string pattern = ::testing::TempDir() + "sluice-tls-XXXXXX";
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    make_authority("ca");
    make_authority("other");
  }
  ~Tls() override { std::filesystem::remove_all(folder_); }

 protected:
  std::string at(const std::string& name) const { return folder_ + "/" + name; }
  static void run(const std::vector<std::string>& command) {
    EXPECT_EQ(ChildProcess(command).wait(), 0) << command.at(1);
  }
  void make_authority(const std::string& name) const {
    run({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
         "30", "-subj", "/CN=" + name, "-addext", "basicConstraints=critical,CA:TRUE", "-keyout",
         at(name + ".key"), "-out", at(name + ".pem")});
  }
  // A certificate for `names`, signed by the authority "ca".
  void make_certificate(const std::string& name, const std::string& names,
                        const std::string& days = "30") const {
    run({"openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
         "/CN=" + name, "-addext", "subjectAltName=" + names, "-keyout", at(name + ".key"), "-out",
         at(name + ".csr")});
    run({"openssl", "x509", "-req", "-in", at(name + ".csr"), "-CA", at("ca.pem"), "-CAkey", at("ca.key"),
         "-days", days, "-copy_extensions", "copy", "-out", at(name + ".pem")});
  }
  std::string start(const std::string& name) {
    server_ = std::make_unique<ChildProcess>(
        std::vector<std::string>{"openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", at(name + ".pem"),
                                 "-key", at(name + ".key"), "-www"});
    const std::string place = server_->read_behind("ACCEPT 127.0.0.1:");
    EXPECT_NE(place, "");
    return place;
  }
  Result<Response> ask(const std::string& host_and_port, const std::string& authority) const {
    Policy policy{.allow_private = true, .hosts = {{"api.example", {"127.0.0.1"}}}};
    if (!authority.empty()) policy.ca_file = at(authority);
    return client_of(policy)->send(request("https://" + host_and_port + "/"));
  }

  std::string folder_;
  std::unique_ptr<ChildProcess> server_;
};

TEST_F(Tls, TrustsThePrivateAuthorityThatIsConfigured) {
  make_certificate("good", "DNS:api.example,IP:127.0.0.1");
  const std::string port = start("good");
  const Result<Response> by_name = ask("api.example:" + port, "ca.pem");
  ASSERT_TRUE(by_name.ok()) << by_name.error().message;
  EXPECT_EQ(by_name->head.status, 200);
  EXPECT_TRUE(ask("127.0.0.1:" + port, "ca.pem").ok());
}

TEST_F(Tls, RefusesAnAuthorityThatIsNotConfigured) {
  make_certificate("good", "DNS:api.example");
  const std::string port = start("good");
  EXPECT_EQ(code_of(ask("api.example:" + port, "")), "tls_failed");
  EXPECT_EQ(code_of(ask("api.example:" + port, "other.pem")), "tls_failed");
  EXPECT_EQ(code_of(ask("api.example:" + port, "missing.pem")), "tls_failed");
}

TEST_F(Tls, RefusesACertificateForAnotherName) {
  make_certificate("wrong", "DNS:other.example");
  const std::string port = start("wrong");
  EXPECT_EQ(code_of(ask("api.example:" + port, "ca.pem")), "tls_failed");
  EXPECT_EQ(code_of(ask("127.0.0.1:" + port, "ca.pem")), "tls_failed");
}

TEST_F(Tls, RefusesACertificateThatHasExpired) {
  make_certificate("old", "DNS:api.example", "-1");
  EXPECT_EQ(code_of(ask("api.example:" + start("old"), "ca.pem")), "tls_failed");
}

TEST_F(Tls, V8_CredentialsAreNotSentFromHttpsToHttp) {
  make_certificate("good", "IP:127.0.0.1");
  const HttpFixture plain([](const SeenRequest&, Answer& answer) { answer.text("plain"); });
  std::ofstream(at("down")) << "HTTP/1.1 302 Down\r\nLocation: " << plain.url("/")
                            << "\r\nContent-Length: 0\r\n\r\n";
  // This server answers with files that hold whole answers.
  ChildProcess server({"env", "-C", folder_, "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert",
                       at("good.pem"), "-key", at("good.key"), "-HTTP"});
  Request asked = request("https://127.0.0.1:" + server.read_behind("ACCEPT 127.0.0.1:") + "/down");
  const auto client = client_of({.allow_private = true, .ca_file = at("ca.pem")});
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
