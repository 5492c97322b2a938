// How answers are made to fit, held against what the server does that the golden vectors were made with.

#include <string>

#include <gmock/gmock.h>

#include "sluice/json/reader.h"

#include "ckan_server.h"

namespace sluice::ckan::testing {
namespace {

TEST(Truncation, IsThatOfTheGoldenVectors) {
  const json::Value vectors = json::read(data_file("truncate_json_golden.json")).value();
  ASSERT_EQ(vectors.if_array()->size(), 10U);
  for (const json::Value& vector : *vectors.if_array()) {
    PortalFixture fixture;
    fixture.answer("package_show", json::to_text(*vector.find("input")));
    CkanSpec spec = spec_at(fixture);
    spec.characters_max = std::stoul(at(vector, "limit"));
    CkanServer server(spec);
    EXPECT_EQ(server.text("ckan://dati.gov.it/dataset/x"), at(vector, "output")) << at(vector, "name");
  }
}

TEST(Truncation, AlwaysGivesJsonWithinTheLimit) {
  PortalFixture fixture;
  std::string result = R"({"notes":"à😀")";
  for (const char* list : {"results", "records", "resources", "tags", "fields"}) {
    result += std::string(",\"") + list + "\":[";
    for (int i = 0; i < 30; ++i) result += (i == 0 ? "" : ",") + std::string(R"({"name":"però 😀"})");
    result += "]";
  }
  fixture.answer("package_show", result + "}");
  for (std::size_t limit = 2; limit < 2'600; limit += 13) {
    CkanSpec spec = spec_at(fixture);
    spec.characters_max = limit;
    CkanServer server(spec);
    const std::string text = server.text("ckan://dati.gov.it/dataset/x");
    EXPECT_TRUE(json::read(text).ok()) << limit;
    std::size_t units = 0;  // Counted here in another way: by what starts a character.
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x80 || (byte >= 0xC0 && byte < 0xF0)) units += 1;
      if (byte >= 0xF0) units += 2;
    }
    EXPECT_LE(units, limit);
  }
}

}  // namespace
}  // namespace sluice::ckan::testing
