// The ways to a portal: IPv6, TLS with a private authority, proxies.

#include <string>

#include <gmock/gmock.h>

#include "file_server.h"
#include "test_authority.h"

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

class CkanWires : public EachWay {};
INSTANTIATE_TEST_SUITE_P(Each, CkanWires, each_way(), way_name);

TEST_P(CkanWires, ReachAPortalAndItsFiles) {
  PortalFixture fixture(GetParam());
  fixture.serve("/table.csv", [](const SeenRequest&, Answer& answer) { answer.text("x,y\n1,2\n"); });
  FileServer::offer(fixture, fixture.base() + "/table.csv");
  EXPECT_THAT(fixture.base(), StartsWith(GetParam().is_https ? "https://" : "http://"));
  EXPECT_THAT(fixture.base(), HasSubstr(GetParam().is_v6 ? "[::1]" : "127.0.0.1"));
  CkanSpec spec = one_portal(fixture.base());
  spec.portals[0].ca_file = fixture.ca_file();
  EXPECT_EQ(status_of(spec), "2.10.1");
  spec.portals[0].host = "dati.gov.it";
  EXPECT_EQ(FileServer(spec).rows(), "[[1,2]]");
}

TEST(CkanTls, APrivateAuthorityIsTrustedWhereItIsConfigured) {
  PortalFixture fixture(Way{.is_https = true});
  CkanSpec spec = one_portal(fixture.base());
  EXPECT_EQ(status_of(spec), "tls_failed");
  const fetch::testing::TestAuthority other;
  spec.portals[0].ca_file = other.file();
  EXPECT_EQ(status_of(spec), "tls_failed");
  EXPECT_TRUE(fixture.http().seen().empty());
  spec.portals[0].ca_file = fixture.ca_file();
  EXPECT_EQ(status_of(spec), "2.10.1");
}

TEST(CkanTls, AFileIsTrustedByTheAuthorityOfItsPortalAlone) {
  PortalFixture fixture;
  HttpFixture files([](const SeenRequest&, Answer& answer) { answer.text("x,y\n1,2\n"); }, "127.0.0.1",
                    fetch::testing::TestAuthority::loopback());
  FileServer::offer(fixture, files.url("/table.csv"));
  CkanSpec spec = one_portal(fixture.base());
  spec.portals[0].host = "dati.gov.it";
  spec.portals[0].origins = {files.origin()};
  EXPECT_EQ(FileServer(spec).code(), "tls_failed");
  spec.portals[0].ca_file = fetch::testing::TestAuthority::shared().file();
  EXPECT_EQ(FileServer(spec).rows(), "[[1,2]]");
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
