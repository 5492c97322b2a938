// The ways to a portal: IPv6, TLS with a private authority, proxies.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>

#include "child_process.h"
#include "file_server.h"

namespace sluice::ckan::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

CkanSpec one_portal(const std::string& base) {
  CkanSpec spec;
  PortalSpec portal;
  portal.host = "portal.example";
  portal.base = base;
  portal.allow_private = true;
  spec.portals = {portal};
  return spec;
}

std::string status_of(const CkanSpec& spec, const std::string& server_url = "https://portal.example") {
  CkanServer server(spec);
  const json::Object arguments{{"server_url", server_url}};
  const std::string error = server.tool_error("ckan_status_show", arguments);
  return error.empty() ? at(server.call("ckan_status_show", arguments), "ckan_version") : error;
}

TEST(CkanWires, ReachIpv6) {
  PortalFixture fixture("::1");
  EXPECT_THAT(fixture.base(), StartsWith("http://[::1]:"));
  EXPECT_EQ(status_of(one_portal(fixture.base())), "2.10.1");
}

class CkanTls : public ::testing::Test {
 protected:
  CkanTls() {
    std::string pattern = ::testing::TempDir() + "sluice-ckan-XXXXXX";
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    run({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
         "30", "-subj", "/CN=test authority", "-addext", "basicConstraints=critical,CA:TRUE", "-keyout",
         at("ca.key"), "-out", at("ca.pem")});
    run({"openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
         "/CN=portal", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", at("portal.key"), "-out",
         at("portal.csr")});
    run({"openssl", "x509", "-req", "-in", at("portal.csr"), "-CA", at("ca.pem"), "-CAkey", at("ca.key"),
         "-days", "30", "-copy_extensions", "copy", "-out", at("portal.pem")});
    std::filesystem::create_directories(at("api/3/action"));
  }
  ~CkanTls() override { std::filesystem::remove_all(folder_); }

  std::string at(const std::string& name) const { return folder_ + "/" + name; }
  static void run(const std::vector<std::string>& command) {
    EXPECT_EQ(fetch::testing::ChildProcess(command).wait(), 0) << command.at(1);
  }
  // Files that hold whole answers, by their target.
  void answer(const std::string& target, const std::string& body) const {
    std::ofstream(at(target)) << "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                              << body.size() << "\r\n\r\n"
                              << body;
  }
  std::string start() {
    server_ = std::make_unique<fetch::testing::ChildProcess>(
        std::vector<std::string>{"env", "-C", folder_, "openssl", "s_server", "-accept", "127.0.0.1:0",
                                 "-cert", at("portal.pem"), "-key", at("portal.key"), "-HTTP"});
    return "https://127.0.0.1:" + server_->read_behind("ACCEPT 127.0.0.1:");
  }

  std::string folder_;
  std::unique_ptr<fetch::testing::ChildProcess> server_;
};

TEST_F(CkanTls, APrivateAuthorityIsTrustedWhereItIsConfigured) {
  answer("api/3/action/status_show", success(R"({"ckan_version":"over TLS"})"));
  CkanSpec spec = one_portal(start());
  EXPECT_EQ(status_of(spec), "tls_failed");
  spec.portals[0].ca_file = at("ca.pem");
  EXPECT_EQ(status_of(spec), "over TLS");
}

TEST_F(CkanTls, FilesComeOverTlsToo) {
  const std::string base = start();
  answer("api/3/action/resource_show?id=id",
         success(R"({"id":"id","format":"CSV","url":")" + base + R"(/table.csv"})"));
  answer("table.csv", "x,y\n1,2\n");
  CkanSpec spec = one_portal(base);
  spec.portals[0].host = "dati.gov.it";
  spec.portals[0].ca_file = at("ca.pem");
  FileServer server(spec);
  EXPECT_EQ(server.rows(), "[[1,2]]");
}

TEST(CkanProxy, ReachesConfiguredHostsAlone) {
  HttpFixture proxy([](const SeenRequest& request, Answer& answer) {
    if (request.method == "CONNECT") return answer.reply(502, {}, "");
    answer.json(success(R"({"ckan_version":"by proxy"})"));
  });
  CkanSpec spec = one_portal("http://portal.example");
  spec.portals[0].allow_private = false;
  spec.http_proxy = proxy.origin();
  spec.https_proxy = proxy.origin();
  EXPECT_EQ(status_of(spec), "by proxy");
  EXPECT_THAT(proxy.seen().at(0).target, StartsWith("http://portal.example/api/3/action/status_show"));
  const std::size_t seen = proxy.seen().size();
  EXPECT_EQ(status_of(spec, "https://other.example"), "origin_refused");
  EXPECT_EQ(status_of(spec, "https://169.254.169.254"), "origin_refused");
  EXPECT_EQ(proxy.seen().size(), seen);
  status_of(spec, "https://data.gov.uk");
  EXPECT_EQ(proxy.seen().at(seen).method, "CONNECT") << "a portal that the program knows is configured";
}

TEST(CkanProxy, IsNotUsedForHostsThatAreExcepted) {
  HttpFixture proxy([](const SeenRequest&, Answer& answer) { answer.reply(502, {}, ""); });
  PortalFixture fixture;
  CkanSpec spec = one_portal(fixture.base());
  spec.http_proxy = proxy.origin();
  spec.no_proxy = {"example.org", "127.0.0.1"};
  EXPECT_EQ(status_of(spec), "2.10.1");
  EXPECT_TRUE(proxy.seen().empty());
}

TEST(CkanProxy, MustBeAUrl) {
  CkanSpec spec = one_portal("http://portal.example");
  spec.http_proxy = "http://user:secret@proxy.example";
  const Status status = check_spec(spec);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, "invalid_portal");
  EXPECT_EQ(status.error().message.find("secret"), std::string::npos);
}

}  // namespace
}  // namespace sluice::ckan::testing
