#include "sluice/query/json_document.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "sluice/json/reader.h"

#include "compressed.h"
#include "file_reading.h"

namespace sluice::query {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kGeoJson = R"({
  "type": "FeatureCollection",
  "name": "towns",
  "crs": { "type": "name", "properties": { "name": "urn:ogc:def:crs:OGC:1.3:CRS84" } },
  "features": [
    { "type": "Feature", "id": 1, "properties": { "name": "Gyumri", "people": 112301, "tags": ["city", "old"] },
      "geometry": { "type": "Point", "coordinates": [43.85, 40.79] } },
    { "type": "Feature", "id": 2, "properties": { "name": "Dilijan \"[spa]\"", "people": 17712, "tags": ["spa"] },
      "geometry": { "type": "Point", "coordinates": [44.86, 40.74] } },
    { "type": "Feature", "id": 3, "properties": { "name": "Սևան", "people": null, "tags": [] },
      "geometry": { "type": "Point", "coordinates": [44.95, 40.55] } }
  ]
})";

const std::string kAnswer =
    R"({"results": [{"id": 7, "day": "2024-05-01", "items": [{"sku": "a", "n": 2}, {"sku": "b", "n": 1}]},)"
    R"( {"id": 8, "day": "2024-05-02", "items": [{"sku": "a", "n": 5}]}], "meta": {"page": 1, "total": 2},)"
    R"( "codes": [1, 2], "next": null})";

std::optional<JsonRows> scan(std::string_view text) {
  JsonRowsScan whole;
  const bool goes_on = whole.feed(text);
  JsonRowsScan pieces;
  for (const char c : text) {
    if (!pieces.feed(std::string_view(&c, 1))) break;
  }
  const std::optional<JsonRows> found = goes_on ? whole.finish() : std::nullopt;
  EXPECT_EQ(found.has_value(), pieces.finish().has_value()) << text;
  EXPECT_EQ(found ? found->begin : 0, found ? pieces.finish()->begin : 0) << text;
  return found;
}

TEST(JsonDocument, FindsTheOneArrayOfObjects) {
  for (const std::string& text :
       {kGeoJson, kAnswer, std::string(R"({"a":[{}]})"),
        std::string("\xEF\xBB\xBF {\"x\": 1.5e3, \"a\" : [ {\"b\": [[{}]]} , {} ] , \"y\": \"]\"}\n")}) {
    const std::optional<JsonRows> rows = scan(text);
    ASSERT_TRUE(rows.has_value()) << text;
    const std::string_view array = std::string_view(text).substr(rows->begin, rows->end - rows->begin);
    const auto elements = json::read(array);
    ASSERT_TRUE(elements.ok()) << array;
    EXPECT_TRUE(elements->is_array());
    // Without the member the document is an object that lacks nothing else.
    const std::size_t object = text.find('{');
    const std::string rest = text.substr(object, rows->member_begin - object) + text.substr(rows->member_end);
    const auto others = json::read(rest);
    ASSERT_TRUE(others.ok()) << rest;
    const std::size_t members = json::read(text.substr(object))->if_object()->size();
    EXPECT_EQ(others->if_object()->size(), members - 1) << rest;
    EXPECT_EQ(rows->has_rest, members > 1);
  }
}

TEST(JsonDocument, LeavesOtherDocumentsAsTheyAre) {
  for (const char* text : {
           "[{\"a\": 1}]",
           "{\"a\": 1}\n{\"a\": 2}",
           "{\"a\": [{\"b\": 1}]}\n{\"a\": [{\"b\": 2}]}",
           "{\"a\": [{\"b\": 1}], \"c\": [{\"d\": 1}]}",
           "{\"a\": [1, 2]}",
           "{\"a\": []}",
           "{\"a\": [{\"b\": 1}, 2]}",
           "{\"a\": {\"b\": [{\"c\": 1}]}}",
           "{\"a\": \"[{}]\"}",
           "{\"a\": [{\"b\": 1}]",
           "{}",
           "",
           "1",
       }) {
    EXPECT_FALSE(scan(text).has_value()) << text;
  }
}

TEST(JsonDocument, ReadsGeoJsonAsItsFeatures) {
  testing::FileReading reading;
  for (const auto& [name, content] :
       {std::pair{std::string("towns.json"), kGeoJson},
        std::pair{std::string("towns.json.gz"), inspection::testing::gzip(kGeoJson)},
        std::pair{std::string("towns.json.zst"), inspection::testing::zstd(kGeoJson)}}) {
    const auto dataset = reading.write(name, content, JsonPart::kRows);
    const auto table = reading.inspect(*dataset);
    ASSERT_TRUE(table.ok()) << table.error().message;
    std::vector<std::string> columns;
    for (const engine::Field& column : table->columns) columns.push_back(column.name);
    EXPECT_THAT(columns, ElementsAre("type", "id", "properties", "geometry"));
    // The same, by plain parsing.
    std::vector<std::string> expected;
    const json::Value document = json::read(kGeoJson).value();
    for (const json::Value& feature : *document.find("features")->if_array()) {
      const json::Value& properties = *feature.find("properties");
      const json::Value& people = *properties.find("people");
      expected.push_back(*properties.find("name")->if_string() + "|" +
                         (people.is_null() ? "null" : json::to_text(people)) + "|" +
                         json::to_text(feature.find("geometry")->find("coordinates")->if_array()->front()));
    }
    const auto found = reading.select(
        *dataset, "SELECT properties.name, properties.people, geometry.coordinates[1] FROM data ORDER BY id");
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_EQ(*found, expected);
    const auto tags = reading.select(
        *dataset,
        "SELECT properties.name, tag FROM data, unnest(properties.tags) AS t(tag) ORDER BY id, tag");
    ASSERT_TRUE(tags.ok()) << tags.error().message;
    EXPECT_THAT(*tags, ElementsAre("Gyumri|city", "Gyumri|old", "Dilijan \"[spa]\"|spa"));
    const auto about = reading.write(name, content, JsonPart::kRest);
    const auto rest = reading.select(*about, "SELECT type, name, crs.properties.name AS crs FROM data");
    ASSERT_TRUE(rest.ok()) << rest.error().message;
    EXPECT_THAT(*rest, ElementsAre("FeatureCollection|towns|urn:ogc:def:crs:OGC:1.3:CRS84"));
  }
}

TEST(JsonDocument, ReadsTheAnswerOfAnApiAsItsResults) {
  testing::FileReading reading;
  const auto dataset = reading.write("orders.json", kAnswer, JsonPart::kRows);
  const auto sums = reading.select(*dataset,
                                   "SELECT item.sku, sum(item.n), min(day) FROM (SELECT day, unnest(items) "
                                   "AS item FROM data) GROUP BY 1 ORDER BY 1");
  ASSERT_TRUE(sums.ok()) << sums.error().message;
  EXPECT_THAT(*sums, ElementsAre("a|7|2024-05-01", "b|1|2024-05-01"));
  const auto day = reading.select(*dataset, "SELECT typeof(day) FROM data LIMIT 1");
  EXPECT_THAT(*day, ElementsAre("DATE"));
  const auto about = reading.write("orders.json", kAnswer, JsonPart::kRest);
  const auto rest = reading.select(*about, "SELECT meta.page, meta.total, codes FROM data");
  ASSERT_TRUE(rest.ok()) << rest.error().message;
  EXPECT_THAT(*rest, ElementsAre("1|2|[1, 2]"));
}

TEST(JsonDocument, KnowsAFileByItsBeginning) {
  testing::FileReading reading;
  const auto shape = [&](const std::string& name, std::string_view content) {
    reading.write(name, content);
    const auto file = reading.root().open_beneath(name);
    return shape_of_json(*file, kind_of_file(name)->compression, "");
  };
  EXPECT_EQ(shape("a.json", kGeoJson).part, JsonPart::kRows);
  EXPECT_TRUE(shape("a.json", kGeoJson).has_rest);
  EXPECT_EQ(shape("a.json.gz", inspection::testing::gzip(kAnswer)).part, JsonPart::kRows);
  EXPECT_FALSE(shape("b.json", R"({"data": [{"a": 1}]})").has_rest);
  EXPECT_EQ(shape("c.json", R"([{"a": 1}])").part, JsonPart::kWhole);
  EXPECT_EQ(shape("d.json", "{\"a\": 1}\n{\"a\": 2}\n").part, JsonPart::kWhole);
  // Larger than what is looked at.
  std::string large = "{\"items\": [{\"a\": \"" + std::string(100'000, 'x') + "\"}";
  for (int i = 0; i < 100; ++i) large += ",\n{\"a\": \"" + std::string(100'000, 'x') + "\"}";
  EXPECT_EQ(shape("e.json", large + "], \"n\": 1}").part, JsonPart::kRows);
}

// A second array may come behind what a catalog has looked at: the document is one row then, as without this.
TEST(JsonDocument, ReadsADocumentWholeThatHasNoParts) {
  testing::FileReading reading;
  const std::string text = R"({"a": [{"x": 1}], "b": [{"y": 2}, {"y": 3}]})";
  const auto dataset = reading.write("two.json", text, JsonPart::kRows);
  const auto found = reading.select(*dataset, "SELECT a[1].x, len(b) FROM data");
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_THAT(*found, ElementsAre("1|2"));
  const auto about = reading.write("two.json", text, JsonPart::kRest);
  const auto rest = reading.inspect(*about);
  ASSERT_FALSE(rest.ok());
  EXPECT_EQ(rest.error().code, "unreadable_file");
}

TEST(JsonDocument, EstimatesRowsByTheBeginning) {
  std::string text = "{\"n\": 1, \"items\": [";
  for (int i = 0; i < 1000; ++i)
    text += std::string(i == 0 ? "" : ", ") + "{\"a\": [" + std::to_string(1000 + i) + "]}";
  text += "]}";
  EXPECT_EQ(
      estimate_json_rows({.bytes = text, .is_whole = true, .file_bytes_read = text.size()}, text.size()),
      1000U);
  const std::string half = text.substr(0, text.size() / 2);
  const auto estimate =
      estimate_json_rows({.bytes = half, .is_whole = false, .file_bytes_read = half.size()}, text.size());
  ASSERT_TRUE(estimate.has_value());
  EXPECT_NEAR(static_cast<double>(*estimate), 1000, 20);
}

TEST(JsonDocument, NamesTheLineThatIsNotJson) {
  testing::FileReading reading;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{\"a\": 1}\n{\"a\": 2}\n{\"a\": \n{\"a\": 4}\n", "line 3"},
      {"{\"a\": 1}\n\n{\"a\": 2}}\n{\"a\": 4}\n", "line 3"},
      {"{\"a\": 1}\n{\"a\": 2}\nnot json\n", "line 3"},
      {"{\"a\": 1, \"a\": 2}\r\n{\"a\": 2\r\n", "line 2"},
  };
  for (const auto& [text, line] : cases) {
    for (const char* name : {"lines.ndjson", "lines.jsonl"}) {
      const auto table = reading.inspect(*reading.write(name, text));
      ASSERT_FALSE(table.ok()) << text;
      EXPECT_EQ(table.error().code, "unreadable_file");
      EXPECT_THAT(table.error().message, HasSubstr(line)) << text;
    }
  }
  const auto packed =
      reading.inspect(*reading.write("lines.ndjson.gz", inspection::testing::gzip(cases.front().first)));
  ASSERT_FALSE(packed.ok());
  EXPECT_THAT(packed.error().message, HasSubstr("line 3"));
}

}  // namespace
}  // namespace sluice::query
