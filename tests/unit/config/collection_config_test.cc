#include <gmock/gmock.h>

#include "sluice/config/config.h"

namespace sluice::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

Result<Config> parse(std::string_view text, const std::string& name = "/etc/sluice/sluice.yaml") {
  return parse_config(text, name, [](const std::string&) { return std::nullopt; });
}

std::string message_of(std::string_view text) {
  const Result<Config> config = parse(text, "sluice.yaml");
  return config.ok() ? "valid" : config.error().message;
}

TEST(CollectionConfig, ReadsEveryKey) {
  const Config config = parse(R"yaml(
collections:
  - name: sales
    scheme: shop
    path: "data/sales/{region}/{month}.parquet"
    dimensions: { month: integer, region: text }
    types: { code: VARCHAR, price: "DECIMAL(18,3)" }
    roles: { amount: [ total, sum ], actual: paid }
    unit: EUR
    overall_suffix: _totals.json
    description: What was sold
)yaml")
                            .value();
  ASSERT_EQ(config.collections.size(), 1U);
  const collections::CollectionSpec& spec = config.collections.front();
  EXPECT_EQ(spec.name, "sales");
  EXPECT_EQ(spec.scheme, "shop");
  EXPECT_EQ(spec.folder, "/etc/sluice/data/sales");
  EXPECT_EQ(spec.pattern, "{region}/{month}.parquet");
  ASSERT_EQ(spec.dimensions.size(), 2U);
  EXPECT_EQ(spec.dimensions[0].name, "month");
  EXPECT_TRUE(spec.dimensions[0].is_integer);
  EXPECT_FALSE(spec.dimensions[1].is_integer);
  EXPECT_THAT(spec.types, ElementsAre(Pair("code", "VARCHAR"), Pair("price", "DECIMAL(18,3)")));
  ASSERT_EQ(spec.roles.size(), 2U);
  EXPECT_EQ(spec.roles[0].name, "amount");
  EXPECT_THAT(spec.roles[0].columns, ElementsAre("total", "sum"));
  EXPECT_THAT(spec.roles[1].columns, ElementsAre("paid"));
  EXPECT_EQ(spec.unit, "EUR");
  EXPECT_EQ(spec.overall_suffix, "_totals.json");
  EXPECT_EQ(spec.description, "What was sold");
}

TEST(CollectionConfig, ReadsWhatMustNotBeAddedUp) {
  const Config config = parse(R"yaml(
collections:
  - path: "data/{month}.parquet"
    dimensions: { month: { type: integer, description: Month of the sale } }
    repeated_totals: [ { columns: "region_*", per: region, parts: "shop_*" } ]
    ratios: [ { columns: margin, numerator: profit, denominator: sales } ]
)yaml")
                            .value();
  const collections::CollectionSpec& spec = config.collections.front();
  EXPECT_TRUE(spec.dimensions.front().is_integer);
  EXPECT_EQ(spec.dimensions.front().description, "Month of the sale");
  ASSERT_EQ(spec.repeated_totals.size(), 1U);
  EXPECT_EQ(spec.repeated_totals.front().columns, "region_*");
  EXPECT_EQ(spec.repeated_totals.front().per, "region");
  EXPECT_THAT(spec.repeated_totals.front().parts, ElementsAre("shop_*"));
  ASSERT_EQ(spec.ratios.size(), 1U);
  EXPECT_EQ(spec.ratios.front().columns, "margin");
  EXPECT_EQ(spec.ratios.front().numerator, "profit");
  EXPECT_EQ(spec.ratios.front().denominator, "sales");
  EXPECT_THAT(message_of("collections: [ { path: x, repeated_totals: [ { columns: a, per: b } ] } ]"),
              HasSubstr("parts"));
  EXPECT_THAT(message_of("collections: [ { path: x, ratios: [ { columns: a, numerator: b } ] } ]"),
              HasSubstr("denominator"));
  EXPECT_THAT(message_of("collections: [ { path: x, dimensions: { a: { type: float } } } ]"),
              HasSubstr("expected integer or text"));
}

TEST(CollectionConfig, BeginsWithAPreset) {
  const Config config = parse(R"(
collections:
  - { preset: budget, path: data/processed }
  - { preset: budget, name: drafts, scheme: draft, path: /data/drafts, unit: AMD, roles: { actual: paid } }
)")
                            .value();
  EXPECT_EQ(config.collections.at(0).name, "budget");
  EXPECT_EQ(config.collections.at(0).folder, "/etc/sluice/data/processed");
  EXPECT_EQ(config.collections.at(0).pattern, "{year}_{source_type}.csv");
  EXPECT_EQ(config.collections.at(0).unit, "thousand AMD");
  EXPECT_EQ(config.collections.at(1).folder, "/data/drafts");
  EXPECT_EQ(config.collections.at(1).unit, "AMD");
  EXPECT_EQ(config.collections.at(1).roles.size(), config.collections.at(0).roles.size());
  EXPECT_THAT(config.collections.at(1).roles.back().columns, ElementsAre("paid"));
}

TEST(CollectionConfig, SaysWhatItsRowsAreAbout) {
  const Config config = parse(R"yaml(
analysis_tools: true
equivalencies: state/same.json
collections:
  - name: sales
    path: "data/{month}_{kind}.csv"
    roles: { amount: total }
    entity: { series: month, code: article, name: title, group: shop, descriptions: remark, measure: amount, variants: [ plan, paid ] }
    topics: { winter: { keywords: [ snow, ski ], required: snow, exclude: [ snowdrop ] } }
)yaml")
                            .value();
  EXPECT_TRUE(config.analysis.tools);
  EXPECT_EQ(config.analysis.equivalencies, "/etc/sluice/state/same.json");
  const query::Entity& entity = config.collections.front().entity;
  EXPECT_EQ(entity.series, "month");
  EXPECT_EQ(entity.code, "article");
  EXPECT_THAT(entity.descriptions, ElementsAre("remark"));
  EXPECT_THAT(entity.variants, ElementsAre("plan", "paid"));
  EXPECT_EQ(config.collections.front().topics.front().name, "winter");
  EXPECT_THAT(config.collections.front().topics.front().keywords, ElementsAre("snow", "ski"));
  EXPECT_FALSE(parse("{}").value().analysis.tools);
}

TEST(CollectionConfig, RefusesAnEntityThatCannotBeFollowed) {
  const auto with = [](std::string_view entity) {
    return message_of("collections: [ { name: a, path: \"d/{month}.csv\", roles: { sum: x }, entity: " +
                      std::string(entity) + " } ]");
  };
  EXPECT_EQ(with("{ series: month, code: c, name: n, measure: sum }"), "valid");
  EXPECT_THAT(with("{ code: c, name: n, measure: sum }"), HasSubstr("series"));
  EXPECT_THAT(with("{ series: year, code: c, name: n, measure: sum }"), HasSubstr("no such dimension"));
  EXPECT_THAT(with("{ series: month, name: n, measure: sum }"), HasSubstr("need a column"));
  EXPECT_THAT(with("{ series: month, code: c, name: n, measure: other }"), HasSubstr("no such role"));
  EXPECT_THAT(message_of("analysis_tools: maybe"), HasSubstr("true or false"));
}

TEST(CollectionConfig, NamesACollectionAfterItsFolderAndASchemeAfterThat) {
  const Config config = parse("collections: [ { path: a/plain }, { path: \"b/sales/{x}.csv\" } ]").value();
  EXPECT_EQ(config.collections.at(0).name, "plain");
  EXPECT_EQ(config.collections.at(0).scheme, "data");
  EXPECT_EQ(config.collections.at(1).name, "sales");
  EXPECT_EQ(config.collections.at(1).scheme, "sales");
}

TEST(CollectionConfig, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(message_of("collections:\n  - { paht: x, path: y }\n"),
              HasSubstr("sluice.yaml:2: collections[0].paht: unknown key; did you mean path?"));
  EXPECT_THAT(message_of("collections:\n  - name: x\n"),
              HasSubstr("sluice.yaml:2: collections[0].path: required, but missing"));
  EXPECT_THAT(message_of("collections:\n  - path: x\n    preset: budgte\n"),
              HasSubstr("sluice.yaml:3: collections[0].preset: unknown preset (did you mean budget?)"));
  EXPECT_THAT(message_of("collections:\n  - path: x/{y}.csv\n    dimensions:\n      y: float\n"),
              HasSubstr("sluice.yaml:4: collections[0].dimensions.y: expected integer or text"));
  EXPECT_THAT(message_of("collections:\n  - path: x/{y}.csv\n    dimensions: { z: text }\n"),
              HasSubstr("sluice.yaml:2: collections[0]: the path has no such dimension: z"));
  EXPECT_THAT(message_of("collections:\n  - path: x\n    roles: { a: [] }\n"),
              HasSubstr("sluice.yaml:3: collections[0].roles.a: expected a column"));
  EXPECT_THAT(message_of("collections:\n  - path: x\n    roles: { a: b, a: c }\n"), HasSubstr("twice"));
  EXPECT_THAT(message_of("collections:\n  - path: x\n    types: { a: \"';\" }\n"), HasSubstr("not a type"));
  EXPECT_THAT(message_of("collections:\n  - path: \"x/{a}{b}.csv\"\n"), HasSubstr("something between them"));
  EXPECT_THAT(message_of("collections:\n  - path: x\n    scheme: HTTP\n"), HasSubstr("scheme"));
  EXPECT_THAT(message_of("collections: { path: x }\n"), HasSubstr("expected a list"));
}

TEST(CollectionConfig, RefusesNamesThatSqlUsesForSomethingElse) {
  for (const std::string name : {"handle", "records", "main", "temp", "system", "Records"}) {
    for (const std::string source :
         {"collections:\n  - { path: a, name: ", "databases:\n  - { url: \"sqlite:a.db\", name: "}) {
      const Result<Config> config = parse(source + name + " }\n", "sluice.yaml");
      ASSERT_FALSE(config.ok());
      EXPECT_EQ(config.error().code, "reserved_name");
      EXPECT_THAT(config.error().message, HasSubstr("sluice.yaml:2: "));
      EXPECT_THAT(config.error().message, HasSubstr("[0].name: " + name + " is a name that SQL uses"));
    }
  }
  EXPECT_EQ(parse("collections:\n  - { path: data/records }\n").error().code, "reserved_name");
  EXPECT_TRUE(parse("collections:\n  - { path: data/records, name: files }\nrecords: { path: x }\n").ok());
}

TEST(CollectionConfig, RefusesTwoCollectionsThatCannotBeToldApart) {
  EXPECT_THAT(message_of("collections:\n  - { path: a, name: x }\n  - { path: b, name: x }\n"),
              HasSubstr("sluice.yaml:3: collections[1].name: another collection is called x"));
  EXPECT_THAT(message_of("collections:\n  - { preset: budget, path: a }\n"
                         "  - { preset: budget, path: b, name: other }\n"),
              HasSubstr("collections[1].scheme: the collection budget has the scheme budget already"));
  EXPECT_EQ(message_of("collections: [ { path: a }, { path: b } ]"), "valid");
}

TEST(Config, ReadsSpoolEngineAndConfirmation) {
  const Config config = parse(R"(
spool: { path: spool, ttl: 5m, max_bytes: 1GB }
engine: { memory: 512MB, threads: 4 }
limits: { max_rows: 10, max_transfer: 1GB, confirm_over: { rows: 100, bytes: 5MB, transfer: 7MB, pairs: 20000 } }
server: { tls: { certificate: cert.pem, key: /keys/key.pem } }
)")
                            .value();
  EXPECT_EQ(config.spool.path, "/etc/sluice/spool");
  EXPECT_EQ(config.spool.ttl, std::chrono::minutes(5));
  EXPECT_EQ(config.spool.bytes_max, 1'000'000'000U);
  EXPECT_EQ(config.engine.memory_bytes_max, 512'000'000U);
  EXPECT_EQ(config.engine.threads, 4U);
  EXPECT_EQ(config.limits.rows, 10U);
  EXPECT_EQ(config.confirm_over.rows, 100U);
  EXPECT_EQ(config.confirm_over.bytes, 5'000'000U);
  EXPECT_EQ(config.confirm_over.transfer, 7'000'000U);
  EXPECT_EQ(config.confirm_over.pairs, 20'000U);
  EXPECT_EQ(config.transfer_bytes_max, 1'000'000'000U);
  EXPECT_EQ(config.server.tls->certificate_chain, "/etc/sluice/cert.pem");
  EXPECT_EQ(config.server.tls->private_key, "/keys/key.pem");
}

TEST(Config, HasDefaultsForSpoolEngineAndConfirmation) {
  const Config config = parse("").value();
  EXPECT_EQ(config.spool.path, "");
  EXPECT_EQ(config.spool.ttl, std::chrono::minutes(20));
  EXPECT_EQ(config.spool.bytes_max, 4'000'000'000U);
  EXPECT_EQ(config.engine.memory_bytes_max, 1'000'000'000U);
  EXPECT_EQ(config.confirm_over.rows, 1'000'000U);
  EXPECT_EQ(config.confirm_over.bytes, 256'000'000U);
  EXPECT_EQ(config.confirm_over.transfer, 256'000'000U);
  EXPECT_EQ(config.confirm_over.pairs, 1'000'000'000U);
  EXPECT_EQ(config.transfer_bytes_max, 4'000'000'000U);
}

TEST(Config, RefusesUnusableSpoolsAndEngines) {
  EXPECT_THAT(message_of("spool:\n  ttl: 5\n"), HasSubstr("sluice.yaml:2: spool.ttl"));
  EXPECT_THAT(message_of("spool:\n  ttl: 0s\n"), HasSubstr("must be 1s or more"));
  EXPECT_THAT(message_of("spool:\n  size: 5\n"), HasSubstr("sluice.yaml:2: spool.size: unknown key"));
  EXPECT_THAT(message_of("engine:\n  memory: 1KB\n"),
              HasSubstr("sluice.yaml:2: engine.memory: must be 64MB"));
  EXPECT_THAT(message_of("engine:\n  threads: 0\n"), HasSubstr("engine.threads: must be 1 to 256"));
  EXPECT_THAT(message_of("limits:\n  confirm_over: { row: 1 }\n"),
              HasSubstr("sluice.yaml:2: limits.confirm_over.row: unknown key; did you mean rows?"));
}

}  // namespace
}  // namespace sluice::config
