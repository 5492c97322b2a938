#include "sluice/expression/polars.h"
#include "sluice/expression/sql.h"

#include "testing.h"

namespace sluice::expression {
namespace {

struct Pair {
  std::string polars;
  std::string sql;  // Asked of the engine as it stands, and through the check.
};

const std::vector<Pair>& questions() {
  static const std::vector<Pair> kPairs = {
      {"df.sort('units', nulls_last=True)",
       "SELECT * FROM data ORDER BY units NULLS LAST, CASE product WHEN 'apple' THEN 0 ELSE 1 END"},
      {"df.filter(pl.col('units') >= 3).sort('product', 'units').select('product', 'units')",
       "SELECT product, units FROM data WHERE units >= 3 ORDER BY product, units"},
      {"df.filter((pl.col('region') == 'north') | pl.col('price').is_null()).sort('price').select('price')",
       "SELECT price FROM data WHERE region = 'north' OR price IS NULL ORDER BY price NULLS FIRST"},
      {"df.group_by('region').agg(pl.col('units').sum(), pl.len())",
       "SELECT region, coalesce(sum(units), 0) AS units, count(*) AS len FROM data GROUP BY region ORDER BY "
       "region "
       "NULLS LAST"},
      {"df.group_by('region', 'product').agg(m=pl.col('price').mean())",
       "SELECT region, product, avg(price) AS m FROM data GROUP BY ALL ORDER BY region NULLS LAST, product "
       "NULLS LAST"},
      {"df.select(pl.col('units').min(), a=pl.col('units').max(), b=pl.col('price').median())",
       "SELECT min(units), max(units) AS a, median(price) AS b FROM data"},
      {"df.filter(pl.col('product').str.to_lowercase().str.contains('apple', literal=True)).select('product')"
       ".sort('product')",
       "SELECT product FROM data WHERE contains(lower(product), 'apple') ORDER BY product"},
      {"df.filter(pl.col('product').str.starts_with('a') | pl.col('product').str.ends_with('e'))"
       ".select(pl.col('product').str.len_chars().alias('n')).sort('n')",
       "SELECT length(product) AS n FROM data WHERE starts_with(product, 'a') OR ends_with(product, 'e') "
       "ORDER BY n"},
      {"df.with_columns(value=pl.col('units') * pl.col('price')).sort('value', descending=True, "
       "nulls_last=True)"
       ".select('value').head(3)",
       "SELECT units * price AS value FROM data ORDER BY value DESC NULLS LAST LIMIT 3"},
      {"df.select('product', t=pl.col('units').sum().over('region')).sort('product', 't')",
       "SELECT product, coalesce(sum(units) OVER (PARTITION BY region), 0) AS t FROM data ORDER BY product, "
       "t"},
      {"df.filter(pl.col('code').is_in(['0012', '7'])).group_by('code').agg(pl.col('units').count())",
       "SELECT code, count(units) AS units FROM data WHERE code IN ('0012', '7') GROUP BY code ORDER BY "
       "code"},
      {"df.unique('code').select('code').sort('code')",
       "SELECT DISTINCT code FROM data ORDER BY code NULLS FIRST"},
      {"df.filter(pl.col('day').is_between('2024-01-01', '2024-01-31')).select('day', 'units').sort('day', "
       "'units')",
       "SELECT day, units FROM data WHERE day BETWEEN DATE '2024-01-01' AND DATE '2024-01-31' ORDER BY day, "
       "units"},
      {"df.group_by('region').agg(n=pl.len()).filter(pl.col('n') > 1).sort('n', descending=True)",
       "SELECT region, count(*) AS n FROM data GROUP BY region HAVING n > 1 ORDER BY n DESC"},
      {"df.select(s=pl.col('price').std(), v=pl.col('price').var(ddof=0), c=pl.col('region').n_unique())",
       "WITH r AS (SELECT region IS NULL AS n, region FROM data) SELECT stddev(price) AS s, var_pop(price) "
       "AS v, "
       "(SELECT count(DISTINCT region) + count(DISTINCT n) - 1 FROM r) AS c FROM data"},
      {"df.filter(~(pl.col('units') % 2 == 0)).select((pl.col('units') / 2).alias('h'), q=pl.col('units') // "
       "2)"
       ".sort('h')",
       "SELECT units / 2 AS h, units // 2 AS q FROM data WHERE NOT (units % 2 = 0) ORDER BY h"},
      {"df.filter(pl.col('price') > pl.col('price').median()).sort('price').select('price')",
       "SELECT price FROM data WHERE price > (SELECT median(price) FROM data) ORDER BY price"},
  };
  return kPairs;
}

TEST(Languages, GiveTheSameRowsInTheSameOrder) {
  const std::unique_ptr<engine::Engine> engine = open_engine();
  for (const Pair& pair : questions()) {
    const auto expected =
        rows_of(*engine, {.sql = "WITH data AS (" + kSales + ") SELECT * FROM (" + pair.sql + ")"});
    ASSERT_TRUE(expected.ok()) << pair.sql << ": " << expected.error().message;
    const auto compiled = compile_polars(pair.polars, sales_columns(), {});
    ASSERT_TRUE(compiled.ok()) << pair.polars << ": " << compiled.error().message;
    const auto checked = check_sql(*engine, pair.sql, sales_columns(), {}, {});
    ASSERT_TRUE(checked.ok()) << pair.sql << ": " << checked.error().message;
    for (const Question* question : {&*compiled, &*checked}) {
      const auto found = answer(*engine, *question);
      ASSERT_TRUE(found.ok()) << question->sql << ": " << found.error().message;
      EXPECT_EQ(*found, *expected) << pair.polars << "\n" << question->sql;
      EXPECT_LE(found->size(), question->rows_max.value_or(found->size()));
    }
  }
}

// The engine's own median of decimals is rounded to their scale; a float is promised.
TEST(Languages, KeepTheDigitsOfAMedianOfDecimals) {
  const std::unique_ptr<engine::Engine> engine = open_engine();
  const Columns columns = {{"cost", {.id = engine::TypeId::kDecimal, .width = 12, .scale = 3}}};
  const auto compiled = compile_polars("df.select(m=pl.col('cost').median())", columns, {});
  ASSERT_TRUE(compiled.ok()) << compiled.error().message;
  const auto found =
      answer(*engine, *compiled, "SELECT CAST(unnest(['-0.039', '-0.060']) AS DECIMAL(12, 3)) AS cost");
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(*found, std::vector<std::string>{"-0.0495"});
}

// Both stand inside whatever the caller of this module puts around them.
TEST(Languages, AreDescribedBeforeTheyRun) {
  const std::unique_ptr<engine::Engine> engine = open_engine();
  for (const Pair& pair : questions()) {
    const auto compiled = compile_polars(pair.polars, sales_columns(), {});
    const auto checked = check_sql(*engine, pair.sql, sales_columns(), {}, {});
    ASSERT_TRUE(compiled.ok() && checked.ok());
    for (const Question* question : {&*compiled, &*checked}) {
      const auto description = engine->describe(
          {.sql = "WITH data AS (" + kSales + ") SELECT count(*) FROM (" + question->sql + ")",
           .parameters = question->parameters});
      ASSERT_TRUE(description.ok()) << question->sql << ": " << description.error().message;
      EXPECT_TRUE(description->is_select);
    }
  }
}

}  // namespace
}  // namespace sluice::expression
