#include "sluice/expression/polars.h"

#include "testing.h"

namespace sluice::expression {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Polars : public ::testing::Test {
 protected:
  std::vector<std::string> rows(std::string_view text) {
    const Result<Question> question = compile_polars(text, sales_columns(), {});
    EXPECT_TRUE(question.ok()) << text << ": " << (question.ok() ? "" : question.error().message);
    if (!question.ok()) return {};
    const auto found = answer(*engine_, *question);
    EXPECT_TRUE(found.ok()) << question->sql << ": " << (found.ok() ? "" : found.error().message);
    return found.ok() ? *found : std::vector<std::string>();
  }
  // The value of one expression, computed from literals.
  std::string value(const std::string& expression) {
    const std::vector<std::string> found = rows("df.select(" + expression + ")");
    return found.size() == 1 ? found.front() : std::to_string(found.size()) + " rows";
  }

  std::unique_ptr<engine::Engine> engine_ = open_engine();
};

TEST_F(Polars, FollowsAWholeChain) {
  EXPECT_THAT(rows(R"(df.filter((pl.col("units") > 0) & pl.col("product").str.contains("^[a-p]"))
                        .group_by("region").agg(pl.col("units").sum().alias("total"))
                        .sort("total", descending=True).head(2))"),
              ElementsAre("north|11", "east|10"));
}

TEST_F(Polars, NeedsNoFrameInFront) {
  const std::vector<std::string> expected = rows("df.select('region').head(2)");
  EXPECT_THAT(expected, SizeIs(2));
  for (const char* text :
       {"select('region').head(2)", "data.select(\"region\").head(2)",
        "lf.select(['region']).limit(2).collect()", "(df.lazy()\n .select('region')\n .head(n=2))"}) {
    EXPECT_EQ(rows(text), expected) << text;
  }
}

TEST_F(Polars, KeepsValuesOutOfTheSql) {
  const auto question = compile_polars(
      R"(df.filter(pl.col("region") == "'; DROP TABLE data; --").select(x=pl.lit("\"quoted\"")))",
      sales_columns(), {});
  ASSERT_TRUE(question.ok()) << question.error().message;
  EXPECT_THAT(question->sql, ::testing::Not(HasSubstr("DROP")));
  EXPECT_THAT(question->sql, ::testing::Not(HasSubstr("quoted")));
  EXPECT_THAT(question->parameters, SizeIs(2));
}

TEST_F(Polars, QuotesNames) {
  const Columns columns = {{"a\"; DROP TABLE x; --", {.id = engine::TypeId::kInt64}}};
  const auto question =
      compile_polars(R"(df.select(pl.col("a\"; DROP TABLE x; --").alias("b\" c")))", columns, {});
  ASSERT_TRUE(question.ok()) << question.error().message;
  EXPECT_EQ(question->sql, R"(SELECT "a""; DROP TABLE x; --" AS "b"" c" FROM data)");
}

TEST_F(Polars, CountsAsPolarsDoes) {
  EXPECT_EQ(value("pl.lit(-7) // 2"), "-4");
  EXPECT_EQ(value("pl.lit(7) // -2"), "-4");
  EXPECT_EQ(value("pl.lit(-7) // -2"), "3");
  EXPECT_EQ(value("pl.lit(8) // 2"), "4");
  EXPECT_EQ(value("pl.lit(7) // 0"), "NULL");
  EXPECT_EQ(value("pl.lit(-7.5) // 2"), "-4.0");
  EXPECT_EQ(value("pl.lit(-7) % 3"), "2");
  EXPECT_EQ(value("pl.lit(7) % -3"), "-2");
  EXPECT_EQ(value("pl.lit(7) / 2"), "3.5");
  EXPECT_EQ(value("pl.lit(1) / 0"), "inf");
  EXPECT_EQ(value("pl.lit(2) ** 3 ** 2"), "512.0");
  EXPECT_EQ(value("-pl.lit(2) ** 2"), "-4.0");
  EXPECT_EQ(value("1 + 2 * 3 - 4"), "3");
  EXPECT_EQ(value("pl.lit(2.5).round()"), "2.0");
  EXPECT_EQ(value("pl.lit(3.14159).round(2)"), "3.14");
  EXPECT_EQ(value("pl.lit(-3).abs()"), "3");
  EXPECT_EQ(value("pl.lit(2.9).cast(pl.Int64)"), "2");
  EXPECT_EQ(value("pl.lit('12').cast(pl.Int64) + 1"), "13");
  EXPECT_EQ(value("pl.lit('x').cast(pl.Int64, strict=False)"), "NULL");
  EXPECT_EQ(value("pl.lit(9_000_000_000_000_000_001)"), "9000000000000000001");
  EXPECT_EQ(value("pl.lit(None)"), "NULL");
  EXPECT_EQ(value("~(pl.lit(True) & (pl.lit(1) > 2)) | False"), "true");
  EXPECT_EQ(value(R"(pl.lit('it\'s \u00e9 \\ "x"'))"), "it's é \\ \"x\"");
  EXPECT_EQ(value(R"(pl.lit('a.c').str.contains(r'^a\.c$'))"), "true");
}

TEST_F(Polars, TreatsNullAsPolarsDoes) {
  EXPECT_EQ(rows("df.filter(pl.col('units') > 100)"), rows("df.filter(pl.col('units') == None)"));
  EXPECT_THAT(rows("df.filter(~pl.col('units').is_in([10, None, 7])).select('units')"),
              ElementsAre("3", "-4", "1"));
  EXPECT_THAT(rows("df.filter(pl.col('units').is_in([]))"), IsEmpty());
  EXPECT_THAT(
      rows("df.select(pl.col('units').count().alias('n'), pl.col('units').len().alias('m'), pl.len())"),
      ElementsAre("6|7|7"));
  EXPECT_THAT(rows("df.select(pl.col('region').n_unique(), u=pl.col('units').n_unique())"),
              ElementsAre("4|6"));
  EXPECT_THAT(rows("df.filter(pl.col('units') > 100).select(pl.col('units').sum(), m=pl.col('units').max())"),
              ElementsAre("0|NULL"));
  EXPECT_THAT(rows("df.filter(pl.col('region').is_null() | "
                   "pl.col('units').is_null()).select(pl.col('units').fill_null(0))"),
              ElementsAre("0", "3"));
}

TEST_F(Polars, SortsByWhatItIsTold) {
  EXPECT_THAT(rows("df.sort('units').select('units')"), ElementsAre("NULL", "-4", "1", "3", "7", "10", "10"));
  EXPECT_THAT(rows("df.sort('units', nulls_last=True).select('product')"),
              ElementsAre("Apple pie", "fig", "apple", "pear", "apple", "fig", "pear"));
  EXPECT_THAT(rows("df.sort(['region', 'units'], descending=[False, True], nulls_last=[True, True])"
                   ".select('region', 'units')"),
              ElementsAre("east|10", "north|10", "north|1", "north|NULL", "south|7", "south|-4", "NULL|3"));
  EXPECT_THAT(rows("df.sort(by=pl.col('price') * -1, nulls_last=True).select('price').head(2)"),
              ElementsAre("9.75", "3.0"));
}

TEST_F(Polars, KeepsTheOrderOfTheFileWhereNothingSaysOtherwise) {
  EXPECT_THAT(rows("df.filter(pl.col('units') > 2).select('product')"),
              ElementsAre("apple", "pear", "apple", "fig"));
  EXPECT_THAT(rows("df.unique('region').select('region', 'product')"),
              ElementsAre("north|apple", "south|pear", "NULL|apple", "east|fig"));
  EXPECT_THAT(rows("df.unique(subset=['region'], keep='last').select('region', 'product')"),
              ElementsAre("NULL|apple", "south|Apple pie", "east|fig", "north|fig"));
  EXPECT_THAT(rows("df.unique(subset='region', keep='none', maintain_order=True).select('region')"),
              ElementsAre("NULL", "east"));
  EXPECT_THAT(rows("df.select('region', 'code').unique()"), SizeIs(6));
  EXPECT_THAT(rows("df.group_by('region').len()"), ElementsAre("east|1", "north|3", "south|2", "NULL|1"));
  EXPECT_THAT(rows("df.group_by('region', maintain_order=True).agg(pl.len())"),
              ElementsAre("north|3", "south|2", "NULL|1", "east|1"));
}

TEST_F(Polars, OrdersManyRowsTheSameEveryTime) {
  const Columns columns = {{"i", {.id = engine::TypeId::kInt64}}, {"k", {.id = engine::TypeId::kInt64}}};
  const std::string relation = "SELECT range AS i, (range * 7919) % 97 AS k FROM range(300000)";
  for (const auto& [text, sql] : std::vector<std::pair<std::string, std::string>>{
           {"df.sort('k').filter(pl.col('i') % 3 == 0).select('i')",
            "SELECT i FROM data WHERE i % 3 = 0 ORDER BY k, i"},
           {"df.with_columns(s=pl.col('i').sum().over('k')).select('i')", "SELECT i FROM data ORDER BY i"},
           {"df.sort('k', descending=True).group_by('k').agg(pl.col('i').first(), "
            "pl.col('i').last().alias('l'))",
            "SELECT k, min(i), max(i) FROM data GROUP BY k ORDER BY k"},
           {"df.sort('k').sort(pl.col('i') % 5).head(1000).select('i')",
            "SELECT i FROM data ORDER BY i % 5, k, i LIMIT 1000"},
           {"df.sort('k', descending=True).unique('k').select('i')",
            "SELECT min(i) FROM data GROUP BY k ORDER BY k DESC"},
       }) {
    const auto question = compile_polars(text, columns, {});
    ASSERT_TRUE(question.ok()) << question.error().message;
    const auto found = answer(*engine_, *question, relation);
    const auto expected = rows_of(*engine_, {.sql = "WITH data AS (" + relation + ") " + sql});
    ASSERT_TRUE(found.ok()) << question->sql << found.error().message;
    ASSERT_TRUE(expected.ok()) << expected.error().message;
    EXPECT_TRUE(*found == *expected) << question->sql;
  }
}

TEST_F(Polars, SpreadsAggregatesOverRows) {
  EXPECT_THAT(rows("df.filter(pl.col('price') > pl.col('price').mean()).select('product')"),
              ElementsAre("fig"));
  EXPECT_THAT(rows("df.with_columns(share=(pl.col('units') / pl.col('units').sum().over('region')).round(2))"
                   ".select('units', 'share').head(3)"),
              ElementsAre("10|0.91", "7|2.33", "NULL|NULL"));
  EXPECT_THAT(rows("df.select('product', pl.col('units').first().over(['region']).alias('f'))").front(),
              "apple|10");
  EXPECT_THAT(rows("df.select((pl.col('units') - pl.col('units').mean()).over('region').alias('d')).head(2)"),
              ElementsAre("4.5", "5.5"));
}

TEST_F(Polars, AddsReplacesAndDropsColumns) {
  EXPECT_THAT(rows("df.with_columns(pl.col('units') * 2, twice=pl.col('units') * 2)"
                   ".with_columns(pl.col('twice').alias('again')).drop('day', 'code').head(1)"),
              ElementsAre("north|apple|20|1.5|20|20"));
  EXPECT_THAT(rows("df.select(pl.col('units', 'price')).head(1)"), ElementsAre("10|1.5"));
  EXPECT_THAT(rows("df.select(pl.col('units') + 1, price=pl.col('units').max()).head(1)"),
              ElementsAre("11|10"));
}

TEST_F(Polars, ComparesDatesWithText) {
  EXPECT_THAT(rows("df.filter(pl.col('day') >= '2024-02-01').select('day')"),
              ElementsAre("2024-02-01", "2024-02-03"));
  EXPECT_THAT(rows("df.filter(pl.col('day').is_between('2024-01-01', '2024-01-05')).select('day')"),
              ElementsAre("2024-01-05", "2024-01-05"));
  EXPECT_THAT(rows("df.filter(pl.col('day').is_in(['2023-12-31'])).select('product')"), ElementsAre("fig"));
}

TEST_F(Polars, SaysWhatIsNoRegularExpressionWhenItRuns) {
  for (const auto& [pattern, part] : std::vector<std::pair<std::string, std::string>>{
           {"(a", "(a"}, {"(?=a)", "(?="}, {"a{9999}", "{9999}"}}) {
    const auto question =
        compile_polars("df.filter(pl.col('region').str.contains('" + pattern + "'))", sales_columns(), {});
    ASSERT_TRUE(question.ok()) << question.error().message;
    const auto found = answer(*engine_, *question);
    ASSERT_FALSE(found.ok()) << pattern;
    EXPECT_EQ(found.error().kind, ErrorKind::kInvalidInput) << found.error().message;
    EXPECT_EQ(found.error().code, "invalid_value");
    EXPECT_THAT(found.error().message, HasSubstr(part)) << found.error().message;
  }
}

TEST_F(Polars, MeasuresSpread) {
  EXPECT_THAT(rows("df.select(pl.std('units', ddof=0).round(3), v=pl.col('units').var().round(3), "
                   "m=pl.median('price'))"),
              ElementsAre("5.058|30.7|2.25"));
  EXPECT_THAT(rows("df.select(pl.col('product').str.to_uppercase().str.len_chars().max())"),
              ElementsAre("9"));
}

TEST_F(Polars, KnowsHowManyRowsThereCanBe) {
  const auto rows_max = [](std::string_view text) {
    return compile_polars(text, sales_columns(), {})->rows_max;
  };
  EXPECT_EQ(rows_max("df.head(7)"), 7U);
  EXPECT_EQ(rows_max("df.head()"), 5U);
  EXPECT_EQ(rows_max("df.head(7).sort('units').limit(9)"), 7U);
  EXPECT_EQ(rows_max("df.select(pl.len())"), 1U);
  EXPECT_EQ(rows_max("df.select(pl.lit(1))"), 1U);
  EXPECT_EQ(rows_max("df.select(pl.len(), 'units')"), std::nullopt);
  EXPECT_EQ(rows_max("df.select(['units', pl.len()])"), std::nullopt);
  EXPECT_EQ(rows_max("df.select([pl.lit(1), pl.len()])"), 1U);
  EXPECT_EQ(rows_max("df.group_by('region').agg(pl.len())"), std::nullopt);
}

TEST_F(Polars, TakesALongList) {
  std::string list;
  for (int i = 0; i < 3000; ++i) list += std::to_string(i) + ",";
  EXPECT_THAT(rows("df.filter(pl.col('units').is_in([" + list + "])).select('units')"),
              ElementsAre("10", "7", "3", "10", "1"));
}

TEST_F(Polars, TakesIntegersThatDoNotFit64Bits) {
  EXPECT_EQ(value("pl.lit(-9223372036854775808)"), "-9223372036854775808");
  EXPECT_EQ(value("pl.lit(--9223372036854775808)"), "9223372036854775808");
  EXPECT_EQ(value("pl.lit(18446744073709551615) + 1"), "18446744073709551616");
  EXPECT_EQ(value("pl.lit(-170141183460469231731687303715884105727)"),
            "-170141183460469231731687303715884105727");
  EXPECT_THAT(rows("df.filter(pl.col('units') < 9223372036854775808).select(pl.len())"), ElementsAre("6"));
  EXPECT_THAT(rows("df.filter(pl.col('units') >= -9223372036854775808).select(pl.len())"), ElementsAre("6"));
  EXPECT_THAT(rows("df.filter(pl.col('units').is_in([10, 99999999999999999999])).select(pl.len())"),
              ElementsAre("2"));
}

TEST_F(Polars, NumbersRowsBesideAColumnOfThatName) {
  const Columns columns = {{"__ROW", {.id = engine::TypeId::kInt64}}};
  const auto question = compile_polars("df.sort('__ROW')", columns, {});
  ASSERT_TRUE(question.ok()) << question.error().message;
  const auto found = answer(*engine_, *question, "SELECT unnest([3, 1, 2]) AS \"__ROW\"");
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_THAT(*found, ElementsAre("1", "2", "3"));
}

}  // namespace
}  // namespace sluice::expression
