#include "path_pattern.h"

#include <gmock/gmock.h>

#include "sluice/collections/collection_spec.h"

namespace sluice::collections {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

PathPattern pattern(std::string_view text) { return PathPattern::parse(text).value(); }

TEST(PathPattern, TakesEachDimensionUpToTheNextLiteral) {
  const PathPattern budget = pattern("{year}_{source_type}.csv");
  EXPECT_THAT(budget.names(), ElementsAre("year", "source_type"));
  EXPECT_THAT(budget.match("2019_SPENDING_Q1.csv"), Optional(ElementsAre("2019", "SPENDING_Q1")));
  EXPECT_THAT(budget.match("2019_A.csv.csv"), Optional(ElementsAre("2019", "A.csv")));
  EXPECT_THAT(budget.match("2019_.csv"), std::nullopt);
  EXPECT_THAT(budget.match("_A.csv"), std::nullopt);
  EXPECT_THAT(budget.match("2019.csv"), std::nullopt);
  EXPECT_THAT(budget.match("2019_A.json"), std::nullopt);
  EXPECT_THAT(budget.match("x/2019_A.csv"), std::nullopt);
  EXPECT_THAT(budget.match(""), std::nullopt);
}

TEST(PathPattern, MatchesFolderByFolder) {
  const PathPattern sales = pattern("by/{region}/sales-{month}.parquet");
  EXPECT_EQ(sales.depth(), 3U);
  EXPECT_THAT(sales.match("by/north/sales-2024-01.parquet"), Optional(ElementsAre("north", "2024-01")));
  EXPECT_THAT(sales.match("by/north/east/sales-1.parquet"), std::nullopt);
  EXPECT_THAT(sales.match("of/north/sales-1.parquet"), std::nullopt);
  EXPECT_THAT(sales.match("by/north"), std::nullopt);
}

TEST(PathPattern, KnowsWhetherItSaysTheEnding) {
  EXPECT_TRUE(pattern("{a}.csv.gz").has_ending());
  EXPECT_FALSE(pattern("{a}/{b}").has_ending());
  EXPECT_THAT(pattern("{a}/{b}").match("x/y"), Optional(ElementsAre("x", "y")));
}

TEST(PathPattern, RefusesWhatCannotBeMatchedOneWay) {
  for (const std::string_view text :
       {"{a}{b}.csv", "{a.csv", "a}.csv", "{}.csv", "{a b}.csv", "{a}_{a}.csv", "{1}.csv", "/{a}.csv",
        "{a}//b.csv", "../{a}.csv", "{a}/", "plain.csv"}) {
    const Result<PathPattern> parsed = PathPattern::parse(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().code, "invalid_pattern") << text;
  }
  EXPECT_EQ(PathPattern::parse(std::string(2000, 'x')).error().kind, ErrorKind::kLimitReached);
}

TEST(SplitAtPattern, BeginsThePatternAtTheFirstVariableFolder) {
  const FolderAndPattern sales = split_at_pattern("data/sales/{region}/{month}.parquet");
  EXPECT_EQ(sales.folder, "data/sales");
  EXPECT_EQ(sales.pattern, "{region}/{month}.parquet");
  EXPECT_EQ(split_at_pattern("data/x-{a}.csv").pattern, "x-{a}.csv");
  EXPECT_EQ(split_at_pattern("{a}.csv").folder, ".");
  EXPECT_EQ(split_at_pattern("/{a}.csv").folder, "/");
  EXPECT_EQ(split_at_pattern("data/processed").folder, "data/processed");
  EXPECT_EQ(split_at_pattern("data/processed").pattern, "");
}

TEST(Validate, NamesWhatIsWrong) {
  CollectionSpec good;
  good.name = "sales";
  good.pattern = "{region}.csv";
  EXPECT_TRUE(validate(good).ok());
  const auto message = [&](auto change) {
    CollectionSpec spec = good;
    change(spec);
    const Status status = validate(spec);
    return status.ok() ? std::string() : status.error().message;
  };
  EXPECT_THAT(message([](CollectionSpec& s) { s.scheme = "Sales"; }), HasSubstr("scheme"));
  EXPECT_THAT(message([](CollectionSpec& s) { s.scheme = "http"; }), HasSubstr("http"));
  EXPECT_THAT(message([](CollectionSpec& s) { s.name = "a/b"; }), HasSubstr("a/b"));
  EXPECT_THAT(message([](CollectionSpec& s) { s.dimensions = {{.name = "reigon"}}; }), HasSubstr("reigon"));
  EXPECT_THAT(message([](CollectionSpec& s) { s.types = {{"x", "INT'); --"}}; }), HasSubstr("column x"));
  EXPECT_THAT(message([](CollectionSpec& s) { s.file = "notes.txt"; }), HasSubstr("notes.txt"));
}

TEST(Preset, IsFoundByNameOrSaysWhichIsNear) {
  EXPECT_EQ(preset("budget").value().scheme, "budget");
  EXPECT_TRUE(validate(preset("budget").value()).ok());
  EXPECT_THAT(preset("budgte").error().message, HasSubstr("did you mean budget?"));
}

}  // namespace
}  // namespace sluice::collections
