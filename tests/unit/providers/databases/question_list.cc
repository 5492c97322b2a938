#include "question_list.h"

#include <array>
#include <random>
#include <utility>

#include <fmt/format.h>

namespace sluice::databases::testing {

namespace {

using Cells = std::vector<std::optional<std::string>>;

const Cells& words() {
  static const Cells kWords = {"apple",
                               "Apple",
                               "APPLE ",
                               "",
                               " ",
                               "\u00C4rger",
                               "\u00E4rger",
                               "stra\u00DFe",
                               "STRASSE",
                               std::nullopt,
                               "e\u0301clair",
                               "\u00E9clair",
                               "\xE5\x90\x8D\xE5\x89\x8D",
                               "\xF0\x9F\x99\x82",
                               "a%b_c",
                               "O'Brien",
                               "\"quoted\"",
                               "back\\slash",
                               "zebra",
                               "Zebra",
                               "10",
                               "9",
                               "$1",
                               "apple"};
  return kWords;
}

std::vector<std::string> word_operands() {
  return {R"("apple")", R"("APPLE")", R"("")", R"("\u00c4rger")", R"("O'Brien")", R"("a%b_c")",
          R"("\\s")",   R"("zebra")", R"(9)",  R"(true)",         R"(9.5)",       R"("10")"};
}

const Cells kIntegers = {"0", "1", "-1", "7", std::nullopt, "42", "1000", "-32768", "32767", "7"};
const Cells kBig = {
    "0", "9007199254740993", "-9223372036854775808", "9223372036854775807", "123456", std::nullopt, "123456"};
const Cells kFloats = {"0.5", "-1.25", std::nullopt, "3.75", "100.125", "0", "1e-3", "3.75"};
const Cells kDecimals = {"0.10", "12.34", "-5.00", std::nullopt, "9999999.99", "12.34", "12.35"};
const Cells kFlags = {"1", "0", std::nullopt, "1"};
const Cells kDays = {"2024-05-17", "1999-12-31", std::nullopt, "2024-02-29", "1970-01-01", "2024-05-17"};
const Cells kMoments = {"2024-05-17 10:30:00", "1999-12-31 23:59:59.123456", std::nullopt,
                        "1969-07-20 20:17:40"};
const Cells kZoned = {"2024-05-17 10:30:00+00", "1999-12-31 23:59:59.5+00", std::nullopt,
                      "2024-05-17 10:30:00+00"};
const Cells kKeys = {"550e8400-e29b-41d4-a716-446655440000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
                     "00000000-0000-0000-0000-000000000001", std::nullopt};

std::vector<std::string> integer_operands() {
  return {"7",       "-1",        "2.5",        "-0.5",        "40000",
          "32767.5", "-32768.25", "2147483648", "-2147483649", "9223372036854775807",
          "1e19",    "7.0",       R"("-1.00")", "4294967296",  "99999999999999999999",
          "1e400",   "-1e400",    R"("42")",    R"("x")",      "9223372036854775806.5"};
}
std::vector<std::string> day_operands() {
  return {R"("2024-05-17")",
          R"("2024-05-17T10:30:00")",
          R"("2024-05-17 10:30:00.5")",
          R"("2024-02-30")",
          R"("yesterday")",
          R"("1999-12-31T23:59:59.123456Z")",
          R"("2024-05-17 12:30:00+02:00")",
          R"("1999-12-31T23:59:59.1234561")",
          R"("2024-05-17T00:00:00+05:30")",
          R"("2024-05-17T00:00")",
          R"("0001-01-01")",
          R"("9999-12-31T23:59:59")"};
}

// Around the values of kFloats, beyond what a double holds, and between two doubles.
std::vector<std::string> real_operands() {
  return {"3.75",   "0",         "-0.0",      "1e-3",     "0.1",
          "3.7500", "1e400",     "-1e400",    "1e-400",   "3.75000000000000000001",
          "1e308",  "100125e-3", R"("3.75")", R"("nan")", R"("x")"};
}

const Cells kMixed = {"1", "abc", "10", std::nullopt, "8.5", "-3", "", "9", "x'61'", "abd", "10"};

std::vector<std::string> mixed_operands() {
  return {R"("1")", R"("abc")", R"("1.0")", R"("x'61'")", R"("")", R"("9")", "8", "8.5", "10", "-3.0", "1e1"};
}

std::string quoted(const std::optional<std::string>& cell) {
  if (!cell) return "NULL";
  std::string out = "'";
  for (const char c : *cell) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

// {a,b} and \x00ff as the embedded engine writes them.
std::optional<std::string> cell_in_file(const SampleColumn& column, std::optional<std::string> cell) {
  if (!cell) return cell;
  if (column.in_file == "VARCHAR[]") return "[" + cell->substr(1, cell->size() - 2) + "]";
  if (column.in_file != "BLOB") return cell;
  std::string out;
  for (std::size_t i = 2; i + 1 < cell->size(); i += 2) out += "\\x" + cell->substr(i, 2);
  return out;
}

// Rows whose cells go through their values at different paces.
const std::optional<std::string>& cell_at(const SampleColumn& column, std::size_t row, std::size_t place) {
  return column.cells[(row * (place % 3 + 1) + row / (place + 7)) % column.cells.size()];
}

std::string quoted_name(const std::string& name) { return "\"" + name + "\""; }

class Questions {
 public:
  explicit Questions(const std::vector<SampleColumn>& columns) : columns_(columns) {}

  std::vector<SampleQuestion> build() {
    for (const SampleColumn& column : columns_) about(column);
    for (int i = 0; i < 120; ++i) combined();
    for (int i = 0; i < 300; ++i) compared();
    for (const char* bounds :
         {R"("limit":0)", R"("limit":9223372036854775807,"offset":5)", R"("offset":9223372036854775807)",
          R"("limit":2,"offset":9223372036854775807)"})
      rows(std::string(R"("columns":["id"],)") + bounds);
    return std::move(out_);
  }

 private:
  void rows(std::string arguments) { out_.push_back({"query_data", std::move(arguments)}); }
  void groups(std::string arguments) { out_.push_back({"aggregate", std::move(arguments)}); }

  static std::string filter(const std::string& name, const std::string& op, const std::string& value) {
    return fmt::format(R"({{"col":"{}","op":"{}","value":{}}})", name, op, value);
  }

  void about(const SampleColumn& column) {
    const std::string& name = column.name;
    const auto filtered = [&](const std::string& op, const std::string& value) {
      rows(fmt::format(R"("columns":["id","{}"],"filters":[{}])", name, filter(name, op, value)));
    };
    for (std::size_t i = 0; i < column.operands.size(); ++i) {
      const std::string& value = column.operands[i];
      const std::string& other = column.operands[(i + 1) % column.operands.size()];
      for (const char* op : {"eq", "neq", "gt", "gte", "lt", "lte"}) filtered(op, value);
      filtered("in", fmt::format("[{},null,{}]", value, value));
      filtered("in", fmt::format("[{},{}]", value, other));
      filtered("range", fmt::format(R"({{"min":{},"max":{}}})", value, other));
      filtered("range", fmt::format(R"({{"max":{}}})", value));
    }
    if (!column.operands.empty()) filtered("in", many_values(column));
    for (const char* op : {"contains", "normalized_contains", "regex"}) {
      for (const char* text : {R"("a")", R"("APPLE")", R"("")", R"("\u00c4")", R"("5")", R"("%")", R"("'")"})
        filtered(op, text);
    }
    filtered("is_null", "true");
    filtered("is_null", "false");
    filtered("eq", "null");
    filtered("neq", "null");
    filtered("in", "[null]");
    rows(fmt::format(R"("columns":["{}"],"distinct":true)", name));
    rows(fmt::format(
        R"("columns":["{0}","Tag"],"distinct":true,"order_by":[{{"col":"{0}","desc":true}}],"limit":7)",
        name));
    rows(fmt::format(R"("columns":["id","{0}"],"order_by":["{0}"])", name));
    rows(fmt::format(
        R"("columns":["id","{0}"],"order_by":[{{"col":"{0}","desc":true}}],"limit":11,"offset":3)", name));
    rows(fmt::format(R"("columns":["{}"],"null_policy":"drop","limit":20,"offset":5)", name));
    rows(fmt::format(R"("columns":["id","{0}"],"deduplicate":["{0}"])", name));
    groups(fmt::format(R"("group_by":["{}"],"aggs":[{{"fn":"count"}}])", name));
    groups(fmt::format(R"("group_by":["{}","Tag"],"aggs":[{{"fn":"count"}}],"top_n":5)", name));
    for (const char* fn : {"sum", "avg", "min", "max", "median", "count", "count_distinct"}) {
      groups(fmt::format(R"("group_by":[],"aggs":[{{"col":"{}","fn":"{}"}}])", name, fn));
      groups(fmt::format(R"("group_by":["Tag"],"aggs":[{{"col":"{}","fn":"{}"}}])", name, fn));
    }
  }

  // More values than a database is given one by one: those of the cells, and others of their kind.
  std::string many_values(const SampleColumn& column) {
    std::string out;
    for (const std::optional<std::string>& cell : column.cells) {
      if (cell && cell->find_first_of("\\\"") == std::string::npos && column.in_file != "BLOB")
        out += (out.empty() ? "\"" : ",\"") + *cell + "\"";
    }
    const std::string& first = column.operands.front();
    for (int i = 0; i < 80; ++i)
      out += (out.empty() ? "" : ",") + (column.in_file == "VARCHAR" ? fmt::format("\"v{}\"", i) : first);
    return "[" + out + "]";
  }

  std::size_t any(std::size_t count) { return random_() % count; }
  const SampleColumn& any_column() { return columns_[any(columns_.size())]; }

  // A number with any fraction against a column of numbers, or of texts that may be numbers.
  void compared() {
    const SampleColumn& column = any_column();
    const bool is_time = column.in_file.starts_with("TIME") || column.in_file == "DATE";
    if (is_time || column.in_file == "BOOLEAN" || column.in_file == "UUID" || column.operands.empty()) return;
    static constexpr std::array<const char*, 6> kOps = {"eq", "neq", "gt", "gte", "lt", "lte"};
    static constexpr std::array<int, 5> kRanges = {3, 20, 200, 70'000, 2'000'000'000};
    const auto range = static_cast<std::size_t>(kRanges.at(any(kRanges.size())));
    std::string number = fmt::format("{}{}", any(2) == 0 ? "-" : "", any(range));
    if (any(2) == 0) number += fmt::format(".{:02}", any(100));
    rows(fmt::format(R"("columns":["id","{}"],"filters":[{}])", column.name,
                     filter(column.name, kOps.at(any(kOps.size())), number)));
    groups(fmt::format(R"("group_by":[],"aggs":[{{"fn":"count"}}],"filters":[{}])",
                       filter(column.name, kOps.at(any(kOps.size())), number)));
  }

  // Several query arguments at once.
  void combined() {
    std::string filters;
    for (std::size_t i = any(3); i > 0; --i) {
      const SampleColumn& column = any_column();
      if (column.operands.empty()) continue;
      static constexpr std::array<const char*, 4> kOps = {"eq", "neq", "gt", "lte"};
      filters +=
          (filters.empty() ? "" : ",") + filter(column.name, kOps.at(any(kOps.size())), column.operands[0]);
    }
    const SampleColumn& first = any_column();
    const SampleColumn& second = any_column();
    std::string arguments = fmt::format(R"("filters":[{}])", filters);
    if (any(2) == 0) arguments += R"(,"null_policy":"drop")";
    switch (any(3)) {
      case 0:
        rows(arguments +
             fmt::format(R"(,"order_by":["{}",{{"col":"{}","desc":true}}],"limit":{},"offset":{})",
                         first.name, second.name, any(30), any(10)));
        break;
      case 1:
        rows(arguments + fmt::format(R"(,"columns":["{}","{}"],"distinct":true,"offset":{})", first.name,
                                     second.name, any(4)));
        break;
      default:
        rows(arguments +
             fmt::format(
                 R"(,"group_by":["{}","Tag"],"aggs":{{"{}":["count","count_distinct","min"]}},"limit":{})",
                 first.name, second.name, 1 + any(20)));
    }
  }

  const std::vector<SampleColumn>& columns_;
  std::vector<SampleQuestion> out_;
  std::minstd_rand random_{20'240'517};
};

std::vector<SampleColumn> with_id(std::vector<SampleColumn> columns) {
  SampleColumn id{"id", "bigint PRIMARY KEY", "BIGINT", {}, integer_operands()};
  for (std::size_t row = 0; row < kSampleRows; ++row) id.cells.emplace_back(std::to_string(row + 1));
  columns.insert(columns.begin(), std::move(id));
  return columns;
}

}  // namespace

std::vector<SampleColumn> sqlite_columns() {
  std::vector<SampleColumn> out = with_id({
      {"Tag", "TEXT", "VARCHAR", {"a", "b", std::nullopt, "B", "a"}, {R"("b")"}},
      {"count", "INTEGER", "BIGINT", kIntegers, integer_operands()},
      {"big", "BIGINT", "BIGINT", kBig, integer_operands()},
      {"ratio", "REAL", "DOUBLE", kFloats, real_operands()},
      {"price", "DECIMAL(12,2)", "DOUBLE", kDecimals, {"12.34", "12.345", "-5", "12.340", "1e20"}},
      // Numbers and texts side by side, which callers see as text.
      {"mixed", "INTEGER", "VARCHAR", kMixed, mixed_operands()},
      {"moment",
       "DATETIME",
       "VARCHAR",
       {"2024-05-17 10:30:00", "1999", std::nullopt, "soon", "2024-05-17"},
       {R"("2024-05-17")", R"("1999")", R"("1999.0")", "1999", "2000.5"}},
      {"word", "TEXT", "VARCHAR", words(), word_operands()},
      {"folded", "TEXT COLLATE NOCASE", "VARCHAR", words(), word_operands()},
      {"trimmed", "TEXT COLLATE RTRIM", "VARCHAR", words(), word_operands()},
      {"flag", "BOOLEAN", "BOOLEAN", kFlags, {"true", "false", R"("true")", R"("maybe")", "1"}},
      {"day", "DATE", "VARCHAR", kDays, day_operands()},
  });
  out.front().declared = "INTEGER PRIMARY KEY";
  return out;
}

std::vector<SampleColumn> postgres_columns() {
  const std::vector<std::string> decimals = {"12.34",       "12.345", "-5",    "-5.001",     "12.340",
                                             "99999999999", "1e40",   "1e400", R"("12.34")", R"("x")"};
  return with_id({
      {"Tag", "text", "VARCHAR", {"a", "b", std::nullopt, "B", "a"}, {R"("b")"}},
      {"small", "smallint", "SMALLINT", kIntegers, integer_operands()},
      {"count", "integer", "INTEGER", kIntegers, integer_operands()},
      {"big", "bigint", "BIGINT", kBig, integer_operands()},
      {"ratio", "double precision", "DOUBLE", kFloats, real_operands()},
      {"huge", "double precision", "DOUBLE", {"1e200", "5", std::nullopt, "-3e180"}, {"1e200", "1e155"}},
      {"object", "oid", "UINTEGER", {"7", "4294967295", std::nullopt, "0"}, integer_operands()},
      {"single", "real", "FLOAT", kFloats, {"3.75", "0.1", "0.001", "1e39", "0.0010000001"}},
      {"price", "numeric(12,2)", "DECIMAL(12,2)", kDecimals, decimals},
      {"word", "text", "VARCHAR", words(), word_operands()},
      {"sorted", "text COLLATE \"und-x-icu\"", "VARCHAR", words(), word_operands()},
      {"folded", "text COLLATE case_blind", "VARCHAR", words(), word_operands()},
      {"blind", "citext", "VARCHAR", words(), word_operands()},
      {"code",
       "char(5)",
       "VARCHAR",
       {"ab   ", "AB   ", "abcde", std::nullopt, "     "},
       {R"("ab")", R"("ab   ")"}},
      {"mood", "mood", "VARCHAR", {"sad", "ok", "happy", std::nullopt}, {R"("ok")", R"("none")"}},
      {"flag", "boolean", "BOOLEAN", kFlags, {"true", "false", R"("true")", R"("maybe")", "1"}},
      {"day", "date", "DATE", kDays, day_operands()},
      {"at", "timestamp", "TIMESTAMP", kMoments, day_operands()},
      {"seen", "timestamptz", "TIMESTAMPTZ", kZoned, day_operands()},
      {"clock",
       "time",
       "TIME",
       {"10:30:00", "23:59:59.5", std::nullopt},
       {R"("10:30:00")", R"("10:30")", R"("23:59:59.5000001")", R"("noon")"}},
      {"key",
       "uuid",
       "UUID",
       kKeys,
       {R"("550e8400-e29b-41d4-a716-446655440000")", R"("x")", R"("------------------------------------")"}},
      {"doc", "jsonb", "VARCHAR", {R"({"a": 1})", "[1, 2]", std::nullopt, "null"}, {R"("[1, 2]")"}},
      {"tags", "text[]", "VARCHAR[]", {"{a,b}", "{}", std::nullopt, "{b}"}, {}},
      {"bytes",
       "bytea",
       "BLOB",
       {"\\x00ff", "\\x", std::nullopt, "\\x61"},
       {R"("AP8=")", R"("YQ==")", R"("")", R"("a")"}},
  });
}

std::string table_sql(const std::vector<SampleColumn>& columns) {
  std::string out = "CREATE TABLE " + quoted_name(kSampleTable) + " (";
  for (std::size_t i = 0; i < columns.size(); ++i)
    out += (i == 0 ? "" : ", ") + quoted_name(columns[i].name) + " " + columns[i].declared;
  out += "); INSERT INTO " + quoted_name(kSampleTable) + " VALUES ";
  for (std::size_t row = 0; row < kSampleRows; ++row) {
    out += row == 0 ? "(" : ", (";
    for (std::size_t i = 0; i < columns.size(); ++i)
      out += (i == 0 ? "" : ", ") + quoted(i == 0 ? columns[0].cells[row] : cell_at(columns[i], row, i));
    out += ")";
  }
  return out + ";";
}

std::string file_sql(const std::vector<SampleColumn>& columns) {
  std::string out = "SELECT ";
  std::string names;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    out += fmt::format("{}CAST(c{} AS {}) AS {}", i == 0 ? "" : ", ", i, columns[i].in_file,
                       quoted_name(columns[i].name));
    names += fmt::format("{}c{}", i == 0 ? "" : ", ", i);
  }
  out += " FROM (VALUES ";
  for (std::size_t row = 0; row < kSampleRows; ++row) {
    out += row == 0 ? "(" : ", (";
    for (std::size_t i = 0; i < columns.size(); ++i) {
      out += (i == 0 ? "" : ", ") +
             quoted(i == 0 ? columns[0].cells[row] : cell_in_file(columns[i], cell_at(columns[i], row, i)));
    }
    out += ")";
  }
  return out + ") AS given(" + names + ")";
}

std::vector<SampleQuestion> questions_about(const std::vector<SampleColumn>& columns) {
  return Questions(columns).build();
}

}  // namespace sluice::databases::testing
