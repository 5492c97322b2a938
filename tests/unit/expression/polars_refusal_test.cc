#include "sluice/expression/polars.h"

#include "testing.h"

namespace sluice::expression {
namespace {

using ::testing::HasSubstr;

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

void expect_refused(const std::vector<std::string>& texts, std::string_view code = "invalid_expression") {
  for (const std::string& text : texts) {
    const auto question = compile_polars(text, sales_columns(), {});
    if (question.ok()) {
      ADD_FAILURE() << "allowed: " << text << "\n" << question->sql;
      continue;
    }
    EXPECT_EQ(question.error().kind, ErrorKind::kInvalidInput);
    EXPECT_EQ(question.error().code, code) << text.substr(0, 200) << ": " << question.error().message;
    EXPECT_FALSE(question.error().hint.empty()) << text.substr(0, 200);
  }
}

Error error_of(std::string_view text) {
  const auto question = compile_polars(text, sales_columns(), {});
  return question.ok() ? internal_error("allowed") : question.error();
}

TEST(PolarsRefusal, RefusesMoreMediansThanMemoryIsFor) {
  std::string medians;
  for (int i = 0; i < 150; ++i)
    medians += (i == 0 ? "" : ", ") + std::string("a") + std::to_string(i) + "=pl.col('units').median()";
  expect_refused({"df.select(" + medians + ")"}, "expression_too_large");
  EXPECT_EQ(compile_polars("df.select(a=pl.col('units').median())", sales_columns(), {})->kept_values, 1U);
}

TEST(PolarsRefusal, RefusesWhatIsNoChain) {
  expect_refused({
      "",
      " ",
      "df",
      "pl.col('units')",
      "pl.col('units') > 3",
      "df[0]",
      "df.units",
      "df.filter",
      "1",
      "[df]",
      "df.filter(pl.col('units') > 3",
      "df..head()",
      "df.head())",
      "df.head();df.head()",
      "df.head() df.head()",
      "x.head()",
      "df.head()()",
      "df = df.head()",
      "df.head(\"",
      "df.head('\n')",
      "df.head('''x''')",
      "\xff",
      "#",
      "df.head(1_)",
      "df.head(1.5.5)",
      "df.head(0x10)",
      "df.head(1e)",
      "df.head(12ab)",
      "df.head(f'x')",
      "df.select(pl.lit('\\q'))",
      "df.select(pl.lit('\\ud800'))",
      "df.select(pl.lit('\\x00'))",
      "df.select(pl.lit(170141183460469231731687303715884105728))",
      "df.head(9223372036854775808)",
      "df.select(pl.lit(1e999))",
      "df.filter(lambda x: x)",
      "df.filter(pl.col('units') > 1 and pl.col('units') < 3)",
      "df.filter(not pl.col('units'))",
      "df.select(x for x in y)",
      "df.select({'a': 1})",
      "df.select('a' 'b')",
      "df.select(n=1, 'units')",
  });
}

TEST(PolarsRefusal, RefusesWhatIsNotOffered) {
  expect_refused({
      "df.collect_schema()",
      "df.tail(3)",
      "df.join(df, on='region')",
      "df.map_rows(print)",
      "df.pipe(print)",
      "df.write_csv('/tmp/x')",
      "df.sink_parquet('/tmp/x')",
      "df.sql('SELECT 1')",
      "df.explode('region')",
      "df.head(-1)",
      "df.head('5')",
      "df.head(5, 6)",
      "df.head(m=5)",
      "df.group_by('region')",
      "df.group_by('region').sum()",
      "df.group_by('region').agg()",
      "df.group_by('region').agg('units')",
      "df.group_by('region').agg(pl.col('units'))",
      "df.group_by().agg(pl.len())",
      "df.agg(pl.len())",
      "df.group_by(pl.len()).agg(pl.len())",
      "df.group_by('region').agg(pl.lit(1))",
      "df.group_by('region').agg(pl.col('units').sum().over('region'))",
      "df.sort()",
      "df.sort('units', reverse=True)",
      "df.sort('units', descending=1)",
      "df.sort('units', descending=[True, False])",
      "df.filter()",
      "df.filter('units')",
      "df.filter(pl.col('units'))",
      "df.filter(3)",
      "df.filter(units=3)",
      "df.select()",
      "df.unique(keep='best')",
      "df.unique(pl.len())",
      "df.drop('region','product','units','price','day','code')",
      "pl.read_csv('/etc/passwd')",
      "pl.scan_parquet('x').head()",
      "df.select(pl.read_csv('x'))",
      "df.select(pl.sql('SELECT 1'))",
      "df.select(pl.col('units').map_elements(print))",
      "df.select(pl.col('units').repeat_by(10))",
      "df.select(pl.col('region').str.pad_start(1000000000))",
      "df.select(pl.col('region').str.replace_all('a', 'aaaa'))",
      "df.select(pl.col('region') + pl.col('product'))",
      "df.select(pl.col('region') * 1000000)",
      "df.select(pl.concat_str('region'))",
      "df.select(pl.col())",
      "df.select(pl.col(1))",
      "df.select(pl.col('units', 'price').sum())",
      "df.select(open('/etc/passwd'))",
      "df.select(__import__('os'))",
      "df.select(pl.col('units').__class__)",
      "df.select(pl.col('units').sum)",
      "df.select(pl.col('units').over('region'))",
      "df.select(pl.col('units').sum().over())",
      "df.select(pl.col('units').sum().over('region').sum())",
      "df.select(pl.col('units').sum().mean())",
      "df.select(pl.col('units').sum().over('region').over('product'))",
      "df.select(pl.col('units').std(ddof=2))",
      "df.select(pl.col('units').std('units'))",
      "df.select(pl.col('units').sum(1))",
      "df.select(pl.lit([1]))",
      "df.select(pl.lit(pl.col('units')))",
      "df.select(pl.col('units').cast('int'))",
      "df.select(pl.col('units').cast(pl.List))",
      "df.select(pl.col('units').cast(pl.Object))",
      "df.select(pl.col('units').is_in('region'))",
      "df.select(pl.col('units').is_in([pl.col('price')]))",
      "df.select(pl.col('units').round(-1))",
      "df.select(pl.col('units').round(1000))",
      "df.select(pl.col('units').is_between(1))",
      "df.select(pl.col('units').is_between(1, 2, closed='x'))",
      "df.select(pl.col('region').str.contains(pl.col('product')))",
      "df.select(pl.col('region').dt.year())",
  });
}

TEST(PolarsRefusal, RefusesKindsThatDoNotMix) {
  expect_refused({
      "df.filter(pl.col('units') == 'ten')",
      "df.filter(pl.col('region') > 3)",
      "df.filter(pl.col('units').is_in(['a']))",
      "df.filter(pl.col('units') > 3 & pl.col('price') > 2)",
      "df.filter((pl.col('units') > 3) & pl.col('price'))",
      "df.filter(1 < pl.col('units') < 3)",
      "df.filter(~pl.col('units'))",
      "df.select(-pl.col('region'))",
      "df.select(pl.col('region').sum())",
      "df.select(pl.col('day').mean())",
      "df.select(pl.col('day') - pl.col('day'))",
      "df.select(pl.col('units').str.to_lowercase())",
      "df.select(pl.col('units').fill_null('x'))",
      "df.select(pl.col('region').abs())",
      "df.select(pl.col('region').round(1))",
      "df.filter(pl.col('day') > 3)",
      "df.filter(True == 1)",
  });
}

TEST(PolarsRefusal, RefusesTwoColumnsOfOneName) {
  expect_refused({
      "df.select('units', 'units')",
      "df.select('units', pl.col('price').alias('UNITS'))",
      "df.select(x='units', x='price')",
      "df.group_by('region').agg(pl.col('units').sum(), pl.col('units').max())",
      "df.group_by('region').agg(region=pl.len())",
      "df.with_columns(Units=pl.col('price'))",
  });
}

TEST(PolarsRefusal, NamesTheNearestColumn) {
  expect_refused({"df.select('regoin')", "df.filter(pl.col('unit') > 1)", "df.sort('pric')", "df.unique('x')",
                  "df.select('units').filter(pl.col('region') == 'a')", "df.group_by('nope').len()",
                  "df.select(pl.len().over('nope'))", "df.drop('nope')", "df.select(pl.sum('nope'))"},
                 "invalid_column");
  EXPECT_THAT(error_of("df.select('regoin')").hint, HasSubstr("Did you mean region?"));
  EXPECT_THAT(error_of("df.select('units').sort('region')").hint, HasSubstr("units"));
}

TEST(PolarsRefusal, SaysWhereAndWhatInstead) {
  EXPECT_THAT(error_of("df.fliter(pl.col('units') > 1)").hint, HasSubstr("Did you mean filter?"));
  EXPECT_THAT(error_of("df.select(pl.col('units').men())").hint, HasSubstr("Did you mean mean?"));
  EXPECT_THAT(error_of("df.select(pl.col('region').str.contain('x'))").hint,
              HasSubstr("Did you mean contains?"));
  EXPECT_THAT(error_of("df.filter(pl.col('units') > )").message, HasSubstr("at character 29"));
  EXPECT_THAT(error_of("df.filter(pl.col('units') > 1 & pl.col('price') < 2)").hint, HasSubstr("brackets"));
}

TEST(PolarsRefusal, RefusesWhatIsTooLargeOrTooDeep) {
  expect_refused(
      {
          "df.head(5)" + std::string(16 * 1024, ' '),
          "df.select(" + repeated("(", 1000) + "1" + repeated(")", 1000) + ")",
          "df.select(pl.lit(1)" + repeated(" + 1", 1500) + ")",
          "df.select(" + repeated("~", 1000) + "True)",
          "df.select(" + repeated("- ", 1000) + "pl.lit(1))",
          "df.select(pl.col('units')" + repeated(".abs()", 500) + ")",
          "df" + repeated(".head(1)", 40),
          "df.select(" + repeated("1+1,", 1000) + "1)",
          "df.filter(pl.col('units').is_in(" + repeated("[", 100) + repeated("]", 100) + "))",
          // Each // writes its operands several times.
          "df.select(x=(((((((((((pl.col('units')//1)//2)//3)//4)//5)//6)//7)//8)//9)//10)//11))",
          "df.select(" + repeated("2 ** ", 500) + "2)",
          "df.select(pl.col('price')" + repeated(".round(1)", 100) + ")",
      },
      "expression_too_large");
  expect_refused({std::string("df.head(5)\0", 11)});
}

}  // namespace
}  // namespace sluice::expression
