#include "sample_columns.h"

#include <random>
#include <string_view>

#include <fmt/format.h>

namespace sluice::plan::testing {

namespace {

using Texts = std::vector<std::string>;

Texts operator+(Texts left, const Texts& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

Texts quoted(const Texts& texts) {
  Texts out;
  for (const std::string& text : texts) {
    std::string cell = "'";
    for (const char c : text) cell += c == '\'' ? std::string("''") : std::string(1, c);
    out.push_back(cell + "'");
  }
  return out;
}

const Texts& words() {
  static const Texts kWords = {"",       " ",        "a",      "A",     "a ",     " a",
                               "ab",     "aB",       "b",      "a%b_c", "O'B",    "\"q\"",
                               "\u00E9", "e\u0301",  "\u00C9", "ss",    "\u00DF", "\U0001F642",
                               "\uFFFD", "back\\s",  "10",     "9",     "9.0",    "-0",
                               "1e1",    "Infinity", "x'61'",  "true",  "NaN",    "\u00E9\U0001F642z"};
  return kWords;
}

const Texts& word_constants() {
  static const Texts kConstants = {
      R"("")",         R"(" ")",   R"("a")",        R"("A")",   R"("a ")",    R"("ab")",
      R"("a%b_c")",    R"("O'B")", R"("é")",        R"("É")",   R"("ß")",     R"("🙂")",
      R"("\uFFFD")",   R"("10")",  R"("9")",        R"("9.0")", R"("x'61'")", R"("x")",
      R"("Infinity")", "9",        "10.0",          "-0",       "1e1",        "9.5",
      "true",          R"("zz")",  R"("a\u0000b")", R"("-0.0")"};
  return kConstants;
}

const Texts& patterns() {
  static const Texts kPatterns = {"",   " ",      "a",  "A",      "B",          "%",      "_",  "'",
                                  "\"", "\u00E9", "e",  "\u0301", "\U0001F642", "\uFFFD", "\\", "1",
                                  "0",  "x'",     "ss", "9.0",    "a ",         "tru"};
  return kPatterns;
}

const Texts& integer_constants() {
  static const Texts kConstants = {"0",
                                   "1",
                                   "-1",
                                   "7",
                                   "0.5",
                                   "-0.5",
                                   "7.0",
                                   "32767",
                                   "32767.5",
                                   "-32768.5",
                                   "40000",
                                   "2147483647",
                                   "2147483648",
                                   "-2147483649",
                                   "4294967295",
                                   "4294967296",
                                   "9007199254740993",
                                   "9223372036854775807",
                                   "9223372036854775806.5",
                                   "9223372036854775808",
                                   "-9223372036854775808",
                                   "-9223372036854775809",
                                   "1e19",
                                   "1e400",
                                   "-1e400",
                                   "1e-400",
                                   R"("7")",
                                   R"("inf")",
                                   R"("-inf")",
                                   R"("x")"};
  return kConstants;
}

const Texts& real_constants() {
  static const Texts kConstants = {"0",
                                   "-0.0",
                                   "0.1",
                                   "1.5",
                                   "-1.5",
                                   "1.50000000000000000001",
                                   "1e308",
                                   "1.7976931348623157e308",
                                   "1e400",
                                   "-1e400",
                                   "1e-400",
                                   "5e-324",
                                   "9007199254740992",
                                   "9007199254740993",
                                   "16777217",
                                   "3.4028235e38",
                                   R"("inf")",
                                   R"("-inf")",
                                   R"("nan")",
                                   R"("1.5")"};
  return kConstants;
}

const Texts& decimal_constants() {
  static const Texts kConstants = {"0",
                                   "-0.0",
                                   "0.01",
                                   "0.005",
                                   "-0.005",
                                   "0.015",
                                   "0.010",
                                   "99999999.99",
                                   "99999999.995",
                                   "100000000",
                                   "-99999999.99",
                                   "-99999999.991",
                                   "12.34",
                                   "12.344999999999",
                                   "1e2",
                                   "1e400",
                                   "-1e400",
                                   "1e-300",
                                   R"("12.34")",
                                   R"("inf")",
                                   "99999999999999999999999999999999999999",
                                   "1e38",
                                   "5e37",
                                   "12300"};
  return kConstants;
}

const Texts& moment_constants() {
  static const Texts kConstants = {R"("0001-01-01")",
                                   R"("0001-12-31T23:59:59.999999")",
                                   R"("1582-10-04")",
                                   R"("1582-10-15")",
                                   R"("1969-12-31T23:59:59.999999Z")",
                                   R"("1969-12-31T23:59:59.9999995")",
                                   R"("1970-01-01")",
                                   R"("2000-02-29T12:30:00.123456")",
                                   R"("2000-02-29T12:30:00.1234561")",
                                   R"("2000-02-29T14:30:00.123456+02:00")",
                                   R"("2000-02-29")",
                                   R"("9999-12-31")",
                                   R"("9999-12-31T23:59:59.999999")",
                                   R"("+10000-01-01")",
                                   R"("-0044-03-15")",
                                   R"("infinity")",
                                   R"("-infinity")",
                                   R"("2000-02-30")",
                                   "2000"};
  return kConstants;
}

const Texts kDays = {"'0001-01-01'", "'1582-10-04'", "'1582-10-15'", "'1969-12-31'",
                     "'1970-01-01'", "'2000-02-29'", "'9999-12-31'", "NULL"};
const Texts kMoments = {"'0001-01-01 00:00:00'",        "'1582-10-15 00:00:00.000001'",
                        "'1969-12-31 23:59:59.999999'", "'1970-01-01 00:00:00'",
                        "'2000-02-29 12:30:00.123456'", "'2000-02-29 12:30:00.1'",
                        "'9999-12-31 23:59:59.999999'", "NULL"};

}  // namespace

std::vector<SampleColumn> sqlite_samples() {
  // A column that holds blobs is read through a function, which hides its collation.
  const Texts plain = quoted(words()) + Texts{"NULL"};
  const Texts texts = quoted(words()) + Texts{"NULL", "x'61'", "x''", "x'ff'", "CAST(x'61ff62' AS TEXT)"};
  const Texts integers = {
      "0", "1", "-1", "7", "9007199254740993", "-9223372036854775808", "9223372036854775807", "NULL"};
  const Texts reals = {"0.0",    "-0.0",
                       "0.1",    "1.5",
                       "-1.5",   "9e999",
                       "-9e999", "1.7976931348623157e308",
                       "5e-324", "9007199254740992.0",
                       "1e15",   "NULL"};
  const Texts mixed = integers + Texts{"1.5", "-0.5", "9e999", "1e20", "1.0"} + texts;
  const Texts number_constants = integer_constants() + real_constants();
  return {
      {"i", "INTEGER", integers, number_constants, {"1"}},
      {"r", "REAL", reals, number_constants, {"1"}},
      {"n",
       "NUMERIC",
       Texts{"0", "1.5", "-1.5", "7", "9007199254740992", "1e20", "NULL"},
       number_constants,
       {}},
      {"d",
       "DECIMAL(10,2)",
       Texts{"0", "0.01", "12.34", "-99999999.99", "99999999.99", "NULL"},
       decimal_constants(),
       {}},
      {"f", "BOOLEAN", {"0", "1", "NULL"}, {"true", "false", R"("true")", "1", R"("x")"}, {}},
      {"t", "TEXT", texts, word_constants(), patterns()},
      {"c", "TEXT COLLATE NOCASE", plain, word_constants(), patterns()},
      {"v", "VARCHAR(9) COLLATE RTRIM", plain, word_constants(), patterns()},
      {"w", "DATE", kDays, moment_constants() + word_constants(), {"-", "2000"}},
      {"b", "BLOB", {"x''", "x'00'", "x'61'", "x'ff'", "NULL"}, {R"("")", R"("YQ==")", R"("!")"}, {"a"}},
      {"m", "", mixed, word_constants() + integer_constants(), patterns()},
      {"k", "INTEGER", mixed, word_constants() + integer_constants(), patterns()},
      {"o", "BLOB", mixed, word_constants() + integer_constants(), patterns()},
      {"p", "", integers, number_constants, {}},
  };
}

std::string postgres_preparation() {
  return "CREATE EXTENSION citext; CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy'); CREATE COLLATION "
         "case_blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false);"
         "CREATE COLLATION word_order (provider = icu, locale = 'en-US');";
}

std::vector<SampleColumn> postgres_samples() {
  const Texts texts = quoted(words()) + Texts{"NULL"};
  const Texts numbers = integer_constants() + real_constants();
  const Texts small = {"0", "1", "-1", "7", "32767", "-32768", "NULL"};
  const Texts reals = {"'0'", "'-0'", "0.1", "1.5", "-1.5", "'Infinity'", "'-Infinity'", "'NaN'", "NULL"};
  const std::string threes(38, '3');  // Three of them add up to 38 digits.
  return {
      {"f", "boolean", {"true", "false", "NULL"}, {"true", "false", R"("true")", "1", R"("x")"}, {}},
      {"h", "smallint", small, numbers, {"1"}},
      {"i", "integer", small + Texts{"2147483647", "-2147483648"}, numbers, {}},
      {"l",
       "bigint",
       small + Texts{"9007199254740993", "9223372036854775807", "-9223372036854775808"},
       numbers,
       {}},
      {"o", "oid", {"0", "1", "4294967295", "NULL"}, numbers, {}},
      {"e", "real", reals + Texts{"3.4028235e38", "1e-45"}, numbers, {}},
      {"r",
       "double precision",
       reals + Texts{"1.7976931348623157e308", "5e-324", "9007199254740992"},
       numbers,
       {}},
      {"d",
       "numeric(10,2)",
       {"0", "0.01", "-0.01", "12.34", "99999999.99", "-99999999.99", "NULL"},
       decimal_constants() + numbers,
       {}},
      {"w",
       "numeric(38,0)",
       {"0", "1", threes, "-" + threes, "NULL"},
       decimal_constants() + Texts{threes},
       {}},
      {"x",
       "numeric(38,38)",
       {"0", "0." + threes, "-0." + threes, "0.3", "0.0001", "-0.00000000000000000000000000000000000001",
        "NULL"},
       decimal_constants(),
       {}},
      {"u",
       "numeric",
       {"0", "0.010", "12.34", "-7", "12345678901234567890.5", "NULL"},
       decimal_constants(),
       {}},
      {"z", "numeric(3,-2)", {"0", "100", "99900", "-12300", "NULL"}, decimal_constants(), {}},
      {"t", "text", texts, word_constants(), patterns()},
      {"c", "text COLLATE case_blind", texts, word_constants(), patterns()},
      {"v", "varchar(9) COLLATE word_order", texts, word_constants(), patterns()},
      {"p", "char(4)", {"''", "'a'", "'A'", "'a b'", "'abcd'", "'é'", "NULL"}, word_constants(), patterns()},
      {"q", "citext", texts, word_constants(), patterns()},
      {"m", "mood", {"'sad'", "'ok'", "'happy'", "NULL"}, {R"("sad")", R"("ok")", R"("x")", R"("")"}, {"a"}},
      {"a", "date", kDays, moment_constants(), {"-"}},
      {"b",
       "time",
       {"'00:00:00'", "'23:59:59.999999'", "'24:00:00'", "'12:30:00.1'", "NULL"},
       {R"("00:00")", R"("12:30:00.1")", R"("12:30:00.1000001")", R"("23:59:59.9999999")", R"("24:00:00")",
        R"("x")"},
       {}},
      {"s", "timestamp", kMoments, moment_constants(), {}},
      {"y", "timestamptz", kMoments, moment_constants(), {}},
      {"g",
       "uuid",
       {"'550e8400-e29b-41d4-a716-446655440000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'",
        "'00000000-0000-0000-0000-000000000000'", "NULL"},
       {R"("550e8400-e29b-41d4-a716-446655440000")", R"("FFFFFFFF-ffff-ffff-ffff-ffffffffffff")",
        R"("00000000000000000000000000000001")", R"("x")"},
       {"5"}},
      {"j",
       "bytea",
       {R"('\x')", R"('\x00')", R"('\x61')", R"('\xff')", "NULL"},
       {R"("")", R"("YQ==")"},
       {"a"}},
      {"n", "interval", {"'1 day'", "'24 hours'", "'-1 month'", "NULL"}, {R"("1 day")"}, {}},
      {"k", "integer[]", {"'{}'", "'{1,NULL}'", "'{2}'", "NULL"}, {"1"}, {}},
  };
}

std::string table_sql(const SampleTable& table) {
  std::string sql =
      fmt::format("CREATE TABLE {} (id INTEGER{}", table.name, table.has_key ? " PRIMARY KEY" : "");
  for (const SampleColumn& column : table.columns)
    sql += fmt::format(", {} {}", column.name, column.declared);
  sql += ");\n";
  std::mt19937 random(table.seed);
  for (std::size_t row = 0; row < table.rows; ++row) {
    sql +=
        fmt::format("{} ({}", row % 100 == 0 ? fmt::format("INSERT INTO {} VALUES", table.name) : ",", row);
    for (const SampleColumn& column : table.columns)
      sql += ", " + column.cells[random() % column.cells.size()];
    sql += row % 100 == 99 || row + 1 == table.rows ? ");\n" : ")\n";
  }
  return sql;
}

std::string groups_sql(const std::string& name, const SampleColumn& column) {
  constexpr std::size_t kTripleCellsMax = 12;  // Of more cells only pairs are combined.
  std::string sql =
      fmt::format("CREATE TABLE {} (id INTEGER PRIMARY KEY, g INTEGER, v {});\n", name, column.declared);
  std::string rows;
  std::size_t id = 0;
  std::size_t group = 0;
  const auto flush = [&] {
    if (!rows.empty()) sql += fmt::format("INSERT INTO {} VALUES {};\n", name, rows);
    rows.clear();
  };
  const auto add = [&](const std::string& cell) {
    rows += fmt::format("{}({}, {}, {})", rows.empty() ? "" : ", ", id, group, cell);
    if (++id % 300 == 0) flush();
  };
  for (const std::string& first : column.cells) {
    for (const std::string& second : column.cells) {
      for (const std::string& cell : {first, second}) add(cell);
      ++group;
      if (column.cells.size() > kTripleCellsMax) continue;
      for (const std::string& third : column.cells) {
        for (const std::string& cell : {first, second, third}) add(cell);
        ++group;
      }
    }
  }
  flush();
  return sql;
}

std::string pairs_sql(const std::string& name, const SampleColumn& column) {
  std::string sql =
      fmt::format("CREATE TABLE {0} (id INTEGER PRIMARY KEY, v {1}, w {1});\n", name, column.declared);
  std::size_t id = 0;
  for (const std::string& first : column.cells) {
    std::string rows;
    for (const std::string& second : column.cells)
      rows += fmt::format("{}({}, {}, {})", rows.empty() ? "" : ", ", id++, first, second);
    sql += fmt::format("INSERT INTO {} VALUES {};\n", name, rows);
  }
  return sql;
}

}  // namespace sluice::plan::testing
