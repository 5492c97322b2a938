#include <string>
#include <utility>
#include <vector>

#include "sluice/expression/sql.h"

#include "testing.h"

namespace sluice::expression {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAreArray;

// The sales, with a list, a struct, a JSON document and a time in every row.
const std::string kNested =
    "SELECT *, [product, coalesce(region, '?')] AS tags, {'name': product, 'pop': units, 'inner': {'a': [1, "
    "2, "
    "3]}} "
    "AS properties, '{\"a\": {\"b\": [1, 2]}, \"n\": \"x\"}' AS doc, day::TIMESTAMP + INTERVAL 5 HOUR AS ts "
    "FROM (" +
    kSales + ")";

class SqlAnalyst : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto description = engine_->describe({.sql = kNested}, {});
    ASSERT_TRUE(description.ok()) << description.error().message;
    columns_ = description->columns;
  }

  Result<Question> check(std::string_view sql) { return check_sql(*engine_, sql, columns_, {}, {}); }

  std::unique_ptr<engine::Engine> engine_ = open_engine();
  Columns columns_;
};

// Whatever of these runs must give the rows that the engine gives for the same text.
// NOLINTBEGIN(bugprone-suspicious-missing-comma): long statements stand on two lines.
TEST_F(SqlAnalyst, AnswersWhatAnAnalystAsks) {
  for (const std::string& sql : std::vector<std::string>{
           "SELECT region, tag FROM data, unnest(tags) AS t(tag) ORDER BY 1, 2",
           "SELECT region, unnest(tags) AS tag FROM data",
           "SELECT tag, count(*) FROM (SELECT unnest(tags) AS tag FROM data) GROUP BY tag ORDER BY 2 DESC",
           "SELECT d.region, u.x FROM data d, LATERAL (SELECT unnest(d.tags) AS x) u",
           "SELECT i, x FROM data, unnest(tags) WITH ORDINALITY AS t(x, i)",
           "SELECT len(tags), array_length(tags), tags[1], tags[-1], tags[1:1] FROM data",
           "SELECT list_contains(tags, 'fig'), list_sort(tags), list_distinct(tags), list_reverse(tags) FROM "
           "data",
           "SELECT list_transform(tags, lambda x: upper(x)) FROM data",
           "SELECT list_filter(tags, x -> x LIKE 'a%') FROM data",
           "SELECT [upper(x) for x in tags if x <> 'fig'] FROM data",
           "SELECT list_reduce([1, 2, 3], lambda a, b: a + b)",
           "SELECT list_transform(tags, lambda x: length(x) + units) FROM data",
           "SELECT array_to_string(tags, ', ') FROM data",
           "SELECT properties.name, properties.pop, data.properties.inner.a[1] FROM data",
           "SELECT properties['name'], struct_extract(properties, 'pop') FROM data",
           "SELECT unnest(properties) FROM data",
           "SELECT unnest(properties, recursive := true) FROM data",
           "SELECT region, string_agg(product, ', ' ORDER BY product) FROM data GROUP BY region",
           "SELECT region, string_agg(DISTINCT product, ',' ORDER BY product) FILTER (WHERE units > 0) FROM "
           "data GROUP BY ALL",
           "SELECT region, list(product ORDER BY units DESC)[1:2] AS top FROM data GROUP BY region",
           "SELECT region, array_agg(product) FROM data GROUP BY region HAVING len(array_agg(product)) > 1",
           "SELECT group_concat(product, ';'), listagg(product) FROM data",
           "SELECT region, product, units FROM data QUALIFY row_number() OVER (PARTITION BY region ORDER BY "
           "units DESC) <= 2",
           "SELECT region, sum(units) OVER w, avg(units) OVER w FROM data WINDOW w AS (PARTITION BY region "
           "ORDER BY day)",
           "PIVOT data ON region IN ('north', 'south') USING sum(units) GROUP BY product",
           "SELECT * FROM (SELECT region, product, units FROM data) PIVOT (sum(units) FOR region IN "
           "('north', 'south'))",
           "PIVOT (SELECT year(day) AS y, product, units FROM data) ON y IN (2023, 2024) USING sum(units) AS "
           "total, count(*) AS n",
           "UNPIVOT data ON units, price INTO NAME measure VALUE v",
           "SELECT * FROM (SELECT product, units, price::BIGINT AS price FROM data) UNPIVOT (v FOR m IN "
           "(units, price))",
           "SELECT region, product, sum(units) FROM data GROUP BY GROUPING SETS ((region, product), "
           "(region), ())",
           "SELECT region, grouping(region), count(*) FROM data GROUP BY ROLLUP (region)",
           "SELECT region, product, count(*) FROM data GROUP BY CUBE (region, product)",
           "SELECT region FROM data UNION SELECT product FROM data",
           "SELECT region, units FROM data UNION ALL BY NAME SELECT units, product FROM data",
           "SELECT region FROM data INTERSECT SELECT 'north'",
           "SELECT a.day, b.price FROM data a ASOF JOIN data b ON a.region = b.region AND a.day >= b.day",
           "SELECT a.product FROM data a SEMI JOIN data b ON a.units = b.units",
           "SELECT a.product, b.day FROM data a FULL JOIN data b ON a.units = b.units + 1",
           "SELECT a.product, b.day FROM data a RIGHT JOIN data b ON a.units = b.units + 1",
           "SELECT d.product, t.n FROM data d LEFT JOIN LATERAL (SELECT count(*) AS n FROM data e WHERE "
           "e.region = d.region) t ON true",
           "SELECT strptime('5 Jan 2024', '%d %b %Y'), strftime(day, '%B %Y') FROM data",
           "SELECT date_trunc('month', day), date_part('week', day), extract(quarter FROM day), dayname(day) "
           "FROM data",
           "SELECT time_bucket(INTERVAL '1 week', day), epoch_ms(ts), make_timestamp(2024, 1, 2, 3, 4, 5.5), "
           "last_day(day) FROM data",
           "SELECT try_strptime(code, ['%Y', '%m']) FROM data",
           "SELECT try_strptime(code, '%Y'), TRY_CAST(code AS INTEGER) FROM data",
           "SELECT regexp_extract(product, '(a)(p+)', 2), regexp_extract_all(product, 'p'), "
           "regexp_replace(product, 'p+', 'b', 'g') FROM data",
           "SELECT regexp_split_to_array(product, ' '), string_split(product, ' '), split_part(product, ' ', "
           "1) FROM data",
           "SELECT doc->'a'->'b'->0, doc->>'n', json_extract(doc, '$.a.b[1]'), json_extract_string(doc, "
           "'$.n') FROM data",
           "SELECT json_array_length(doc, '$.a.b'), json_keys(doc), json_type(doc), json_valid(doc) FROM "
           "data",
           "SELECT unnest(from_json(doc->'a'->'b', '[\"INTEGER\"]')) FROM data",
           "SELECT doc::JSON->>'$.n', CAST(doc->'a'->'b' AS INTEGER[]) FROM data",
           "SELECT to_json(properties), to_json({'a': region, 'b': units}) FROM data",
           "SELECT {'a': region, 'b': units} AS s, struct_pack(x := price), row(1, 2), [units, 1] FROM data",
           "SELECT map(['a', 'b'], [1, 2])['a'], map_keys(map {'x': 1}), cardinality(map {'x': 1})",
           "SELECT max(units, 2), arg_max(product, units, 3), arg_max(product, units), min_by(product, "
           "units) FROM data",
           "SELECT * FROM generate_series(DATE '2024-01-01', DATE '2024-02-01', INTERVAL 1 DAY) AS t(d)",
           "SELECT i FROM range(1, 13) AS t(i) LEFT JOIN data ON month(day) = i",
           "SELECT unnest(range(5)), generate_series(1, 3)",
           "SELECT lpad(code, 8, '0'), rpad(code, 8, ' '), repeat('*', 5), repeat('ab', 3) || region FROM "
           "data",
           "SELECT printf('%05.2f %s', price, region), format('{:,} {}', units, region) FROM data",
           "SELECT bar(units, 0, 10, 20), hex(product), url_encode(product), md5(product), hash(product) % "
           "10 FROM data",
           "SELECT round(price, 1), price::DECIMAL(10, 2), units / 3, units // 3, units % 3, floor(price), "
           "pi(), sin(price) FROM data",
           "SELECT corr(units, price), regr_slope(units, price), stddev(units), approx_quantile(units, 0.5), "
           "approx_count_distinct(product) FROM data",
           "SELECT median(units), quantile_cont(units, 0.9), percentile_cont(0.5) WITHIN GROUP (ORDER BY "
           "units) FROM data",
           "SELECT count(*) FILTER (WHERE units > 5), count_if(units > 5), sum(CASE WHEN units > 5 THEN 1 "
           "ELSE 0 END) FROM data",
           "SELECT ifnull(region, 'none'), coalesce(region, 'none'), nullif(units, 10), if(units > 5, "
           "'many', 'few'), greatest(units, 5) FROM data",
           "SELECT product, units, lag(units) OVER (ORDER BY day), units - lag(units) OVER (ORDER BY day) AS "
           "change, sum(units) OVER (ORDER BY day ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM data",
           "SELECT product, ntile(4) OVER (ORDER BY units), percent_rank() OVER (ORDER BY units), "
           "first_value(product) OVER (PARTITION BY region ORDER BY units) FROM data",
           "SELECT * EXCLUDE (code) REPLACE (upper(region) AS region) FROM data",
           "SELECT DISTINCT ON (region) * FROM data ORDER BY region, units DESC",
           "WITH t AS (SELECT region, string_agg(product, ', ') AS names FROM data GROUP BY region) SELECT "
           "d.product, t.names FROM data d JOIN t USING (region)",
           "WITH t AS (SELECT region, count(*) AS n FROM data GROUP BY 1) SELECT d.*, t.n FROM data d JOIN t "
           "ON d.region = t.region ORDER BY t.n DESC LIMIT 3",
           "SELECT product, (SELECT string_agg(e.region, ',') FROM data e WHERE e.product = d.product) AS "
           "regions FROM data d",
           "SELECT product FROM data WHERE units > ALL (SELECT units FROM data WHERE region = 'south') OR "
           "EXISTS (SELECT 1 FROM data e WHERE e.units > 100)",
           "SELECT product FROM data WHERE 'fig' = ANY(tags)",
           "SELECT translate(product, 'ap', 'xy'), trim(product), left(product, 3), reverse(product), "
           "strip_accents(product), chr(65), ascii('A') FROM data",
           "SELECT to_timestamp(1700000000), ts AT TIME ZONE 'UTC', ts::TIME, ts::DATE, dayofweek(ts), "
           "weekofyear(ts), isoyear(ts) FROM data",
           "SELECT list_sum([1,2]), list_avg([1,2]), list_max(tags), list_zip(tags, [1,2]), "
           "flatten([[1],[2]]), list_concat(tags, ['x']), list_append(tags, 'x'), list_has_any(tags, "
           "['fig']), list_position(tags, 'fig') FROM data",
           "SELECT region, list_sort(list(DISTINCT product)) AS l, len(l) FROM data GROUP BY region ORDER BY "
           "len(l) DESC",
           "SELECT region, unnest(top) FROM (SELECT region, list(product ORDER BY units)[1:2] AS top FROM "
           "data GROUP BY region)",
           "SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS t(n, s) JOIN data ON n = units",
           "SELECT bit_count(units), units & 3, units | 1, xor(3, 5), format_bytes(units * 100000) FROM data",
           "SELECT CAST(tags AS VARCHAR), tags::VARCHAR || '!', concat_ws(',', tags[1], tags[2]) FROM data",
           "SELECT product SIMILAR TO 'a.*', product ~ 'app.*', product GLOB 'a*', product ILIKE '%PP%', "
           "starts_with(product, 'a') FROM data",
           "SELECT properties.name || ' (' || properties.pop || ') ' || properties.name, doc->>'n' || ', ' "
           "|| (doc->>'n') FROM data",
           "WITH f AS (SELECT properties AS p, tags FROM data) SELECT p.name || '/' || p.name || '/' || "
           "tags[1] || tags[2] FROM f",
           "SELECT x || '-' || x || '-' || x FROM (SELECT unnest(tags) AS x FROM data)",
           "SELECT json_extract(doc, '$.a.b[*]'), json_array_length(doc, '$.a.b') FROM data",
           "SELECT a.product, s FROM data a JOIN (SELECT region, count(*) AS s FROM data GROUP BY 1) USING "
           "(region)",
           "SELECT count(t.l), len(t.l) FROM data JOIN (SELECT region, list(units) AS l, string_agg(product) "
           "AS s FROM data GROUP BY 1) t USING (region) GROUP BY ALL",
           "SELECT region, list_transform(list(product), lambda x: x || '!') FROM data GROUP BY region",
           "WITH p AS (PIVOT data ON region IN ('north') USING sum(units) GROUP BY product) SELECT * FROM p",
           "SELECT array_to_string(list_reverse(string_split(product, ' ')), ' ') FROM data",
           "SELECT region, array_to_string(list(DISTINCT product ORDER BY product), ', ') FROM data GROUP BY "
           "region",
           "SELECT i FROM generate_series(TIMESTAMP '2024-01-01 00:00:00', TIMESTAMP '2024-01-03', INTERVAL "
           "'1 day') t(i)",
           "SELECT d.region, t.* FROM data d CROSS JOIN LATERAL (SELECT unnest(d.properties.inner.a) AS v) t",
           "SELECT [x * units for x in [1, 2]], list_filter([1, 2, 30], lambda x: x > units) FROM data",
           "SELECT s.n, s.top FROM (SELECT region, {'n': count(*), 'top': max(units)} AS s FROM data GROUP "
           "BY region)",
           "SELECT product FROM data WHERE word_match(product, 'apples')",
           "SELECT product, similar(product, region) FROM data WHERE similar(product, 'aple') > 0.5",
           "SELECT word_match(properties.name, 'figs'), count(*) FROM data GROUP BY 1",
       }) {
    const auto question = check(sql);
    if (!question.ok()) {
      ADD_FAILURE() << sql << ": " << question.error().message << " " << question.error().hint;
      continue;
    }
    const auto found = answer(*engine_, *question, kNested);
    const auto expected =
        rows_of(*engine_, {.sql = "SELECT * FROM (WITH data AS (" + kNested + ") FROM (" + sql + "))"});
    ASSERT_TRUE(found.ok()) << question->sql << ": " << found.error().message;
    ASSERT_TRUE(expected.ok()) << sql << ": " << expected.error().message;
    EXPECT_THAT(*found, UnorderedElementsAreArray(*expected)) << sql;
    EXPECT_FALSE(found->empty()) << sql;
  }
}
// NOLINTEND(bugprone-suspicious-missing-comma)

TEST_F(SqlAnalyst, NamesWhatToUseInsteadOfARefusedFunction) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"explode(tags)", "unnest("},
      {"now()", "DATE '"},
      {"current_date", "DATE '"},
      {"levenshtein(region, product)", "similar("},
      {"jaro_winkler_similarity(region, product)", "similar("},
      {"random()", "hash("},
      {"to_char(day, 'YYYY')", "strftime("},
      {"to_date(code, 'YYYY')", "strptime("},
      {"mode(region)", "GROUP BY"},
      {"histogram(region)", "GROUP BY"},
      {"nvl(region, 'x')", "coalesce("},
      {"charindex('a', region)", "instr("},
      {"initcap(region)", "upper("},
      {"list_aggregate(tags, 'max')", "list_max"},
      {"json_object('a', region)", "to_json("},
      {"json_each(doc)", "unnest("},
      {"uper(region)", "upper"},
      {"repeat(region, units)", "number"},
      {"range(units)", "unnest("},
      {"list(region) OVER ()", "GROUP BY"},
      {"list_reduce(tags, lambda a, b: a || b)", "array_to_string("},
      {"list_transform(tags, lambda x: x || region)", "unnest("},
      {"json_extract(doc, '$..b')", "$.a[*].b"},
      {"age(ts)", "2"},
  };
  for (const auto& [call, instead] : cases) {
    const auto question = check("SELECT " + call + " FROM data");
    ASSERT_FALSE(question.ok()) << call;
    EXPECT_THAT(question.error().hint, HasSubstr(instead)) << call;
    // About 120 tokens.
    EXPECT_LE(question.error().message.size() + question.error().hint.size(), 400U) << call;
  }
}

TEST_F(SqlAnalyst, TellsHowToListTheValuesOfAPivot) {
  const auto hint = [this](std::string_view sql) {
    const auto question = check(sql);
    return question.ok() ? std::string("allowed") : question.error().hint;
  };
  EXPECT_THAT(hint("PIVOT data ON region USING sum(units)"),
              HasSubstr("SELECT DISTINCT region FROM data ORDER BY 1"));
  EXPECT_THAT(hint("SELECT * FROM (PIVOT (SELECT * FROM data) ON year(day) USING count(*) GROUP BY product)"),
              HasSubstr("SELECT DISTINCT year(day) FROM (SELECT * FROM data) ORDER BY 1"));
  EXPECT_THAT(hint("/* on */ PIVOT \"data\" -- on x\nON product IN ('fig', 'pear'), region"),
              HasSubstr("SELECT DISTINCT region FROM \"data\" ORDER BY 1"));
}

// What list and string_agg collect can be as large as the data; a join would copy it for every row.
TEST_F(SqlAnalyst, RefusesToCopyCollectedValuesForEveryRow) {
  const std::string lists = "(SELECT region, list(product) AS l FROM data GROUP BY region)";
  const std::string texts = "(SELECT region, string_agg(product) AS l FROM data GROUP BY region)";
  for (const std::string& sql : std::vector<std::string>{
           "SELECT t.l FROM data JOIN " + lists + " t USING (region)",
           "SELECT * FROM data, " + lists + " t",
           "SELECT t.l[1] FROM data, " + lists + " t",
           "SELECT t.* FROM data, " + lists + " t",
           "SELECT \"list(product)\" FROM data, (SELECT list(product) FROM data)",
           "SELECT k FROM data, (SELECT list(product) FROM data) t(k)",
           "WITH t(k) AS (SELECT list(product) FROM data) SELECT k FROM data, t",
           "SELECT l, unnest(l) FROM " + lists,
           "SELECT unnest(list(product)), list(units) FROM data",
           "SELECT (SELECT list(e.units) FROM data e WHERE e.region = d.region) FROM data d",
           "SELECT d.region, (SELECT count(*) FROM data e WHERE list_sort(d.l)[1] = e.product) FROM " +
               lists + " d",
           "SELECT first_value(l) OVER () FROM " + lists,
           "SELECT max(l) OVER () FROM " + texts,
           "SELECT 1 FROM data, " + lists + " t WHERE list_contains(t.l, product)",
           "SELECT 1 FROM data, " + texts + " t WHERE contains(t.l, product)",
           "SELECT (SELECT string_agg(product) FROM data) AS s FROM data ORDER BY s",
           "SELECT upper((SELECT string_agg(product) FROM data)) FROM data",
           "SELECT upper(t.l) FROM data JOIN " + texts + " t USING (region)",
           "SELECT region FROM data JOIN " + texts + " t USING (region) ORDER BY t.l",
           "SELECT t.l, count(*) FROM data JOIN " + texts + " t USING (region) GROUP BY t.l",
           "SELECT * FROM data JOIN (SELECT 1 AS x UNION ALL SELECT len(l) FROM " + lists +
               " UNION ALL SELECT 2) ON "
               "x = units JOIN (SELECT region AS l FROM data UNION ALL SELECT l FROM " +
               texts + ") ON upper(l) = region",
       }) {
    const auto question = check(sql);
    ASSERT_FALSE(question.ok()) << "allowed: " << sql;
    EXPECT_EQ(question.error().code, "invalid_sql") << sql << ": " << question.error().message;
    EXPECT_FALSE(question.error().hint.empty()) << sql;
  }
  for (const std::string& allowed : {
           "SELECT d.product, t.l FROM data d JOIN " + texts + " t USING (region)",
           "SELECT d.product, len(t.l) FROM data d JOIN " + lists + " t USING (region)",
           "SELECT region, unnest(l) FROM " + lists,
           "SELECT region, x FROM " + lists + " t, unnest(t.l) AS u(x)",
           "SELECT upper(l), list_sort(string_split(l, ',')) FROM " + texts,
           std::string("SELECT a.region, list(b.product) FROM data a JOIN data b USING (region) GROUP BY 1"),
           std::string(
               "SELECT (SELECT string_agg(e.product) FROM data e WHERE e.region = d.region) FROM data d"),
       }) {
    const auto question = check(allowed);
    EXPECT_TRUE(question.ok()) << allowed << ": " << question.error().message;
  }
}

TEST_F(SqlAnalyst, CountsNamedWindowsForEveryUse) {
  std::string wide = "SELECT 1";
  std::string parts = "region";
  for (int i = 0; i < 200; ++i) {
    wide += ", sum(units) OVER w";
    parts += ", region";
  }
  const auto question = check(wide + " FROM data WINDOW w AS (PARTITION BY " + parts + ")");
  ASSERT_FALSE(question.ok());
  EXPECT_EQ(question.error().code, "expression_too_large");
}

}  // namespace
}  // namespace sluice::expression
