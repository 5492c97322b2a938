#include "sluice/render/cell.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>

#include "sluice/engine/duckdb.h"
#include "sluice/engine/engine.h"
#include "sluice/json/reader.h"

namespace sluice::render {
namespace {

struct Case {
  const char* sql;
  const char* json;
};

std::unique_ptr<engine::Engine> engine_for_test() {
  auto engine = engine::open_duckdb({});
  EXPECT_TRUE(engine.ok());
  return std::move(engine).value();
}

std::string first_cell(engine::Engine& engine, const std::string& sql) {
  auto rows = engine.query({.sql = sql}, {});
  if (!rows.ok()) return rows.error().message;
  const auto batch = (*rows)->next();
  if (!batch.ok()) return batch.error().message;
  std::string out;
  append_json(out, (*batch)->columns.front(), 0);
  return out;
}

// The documented mapping, value by value.
constexpr Case kCases[] = {
    {"NULL", "null"},
    {"NULL::INTEGER", "null"},
    {"true", "true"},
    {"(-128)::TINYINT", "-128"},
    {"255::UTINYINT", "255"},
    {"(-32768)::SMALLINT", "-32768"},
    {"65535::USMALLINT", "65535"},
    {"4294967295::UINTEGER", "4294967295"},
    {"9007199254740992::BIGINT", "9007199254740992"},
    {"9007199254740993::BIGINT", R"("9007199254740993")"},
    {"(-9223372036854775808)::BIGINT", R"("-9223372036854775808")"},
    {"18446744073709551615::UBIGINT", R"("18446744073709551615")"},
    {"42::HUGEINT", "42"},
    {"(-170141183460469231731687303715884105728)::HUGEINT", R"("-170141183460469231731687303715884105728")"},
    {"340282366920938463463374607431768211455::UHUGEINT", R"("340282366920938463463374607431768211455")"},
    {"0.1::DOUBLE", "0.1"},
    {"1e300::DOUBLE", "1e+300"},
    {"0.1::FLOAT", "0.1"},
    {"'NaN'::DOUBLE", R"("NaN")"},
    {"'-Infinity'::DOUBLE", R"("-Infinity")"},
    {"'Infinity'::FLOAT", R"("Infinity")"},
    {"'-0.05'::DECIMAL(4,2)", "-0.05"},
    {"'12345.678'::DECIMAL(9,3)", "12345.678"},
    {"'123456789012345.678'::DECIMAL(18,3)", R"("123456789012345.678")"},
    {"'-99999999999999999999999999999999999.999'::DECIMAL(38,3)",
     R"("-99999999999999999999999999999999999.999")"},
    {"DATE '2024-02-29'", R"("2024-02-29")"},
    {"DATE '0044-03-15 (BC)'", R"("-0043-03-15")"},
    {"DATE '12345-01-01'", R"("+12345-01-01")"},
    {"'infinity'::DATE", R"("infinity")"},
    {"TIME '23:59:59.5'", R"("23:59:59.5")"},
    {"TIMETZ '12:00:00+04:30'", R"("12:00:00+04:30")"},
    {"TIMESTAMP '1969-12-31 23:59:59.999999'", R"("1969-12-31T23:59:59.999999")"},
    {"TIMESTAMP_S '2024-01-01 10:00:00'", R"("2024-01-01T10:00:00")"},
    {"TIMESTAMP_MS '2024-01-01 10:00:00.250'", R"("2024-01-01T10:00:00.25")"},
    {"TIMESTAMP_NS '2024-01-01 10:00:00.123456789'", R"("2024-01-01T10:00:00.123456789")"},
    {"TIMESTAMPTZ '2024-01-01 10:00:00+04:00'", R"("2024-01-01T06:00:00Z")"},
    {"'-infinity'::TIMESTAMPTZ", R"("-infinity")"},
    {"INTERVAL '14 months 3 days 04:05:06.7'", R"("P1Y2M3DT4H5M6.7S")"},
    {"INTERVAL '-1 second'", R"("PT-1S")"},
    {"INTERVAL '0 days'", R"("PT0S")"},
    {"'123e4567-e89b-12d3-a456-426614174000'::UUID", R"("123e4567-e89b-12d3-a456-426614174000")"},
    {R"('\x00\xFFabc'::BLOB)", R"("AP9hYmM=")"},
    {"'010110100'::BIT", R"("010110100")"},
    {"'12345678901234567890123456789012345678901234567890'::BIGNUM",
     R"("12345678901234567890123456789012345678901234567890")"},
    {"'-7'::BIGNUM", "-7"},
    {"'happy'::ENUM('sad', 'happy')", R"("happy")"},
    {R"('quote " and' || chr(9) || 'tab')", R"("quote \" and\ttab")"},
    {"[1, NULL, 3]", "[1,null,3]"},
    {"[]::INTEGER[]", "[]"},
    {"array_value(1, 2, 3)", "[1,2,3]"},
    {"{'a': 1, 'b': ['x', NULL]}", R"({"a":1,"b":["x",null]})"},
    {"MAP {'k': 1, 'l': NULL}", R"([{"key":"k","value":1},{"key":"l","value":null}])"},
    {"MAP {[1]: {'x': 2}}", R"([{"key":[1],"value":{"x":2}}])"},
    {"union_value(num := 2)", R"({"num":2})"},
    {"'two'::UNION(num INTEGER, str VARCHAR)", R"({"str":"two"})"},
    {"[{'d': DATE '2024-01-01'}, NULL]", R"([{"d":"2024-01-01"},null])"},
};

TEST(CellAsJson, FollowsTheDocumentedMapping) {
  const auto engine = engine_for_test();
  for (const Case& one : kCases) {
    const std::string text = first_cell(*engine, std::string("SELECT ") + one.sql);
    EXPECT_EQ(text, one.json) << one.sql;
    EXPECT_TRUE(json::read(text).ok()) << one.sql;
  }
}

// Lossless: the JSON text, read back with the type of the column, is the value that was written.
TEST(CellAsJson, ReadsBackAsTheSameValue) {
  const auto engine = engine_for_test();
  for (const Case& one : kCases) {
    const std::string sql = one.sql;
    const auto described = engine->describe({.sql = "SELECT " + sql});
    ASSERT_TRUE(described.ok()) << sql;
    const engine::Type& type = described->columns.front().type;
    const bool has_own_json = engine::is_nested(type.id) || type.id == engine::TypeId::kBlob;
    if (has_own_json || std::string_view(one.json) == "null") continue;  // Below.
    std::string text = first_cell(*engine, "SELECT " + sql);
    if (text.front() == '"') text = *json::read(text)->if_string();
    // DuckDB writes a year before Christ, and durations, in its own words.
    if (text.starts_with("-0043") || text.starts_with("+1") || text.starts_with("P")) continue;
    auto rows = engine->query(
        {.sql = "SELECT ($1::" + engine::sql_name(type) + ") IS NOT DISTINCT FROM (" + sql + ")",
         .parameters = {text}},
        {});
    ASSERT_TRUE(rows.ok()) << sql << ": " << rows.error().message;
    const auto batch = (*rows)->next();
    ASSERT_TRUE(batch.ok()) << sql << ": " << batch.error().message;
    EXPECT_EQ((*batch)->columns.front().at<std::uint8_t>(0), 1) << sql << " as " << text;
  }
}

}  // namespace
}  // namespace sluice::render
