#include "test_server.h"

namespace sluice::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using PostgresTypes = PostgresTest;
INSTANTIATE_TEST_SUITE_P(Servers, PostgresTypes, testing::Values(15, 18), version_name);

TableName in_public(const std::string& name) { return {.schema = "public", .name = name}; }

// The values of one column of the type, as they are read, and how Polars would name that type.
std::vector<std::string> read_values(testing_support::PostgresServer& server, Database& database,
                                     const std::string& declared, const std::string& values) {
  server.run("DROP TABLE IF EXISTS v; CREATE TABLE v(id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, x " +
             declared + "); INSERT INTO v(x) VALUES " + values);
  const Result<TableLayout> layout = database.describe(in_public("v"), {});
  if (!layout.ok()) return {layout.error().message};
  std::vector<std::string> out = {polars_name(layout->columns[1].type)};
  for (const auto& row : rows_of(read_table(database, in_public("v")))) out.push_back(row.at(1));
  return out;
}

TEST_P(PostgresTypes, Numbers) {
  const auto database = reader();
  const auto read = [&](const std::string& declared, const std::string& values) {
    return read_values(server(), *database, declared, values);
  };
  EXPECT_THAT(read("boolean", "(true), (false), (null)"), ElementsAre("Boolean", "true", "false", "null"));
  EXPECT_THAT(read("int2", "(-32768), (32767)"), ElementsAre("Int16", "-32768", "32767"));
  EXPECT_THAT(read("int4", "(-2147483648), (2147483647)"), ElementsAre("Int32", "-2147483648", "2147483647"));
  EXPECT_THAT(read("int8", "(-9223372036854775808), (9223372036854775807)"),
              ElementsAre("Int64", "\"-9223372036854775808\"", "\"9223372036854775807\""));
  EXPECT_THAT(read("oid", "(4294967295)"), ElementsAre("UInt32", "4294967295"));
  EXPECT_THAT(read("float4", "(0.1), ('NaN'), ('-Infinity')"),
              ElementsAre("Float32", "0.1", "\"NaN\"", "\"-Infinity\""));
  EXPECT_THAT(read("float8", "(0.1), (1e-310), (1.7976931348623157e308), ('NaN'), ('Infinity')"),
              ElementsAre("Float64", "0.1", "1e-310", "1.7976931348623157e+308", "\"NaN\"", "\"Infinity\""));
  EXPECT_THAT(read("numeric(4,1)", "(-999.9), (0), (0.05)"),
              ElementsAre("Decimal(4,1)", "-999.9", "0.0", "0.1"));
  EXPECT_THAT(read("numeric(38,10)", "(-9999999999999999999999999999.9999999999), (1)"),
              ElementsAre("Decimal(38,10)", "\"-9999999999999999999999999999.9999999999\"", "1.0000000000"));
  EXPECT_THAT(read("numeric(50,2)", "(1.25)"), ElementsAre("String", "\"1.25\""));
  EXPECT_THAT(read("numeric", "(1.5), (-20.125), (null)"),
              ElementsAre("Decimal(38,3)", "1.500", "-20.125", "null"));
  EXPECT_THAT(read("numeric", "(1e40), (0.5)"),
              ElementsAre("String", "\"10000000000000000000000000000000000000000\"", "\"0.5\""));
  EXPECT_THAT(read("numeric", "('NaN'), (2)"), ElementsAre("String", "\"NaN\"", "\"2\""));
  EXPECT_THAT(read("numeric(3,-2)", "(12345)"), ElementsAre("Decimal(5,0)", "12300"));
  EXPECT_THAT(read("numeric(2,4)", "(0.0012)"), ElementsAre("Decimal(4,4)", "0.0012"));
  EXPECT_THAT(read("money", "(12.5)"), ElementsAre("String", "\"$12.50\""));
}

TEST_P(PostgresTypes, TextsAndBytes) {
  const auto database = reader();
  const auto read = [&](const std::string& declared, const std::string& values) {
    return read_values(server(), *database, declared, values);
  };
  EXPECT_THAT(read("text", "(''), ('naïve ☃ and longer'), (null)"),
              ElementsAre("String", "\"\"", "\"naïve ☃ and longer\"", "null"));
  EXPECT_THAT(read("varchar(3)", "('abc')"), ElementsAre("String", "\"abc\""));
  EXPECT_THAT(read("char(4)", "('ab')"), ElementsAre("String", "\"ab  \""));
  EXPECT_THAT(read("name", "('n')"), ElementsAre("String", "\"n\""));
  EXPECT_THAT(read("bytea", "('\\x00ff'), ('')"), ElementsAre("Binary", "\"AP8=\"", "\"\""));
  EXPECT_THAT(
      read("uuid", "('00112233-4455-6677-8899-aabbccddeeff'), ('ffffffff-ffff-ffff-ffff-ffffffffffff')"),
      ElementsAre(testing::_, "\"00112233-4455-6677-8899-aabbccddeeff\"",
                  "\"ffffffff-ffff-ffff-ffff-ffffffffffff\""));
  EXPECT_THAT(read("json", "('{\"a\" :  1}')"), ElementsAre("String", "\"{\\\"a\\\" :  1}\""));
  EXPECT_THAT(read("jsonb", "('{\"b\":1, \"a\":1.10}')"),
              ElementsAre("String", "\"{\\\"a\\\": 1.10, \\\"b\\\": 1}\""));
  EXPECT_THAT(read("inet", "('10.0.0.1/8')"), ElementsAre("String", "\"10.0.0.1/8\""));
  EXPECT_THAT(read("cidr", "('10.0.0.0/8')"), ElementsAre("String", "\"10.0.0.0/8\""));
  EXPECT_THAT(read("macaddr", "('08:00:2b:01:02:03')"), ElementsAre("String", "\"08:00:2b:01:02:03\""));
  EXPECT_THAT(read("bit(3)", "(B'101')"), ElementsAre("String", "\"101\""));
  EXPECT_THAT(read("point", "('(1,2)')"), ElementsAre("String", "\"(1,2)\""));
  EXPECT_THAT(read("tsvector", "('a fat cat')"), ElementsAre("String", "\"'a' 'cat' 'fat'\""));
  EXPECT_THAT(read("int4range", "('[1,5)')"), ElementsAre("String", "\"[1,5)\""));
  EXPECT_THAT(read("int4multirange", "('{[1,5)}')"), ElementsAre("String", "\"{[1,5)}\""));
  server().run(
      "DROP TABLE IF EXISTS v; DROP TYPE IF EXISTS mood, pair; DROP DOMAIN IF EXISTS positive; "
      "CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE TYPE pair AS (a int, b text); "
      "CREATE DOMAIN positive AS int CHECK (VALUE > 0)");
  server().run("CREATE EXTENSION IF NOT EXISTS citext; CREATE EXTENSION IF NOT EXISTS hstore");
  EXPECT_THAT(read("citext", "('MiXed')"), ElementsAre("String", "\"MiXed\""));
  EXPECT_THAT(read("hstore", "('a=>1')"), ElementsAre("String", R"("\"a\"=>\"1\"")"));
  EXPECT_THAT(read("mood", "('ok')"), ElementsAre("String", "\"ok\""));
  EXPECT_THAT(read("mood[]", "('{ok,sad}')"), ElementsAre("String", "\"{ok,sad}\""));
  EXPECT_THAT(read("pair", "('(1,x)')"), ElementsAre("String", "\"(1,x)\""));
  EXPECT_THAT(read("positive", "(7)"), ElementsAre("Int32", "7"));
}

TEST_P(PostgresTypes, Times) {
  const auto database = reader();
  const auto read = [&](const std::string& declared, const std::string& values) {
    return read_values(server(), *database, declared, values);
  };
  EXPECT_THAT(
      read("date", "('2024-02-29'), ('0044-03-15 BC'), ('5874897-12-31'), ('infinity'), ('4713-01-01 BC')"),
      ElementsAre("Date", "\"2024-02-29\"", "\"-0043-03-15\"", "\"+5874897-12-31\"", "\"infinity\"",
                  "\"-4712-01-01\""));
  EXPECT_THAT(
      read("time", "('00:00:00'), ('23:59:59.999999'), ('24:00:00')"),
      ElementsAre("Time", HasSubstr("00:00:00"), HasSubstr("23:59:59.999999"), HasSubstr("24:00:00")));
  EXPECT_THAT(read("timetz", "('12:34:56.5+05:30'), ('00:00:00-08'), ('01:02:03+00:00:30')"),
              ElementsAre(testing::_, HasSubstr("12:34:56.5"), HasSubstr("-08"), HasSubstr("+00:00:30")));
  EXPECT_THAT(read("timestamp",
                   "('2024-02-29 12:34:56.000001'), ('infinity'), ('-infinity'), ('0001-12-31 23:59:59 BC')"),
              ElementsAre(HasSubstr("Datetime"), "\"2024-02-29T12:34:56.000001\"", "\"infinity\"",
                          "\"-infinity\"", "\"0000-12-31T23:59:59\""));
  EXPECT_THAT(
      read("timestamptz", "('2024-02-29 12:00:00+05:30'), ('1969-12-31 23:59:59.5Z')"),
      ElementsAre(HasSubstr("Datetime"), "\"2024-02-29T06:30:00Z\"", HasSubstr("1969-12-31T23:59:59.5")));
  EXPECT_THAT(read("interval", "('1 year 2 mons -3 days 04:05:06.789'), ('-1 mon -00:00:00.000001'), ('0')"),
              ElementsAre(testing::_, "\"P1Y2M-3DT4H5M6.789S\"", "\"P-1MT-0.000001S\"", "\"PT0S\""));
}

TEST_P(PostgresTypes, Lists) {
  const auto database = reader();
  const auto read = [&](const std::string& declared, const std::string& values) {
    return read_values(server(), *database, declared, values);
  };
  EXPECT_THAT(read("int4[]", "('{1,NULL,-3}'), ('{}'), (null)"),
              ElementsAre("List(Int32)", "[1,null,-3]", "[]", "null"));
  EXPECT_THAT(read("text[]", "(ARRAY['a,b', '\"q\"', 'back\\slash', '', 'NULL', null, ' x ', '{}'])"),
              ElementsAre("List(String)", R"(["a,b","\"q\"","back\\slash","","NULL",null," x ","{}"])"));
  EXPECT_THAT(read("timestamptz[]", "('{2024-01-01 00:00:00Z,infinity}')"),
              ElementsAre(HasSubstr("List(Datetime"), R"(["2024-01-01T00:00:00Z","infinity"])"));
  EXPECT_THAT(read("numeric(6,2)[]", "('{1.5}')"), ElementsAre("List(Decimal(6,2))", "[1.50]"));
  EXPECT_THAT(read("uuid[]", "('{00112233-4455-6677-8899-aabbccddeeff}')"),
              ElementsAre(testing::_, "[\"00112233-4455-6677-8899-aabbccddeeff\"]"));
  EXPECT_THAT(read("bytea[]", "(ARRAY['\\x00ff'::bytea])"), ElementsAre("List(Binary)", "[\"AP8=\"]"));
}

TEST_P(PostgresTypes, WhatDoesNotFitIsToldAndLearned) {
  const auto database = reader();
  const auto first_and_again = [&](const std::string& declared, const std::string& values) {
    const std::vector<std::string> first = read_values(server(), *database, declared, values);
    const Result<TableLayout> layout = database->describe(in_public("v"), {});
    std::vector<std::string> out = {first.at(1), polars_name(layout->columns[1].type)};
    for (const auto& row : rows_of(read_table(*database, in_public("v")))) out.push_back(row.at(1));
    return out;
  };
  const std::string told = "read rows: a value does not fit the type of its column: x";
  EXPECT_THAT(first_and_again("int4[]", "('{{1,2},{3,4}}'), ('[0:1]={5,6}'), ('{7}')"),
              ElementsAre(told, "String", "\"{{1,2},{3,4}}\"", "\"[0:1]={5,6}\"", "\"{7}\""));
  // Another column of the same name has learned already.
  server().run(
      "DROP TABLE v; CREATE TABLE w(id int PRIMARY KEY, x numeric(5,2)); INSERT INTO w VALUES (1, 'NaN'), "
      "(2, 1)");
  EXPECT_EQ(code_of(read_table(*database, in_public("w"))), "column_type_changed");
  EXPECT_THAT(rows_of(read_table(*database, in_public("w"))),
              ElementsAre(ElementsAre("1", "\"NaN\""), ElementsAre("2", "\"1.00\"")));
  server().run(
      "DROP TABLE w; CREATE TABLE u(id int PRIMARY KEY, x numeric); "
      "INSERT INTO u SELECT i, 1.5 FROM generate_series(1, 3000) i; UPDATE u SET x = 2.125 WHERE id = 2900");
  EXPECT_EQ(code_of(read_table(*database, in_public("u"))), "column_type_changed");
  const Table rows = rows_of(read_table(*database, in_public("u")));
  ASSERT_EQ(rows.size(), 3000U);
  EXPECT_EQ(rows[2899][1], "2.125");
  EXPECT_EQ(rows[0][1], "1.500");
  server().run("DROP TABLE u");
}

}  // namespace
}  // namespace sluice::engine
