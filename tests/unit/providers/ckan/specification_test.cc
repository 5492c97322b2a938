// Every scenario of the specification of ckan:// resources, by its name.

#include <string>

#include <gmock/gmock.h>

#include "sluice/ckan/portal_uri.h"

#include "ckan_server.h"

namespace sluice::ckan::testing {
namespace {

using ::testing::HasSubstr;

TEST(DatasetResourceTemplate, ReadDatasetMetadataSuccessfully) {
  PortalFixture fixture;
  CkanServer server(fixture);
  const json::Value dataset = server.json("ckan://dati.gov.it/dataset/vaccini-covid");
  EXPECT_EQ(at(dataset, "title"), "Example Dataset");
  EXPECT_THAT(at(dataset, "notes"), HasSubstr("detailed information"));
  EXPECT_EQ(at(dataset, "resources/0/id"), "res-1");
  EXPECT_EQ(at(dataset, "tags/0/name"), "example");
  EXPECT_EQ(at(dataset, "owner_org"), "example-org");
  EXPECT_EQ(fixture.asked("package_show").at(0)["id"], "vaccini-covid");
}

TEST(DatasetResourceTemplate, DatasetNotFound) {
  PortalFixture fixture;
  CkanServer server(fixture);
  const WireMessage reply = server.reply("ckan://demo.ckan.org/dataset/nonexistent-id");
  EXPECT_EQ(reply.code(), -32602);
  EXPECT_THAT(reply.error(), HasSubstr("not found: ckan://demo.ckan.org/dataset/nonexistent-id"));
  EXPECT_THAT(reply.error(), HasSubstr("CKAN API error (404): Not found"));
  EXPECT_EQ(reply.text({"error", "data", "code"}), "ckan_not_found");
  EXPECT_THAT(reply.text({"error", "data", "hint"}), HasSubstr("ckan_package_search"));
}

TEST(DatasetResourceTemplate, ServerUnreachable) {
  CkanSpec spec;
  PortalSpec nobody;
  nobody.host = "invalid-server.example";
  nobody.base = "http://127.0.0.1:1";  // Where nobody listens.
  nobody.allow_private = true;
  spec.portals = {nobody};
  CkanServer server(spec);
  const WireMessage reply = server.reply("ckan://invalid-server.example/dataset/test");
  EXPECT_EQ(reply.code(), -32603);
  EXPECT_THAT(reply.error(), HasSubstr("Server unreachable"));
  EXPECT_EQ(reply.text({"error", "data", "code"}), "connect_failed");
  EXPECT_NE(reply.text({"error", "data", "hint"}), "");
}

TEST(ResourceResourceTemplate, ReadResourceMetadataSuccessfully) {
  PortalFixture fixture;
  CkanServer server(fixture);
  const json::Value resource = server.json("ckan://dati.gov.it/resource/abc-123-def");
  EXPECT_EQ(at(resource, "name"), "example-resource.csv");
  EXPECT_EQ(at(resource, "format"), "CSV");
  EXPECT_EQ(at(resource, "url"), "http://example.com/resource.csv");
  EXPECT_EQ(at(resource, "size"), "10240");
}

TEST(ResourceResourceTemplate, ResourceNotFound) {
  PortalFixture fixture;
  CkanServer server(fixture);
  const WireMessage reply = server.reply("ckan://demo.ckan.org/resource/invalid-id");
  EXPECT_EQ(reply.code(), -32602);
  EXPECT_EQ(reply.text({"error", "data", "code"}), "ckan_not_found");
}

TEST(OrganizationResourceTemplate, ReadOrganizationMetadataSuccessfully) {
  PortalFixture fixture;
  CkanServer server(fixture);
  const json::Value organization = server.json("ckan://dati.gov.it/organization/regione-toscana");
  EXPECT_EQ(at(organization, "title"), "Example Organization");
  EXPECT_THAT(at(organization, "description"), HasSubstr("publishes"));
  EXPECT_EQ(at(organization, "package_count"), "25");
  EXPECT_EQ(fixture.asked("organization_show").at(0)["include_datasets"], "false");
}

TEST(OrganizationResourceTemplate, OrganizationNotFound) {
  PortalFixture fixture;
  CkanServer server(fixture);
  EXPECT_EQ(server.reply("ckan://demo.ckan.org/organization/nonexistent-org").code(), -32602);
}

TEST(UriSchemeParsing, ParseStandardUri) {
  const Result<PortalUri> uri = parse_portal_uri("ckan://dati.gov.it/dataset/test-id");
  ASSERT_TRUE(uri.ok());
  EXPECT_EQ(uri->server, "https://dati.gov.it");
  EXPECT_EQ(uri->type(), "dataset");
  EXPECT_EQ(uri->id, "test-id");
}

TEST(UriSchemeParsing, ParseUriWithWwwPrefix) {
  const Result<PortalUri> uri = parse_portal_uri("ckan://www.dati.gov.it/dataset/test-id");
  ASSERT_TRUE(uri.ok());
  EXPECT_EQ(uri->server, "https://www.dati.gov.it");
  EXPECT_EQ(uri->type(), "dataset");
  EXPECT_EQ(uri->id, "test-id");
}

TEST(UriSchemeParsing, RejectMalformedUri) {
  PortalFixture fixture;
  CkanServer server(fixture);
  const WireMessage reply = server.reply("ckan://invalid");
  EXPECT_EQ(reply.code(), -32602);
  EXPECT_EQ(reply.text({"error", "data", "code"}), "invalid_portal_uri");
  EXPECT_TRUE(fixture.asked().empty());
}

TEST(ResourceResponseFormat, JsonResponseStructure) {
  PortalFixture fixture;
  CkanServer server(fixture);
  for (const std::string uri :
       {"ckan://dati.gov.it/dataset/vaccini-covid", "ckan://dati.gov.it/resource/abc-123-def",
        "ckan://dati.gov.it/organization/regione-toscana", "ckan://dati.gov.it/group/governo/datasets",
        "ckan://dati.gov.it/organization/regione-toscana/datasets", "ckan://dati.gov.it/tag/turismo/datasets",
        "ckan://dati.gov.it/format/csv/datasets"}) {
    const WireMessage reply = server.reply(uri);
    ASSERT_EQ(reply.size({"result", "contents"}), 1U) << uri;
    EXPECT_EQ(reply.text({"result", "contents", 0, "uri"}), uri);
    EXPECT_EQ(reply.text({"result", "contents", 0, "mimeType"}), "application/json");
    EXPECT_TRUE(server.json(uri).is_object());
  }
}

TEST(ResourceResponseFormat, LargeResponseTruncation) {
  PortalFixture fixture;
  std::string resources = "[";
  for (int i = 0; i < 2'000; ++i)
    resources +=
        (i == 0 ? "" : ",") + std::string(R"({"id":")") + std::to_string(i) + R"(","name":"a longer name"})";
  fixture.answer("package_show", R"({"id":"big","resources":)" + resources + "]}");
  CkanServer server(fixture);
  const std::string text = server.text("ckan://dati.gov.it/dataset/big");
  EXPECT_LE(text.size(), 50'000U);
  const json::Value dataset = server.json("ckan://dati.gov.it/dataset/big");
  EXPECT_EQ(at(dataset, "_truncated"), "true");
  EXPECT_EQ(at(dataset, "_original_count"), "2000");
  EXPECT_GT(size_at(dataset, "resources"), 500U);
}

TEST(ResourceDiscovery, ListResourceTemplates) {
  PortalFixture fixture;
  CkanServer server(fixture);
  const WireMessage page = server.client().call("resources/templates/list");
  std::string all;
  for (int i = 0; i < static_cast<int>(page.size({"result", "resourceTemplates"})); ++i) {
    all += page.text({"result", "resourceTemplates", i, "uriTemplate"}) + "\n";
    EXPECT_NE(page.text({"result", "resourceTemplates", i, "description"}), "");
    EXPECT_EQ(page.text({"result", "resourceTemplates", i, "mimeType"}), "application/json");
  }
  EXPECT_EQ(all,
            "ckan://{server}/dataset/{id}\n"
            "ckan://{server}/format/{format}/datasets\n"
            "ckan://{server}/group/{name}/datasets\n"
            "ckan://{server}/organization/{name}\n"
            "ckan://{server}/organization/{name}/datasets\n"
            "ckan://{server}/resource/{id}\n"
            "ckan://{server}/tag/{name}/datasets\n");
}

TEST(GroupDatasetsResourceTemplate, ReadDatasetsByGroup) {
  PortalFixture fixture;
  CkanServer server(fixture);
  const json::Value list = server.json("ckan://dati.gov.it/group/governo/datasets");
  EXPECT_EQ(at(list, "count"), "250");
  EXPECT_EQ(at(list, "results/0/name"), "dataset-0");
  EXPECT_EQ(fixture.asked("package_search").at(0)["fq"], R"(groups:"governo")");
}

TEST(OrganizationDatasetsResourceTemplate, ReadDatasetsByOrganization) {
  PortalFixture fixture;
  CkanServer server(fixture);
  EXPECT_GT(size_at(server.json("ckan://dati.gov.it/organization/regione-toscana/datasets"), "results"), 0U);
  EXPECT_EQ(fixture.asked("package_search").at(0)["fq"], R"(organization:"regione-toscana")");
}

TEST(TagDatasetsResourceTemplate, ReadDatasetsByTag) {
  PortalFixture fixture;
  CkanServer server(fixture);
  EXPECT_GT(size_at(server.json("ckan://dati.gov.it/tag/turismo/datasets"), "results"), 0U);
  EXPECT_EQ(fixture.asked("package_search").at(0)["fq"], R"(tags:"turismo")");
}

TEST(FormatDatasetsResourceTemplate, ReadDatasetsByFormat) {
  PortalFixture fixture;
  CkanServer server(fixture);
  EXPECT_GT(size_at(server.json("ckan://dati.gov.it/format/csv/datasets"), "results"), 0U);
  EXPECT_EQ(
      fixture.asked("package_search").at(0)["fq"],
      R"((res_format:"csv" OR res_format:"CSV" OR distribution_format:"csv" OR distribution_format:"CSV"))");
}

}  // namespace
}  // namespace sluice::ckan::testing
