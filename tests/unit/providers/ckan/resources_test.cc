// Pages, completion, and which portal a URI means.

#include <string>

#include <gmock/gmock.h>

#include "sluice/ckan/portal_uri.h"

#include "ckan_server.h"

namespace sluice::ckan::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(CkanLists, ReadOnUntilTheEnd) {
  PortalFixture fixture;
  CkanServer server(fixture);
  std::string uri = "ckan://dati.gov.it/tag/turismo/datasets";
  std::size_t seen = 0;
  std::size_t pages = 0;
  while (uri != "(nothing)") {
    const json::Value page = server.json(uri);
    ASSERT_EQ(at(page, "count"), "250");
    EXPECT_EQ(at(page, "results/0/name"), "dataset-" + std::to_string(seen));
    seen += size_at(page, "results");
    uri = at(page, "next");
    ASSERT_LT(++pages, 10U);
  }
  EXPECT_EQ(seen, 250U);
  EXPECT_EQ(pages, 3U);
  EXPECT_EQ(fixture.asked("package_search").at(0)["rows"], "100");
  EXPECT_EQ(fixture.asked("package_search").at(2)["start"], "200");
}

TEST(CkanLists, TakeRowsAndStart) {
  PortalFixture fixture;
  CkanServer server(fixture);
  const WireMessage reply = server.reply("ckan://dati.gov.it/group/governo/datasets?rows=5&start=10");
  EXPECT_THAT(reply.text({"result", "contents", 0, "text"}), HasSubstr("dataset-14"));
  EXPECT_EQ(reply.text({"result", "contents", 0, "_meta", "sluice/next"}),
            "ckan://dati.gov.it/group/governo/datasets?rows=5&start=15");
  for (const char* query : {"?rows=-1", "?rows=1001", "?start=x", "?rows=1&rows=2", "?q=1", "?rows"})
    EXPECT_EQ(server.reply(std::string("ckan://dati.gov.it/group/governo/datasets") + query).code(), -32602);
  EXPECT_EQ(server.reply("ckan://dati.gov.it/dataset/test-id?rows=1").code(), -32602);
  EXPECT_EQ(size_at(server.json("ckan://dati.gov.it/tag/a/datasets?rows=0"), "results"), 0U);
}

TEST(CkanLists, ThatAreCutGoOnBehindWhatTheyShow) {
  PortalFixture fixture;
  CkanSpec spec = spec_at(fixture);
  spec.characters_max = 3'000;
  CkanServer server(spec);
  std::string uri = "ckan://dati.gov.it/tag/turismo/datasets?rows=100&start=200";
  std::size_t next = 200;
  std::size_t pages = 0;
  while (uri != "(nothing)") {
    const std::string text = server.text(uri);
    EXPECT_LE(text.size(), 3'000U);
    const json::Value page = server.json(uri);
    ASSERT_EQ(at(page, "results/0/name"), "dataset-" + std::to_string(next));
    next += size_at(page, "results");
    uri = at(page, "next");
    ASSERT_LT(++pages, 50U);
  }
  EXPECT_EQ(next, 250U);
  EXPECT_GT(pages, 2U);
}

TEST(CkanUris, NamesAreDecodedAndQuoted) {
  PortalFixture fixture;
  CkanServer server(fixture);
  server.text("ckan://dati.gov.it/tag/qualit%C3%A0%20%22dell%5Caria%22/datasets");
  EXPECT_EQ(fixture.asked("package_search").at(0)["fq"], R"(tags:"qualità \"dell\\aria\"")");
  server.text("ckan://dati.gov.it/tag/a%2Fb/datasets");
  EXPECT_EQ(fixture.asked("package_search").at(1)["fq"], R"(tags:"a/b")");
}

TEST(CkanUris, HostsAreLowerCaseAndPortsStay) {
  const PortalUri uri = parse_portal_uri("ckan://Data.Example.ORG:8443/organization/x").value();
  EXPECT_EQ(uri.server, "https://data.example.org:8443");
  EXPECT_EQ(uri.authority, "data.example.org:8443");
  EXPECT_EQ(parse_portal_uri("ckan://[2001:db8::1]:5000/resource/x").value().server,
            "https://[2001:db8::1]:5000");
}

TEST(CkanUris, PortsAndBracketsMayBePercentEncoded) {
  EXPECT_EQ(parse_portal_uri("ckan://Data.Example.ORG%3A8443/dataset/x").value().authority,
            "data.example.org:8443");
  EXPECT_EQ(parse_portal_uri("ckan://%5B2001:db8::1%5D%3a5000/dataset/x").value().server,
            "https://[2001:db8::1]:5000");
  for (const char* host : {"a%2Fb", "user%40host", "a%3Fb", "a%23b", "a%00b", "a%5Cb", "a%252Fb"})
    EXPECT_FALSE(parse_portal_uri("ckan://" + std::string(host) + "/dataset/x").ok()) << host;
}

TEST(CkanPortals, AnAliasMeansThePortal) {
  PortalFixture fixture;
  CkanSpec spec = spec_at(fixture);
  spec.portals[0].aliases = {"city", "opendata.example.org:8443"};
  CkanServer server(spec);
  for (const char* host : {"dati.gov.it", "city", "CITY", "opendata.example.org:8443"})
    EXPECT_THAT(server.text("ckan://" + std::string(host) + "/dataset/vaccini-covid"), HasSubstr("Example"));
  EXPECT_EQ(fixture.count("package_show"), 1U) << "all of them are one portal";
}

TEST(CkanPortals, KnowTheirPathsWithoutConfiguration) {
  PortalFixture fixture;
  CkanSpec spec = spec_at(fixture);
  spec.portals[0].base = fixture.base() + "/opendata/";
  spec.portals[0].api_path = "/api/action";
  CkanServer server(spec);
  EXPECT_EQ(server.reply("ckan://dati.gov.it/dataset/x").code(), -32602);
  EXPECT_THAT(fixture.http().seen().at(0).target, StartsWith("/opendata/api/action/package_show?id=x"));
}

TEST(CkanPortals, OnlyThoseOfTheConfigurationWhereItSaysSo) {
  PortalFixture fixture;
  CkanSpec spec = spec_at(fixture);
  spec.portals_only = true;
  CkanServer server(spec);
  EXPECT_THAT(server.text("ckan://dati.gov.it/dataset/vaccini-covid"), HasSubstr("Example"));
  for (const char* host : {"data.gov.uk", "open.canada.ca", "other.example"}) {
    const WireMessage reply = server.reply("ckan://" + std::string(host) + "/dataset/x");
    EXPECT_EQ(reply.code(), -32602);
    EXPECT_EQ(reply.text({"error", "data", "code"}), "portal_not_configured");
  }
}

TEST(CkanPortals, ThatMakeNoSenseAreRefused) {
  PortalFixture fixture;
  const auto refused = [&](auto change) {
    CkanSpec spec = spec_at(fixture);
    change(spec.portals[0]);
    const Status status = check_spec(spec);
    return status.ok() ? std::string("taken") : status.error().code;
  };
  EXPECT_EQ(refused([](PortalSpec& portal) { portal.base = "ftp://x"; }), "invalid_portal");
  EXPECT_EQ(refused([](PortalSpec& portal) { portal.base = "https://x/?q=1"; }), "invalid_portal");
  EXPECT_EQ(refused([](PortalSpec& portal) { portal.host = "a b"; }), "invalid_portal");
  EXPECT_EQ(refused([](PortalSpec& portal) { portal.host = "demo.ckan.org"; }), "invalid_portal");
  EXPECT_EQ(refused([](PortalSpec& portal) { portal.aliases = {"user@host"}; }), "invalid_portal");
  EXPECT_EQ(refused([](PortalSpec& portal) { portal.api_path = "api"; }), "invalid_portal");
  EXPECT_EQ(refused([](PortalSpec& portal) { portal.rate.per_second = 0; }), "invalid_portal");
  EXPECT_EQ(refused([](PortalSpec& portal) { portal.hvd_field = "a OR b"; }), "invalid_portal");
  EXPECT_EQ(refused([](PortalSpec& portal) { portal.origins = {"nowhere"}; }), "invalid_portal");
  EXPECT_EQ(refused([](PortalSpec&) {}), "taken");
}

std::vector<std::string> completions(CkanServer& server, const std::string& uri_template,
                                     const std::string& argument, const std::string& typed,
                                     const std::string& host = "dati.gov.it") {
  json::Object params{{"ref", json::Object{{"type", "ref/resource"}, {"uri", uri_template}}},
                      {"argument", json::Object{{"name", argument}, {"value", typed}}}};
  if (!host.empty()) params.set("context", json::Object{{"arguments", json::Object{{"server", host}}}});
  const WireMessage reply = server.client().call("completion/complete", json::to_text(params));
  std::vector<std::string> out;
  for (int i = 0; i < static_cast<int>(reply.size({"result", "completion", "values"})); ++i)
    out.push_back(reply.text({"result", "completion", "values", i}));
  return out;
}

TEST(CkanCompletion, KnowsPortalsAndAsksThemForNames) {
  PortalFixture fixture;
  fixture.answer("package_autocomplete", R"([{"name":"vaccini-covid","title":"V"},{"name":"vaccini"}])");
  CkanServer server(fixture);
  EXPECT_THAT(completions(server, "ckan://{server}/dataset/{id}", "server", "de"),
              ElementsAre("demo.ckan.org"));
  EXPECT_THAT(completions(server, "ckan://{server}/dataset/{id}", "server", "dati.gov"),
              ElementsAre("dati.gov.it"));
  EXPECT_THAT(completions(server, "ckan://{server}/dataset/{id}", "id", "vac"),
              ElementsAre("vaccini-covid", "vaccini"));
  EXPECT_THAT(completions(server, "ckan://{server}/tag/{name}/datasets", "name", "t"),
              ElementsAre("turismo"));
  EXPECT_THAT(completions(server, "ckan://{server}/format/{format}/datasets", "format", "h"),
              ElementsAre("health"));
  EXPECT_THAT(completions(server, "ckan://{server}/organization/{name}", "name", "da"), ElementsAre("data"));
  EXPECT_THAT(completions(server, "ckan://{server}/resource/{id}", "id", "a"), ElementsAre());
  EXPECT_THAT(completions(server, "ckan://{server}/dataset/{id}", "id", "vac", ""), ElementsAre());
}

TEST(CkanCompletion, IsEmptyWhereAPortalFails) {
  PortalFixture fixture;
  fixture.on("package_autocomplete",
             [](const Asked&, const SeenRequest&, Answer& answer) { answer.reply(500, {}, "no"); });
  CkanServer server(fixture);
  EXPECT_THAT(completions(server, "ckan://{server}/dataset/{id}", "id", "vac"), ElementsAre());
}

}  // namespace
}  // namespace sluice::ckan::testing
