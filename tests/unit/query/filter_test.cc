// A filter compares the value exactly as it was given, whatever the column's type can hold.

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "sluice/engine/duckdb.h"
#include "sluice/json/reader.h"
#include "sluice/query/file_dataset.h"
#include "sluice/query/functions.h"
#include "sluice/query/query_arguments.h"
#include "sluice/query/rows_reader.h"
#include "sluice/query/statement.h"

namespace sluice::query {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Filters : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "sluice_filter_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    engine_ = std::move(engine::open_duckdb({.folders = {folder_.string()}, .functions = engine_functions()}))
                  .value();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // The rows of the SELECT become a Parquet file.
  void load(const std::string& select) {
    const auto written = engine_->execute(
        {.sql = "COPY (" + select + ") TO '" + (folder_ / "t.parquet").string() + "' (FORMAT parquet)"}, {});
    ASSERT_TRUE(written.ok()) << written.error().message;
    root_ = std::make_shared<const fs::Root>(std::move(fs::Root::open(folder_.string())).value());
    Dataset::Identity identity{.collection = std::make_shared<Collection>(),
                               .name = "t",
                               .path = "t.parquet",
                               .bytes = std::filesystem::file_size(folder_ / "t.parquet"),
                               .modified = root_->stat("t.parquet")->modified};
    dataset_ = std::make_unique<FileDataset>(identity, root_, *kind_of_file("t.parquet"));
    Result<Table> table = dataset_->inspect(*engine_, {});
    ASSERT_TRUE(table.ok()) << table.error().message;
    table_ = *std::move(table);
  }

  // filters: `[{"col":"x","op":"eq","value":1}]`.
  Result<expression::Question> question(const std::string& filters, const std::string& more = "") {
    const auto arguments = json::read(R"({"columns":["id"],"filters":)" + filters + more + "}",
                                      {.bytes_max = 8'000'000, .values_max = 1'000'000});
    EXPECT_TRUE(arguments.ok()) << filters;
    SLUICE_TRY(const QueryArguments query_arguments, read_query_arguments(*arguments->if_object()));
    return compile(query_arguments, table_, dataset_->collection(), {});
  }

  engine::Statement statement(const expression::Question& asked) {
    relation_ = std::move(dataset_->open(table_, {}, &asked)).value();
    return statement_of(asked, table_, relation_, asked.limit);
  }

  // The ids that are left, in the order of the answer; of an error its code.
  std::vector<std::string> ids(const std::string& filters, const std::string& more = "") {
    const auto asked = question(filters, more);
    if (!asked.ok()) return {asked.error().code};
    const engine::Statement select = statement(*asked);
    const auto described = engine_->describe(select);
    EXPECT_TRUE(described.ok()) << described.error().message;
    const auto rows = read_rows(*engine_, select,
                                {.deadline = system_clock().now() + std::chrono::seconds(60), .stop = {}});
    if (!rows.ok()) return {rows.error().code.empty() ? rows.error().message : rows.error().code};
    std::vector<std::string> out;
    for (const TextRow& row : *rows) out.push_back(row[0]);
    return out;
  }
  std::vector<std::string> ids_where(const std::string& column, const std::string& op,
                                     const std::string& value) {
    return ids(filter(column, op, value));
  }
  static std::string filter(const std::string& column, const std::string& op, const std::string& value) {
    return fmt::format(R"([{{"col":"{}","op":"{}","value":{}}}])", column, op, value);
  }

  std::filesystem::path folder_;
  std::unique_ptr<engine::Engine> engine_;
  std::shared_ptr<const fs::Root> root_;  // Shared with the dataset.
  std::unique_ptr<FileDataset> dataset_;
  Table table_;
  Relation relation_;
};

TEST_F(Filters, CompareFractionsWithIntegers) {
  load("SELECT i::INTEGER AS id, (i - 3)::BIGINT AS n FROM range(7) t(i)");  // n: -3 … 3
  EXPECT_THAT(ids_where("n", "gt", "1.5"), ElementsAre("5", "6"));
  EXPECT_THAT(ids_where("n", "gte", "1.5"), ElementsAre("5", "6"));
  EXPECT_THAT(ids_where("n", "lt", "-1.5"), ElementsAre("0", "1"));
  EXPECT_THAT(ids_where("n", "lte", "-1.5"), ElementsAre("0", "1"));
  EXPECT_THAT(ids_where("n", "eq", "1.5"), IsEmpty());
  EXPECT_THAT(ids_where("n", "neq", "1.5").size(), 7U);
  EXPECT_THAT(ids_where("n", "eq", "2.0"), ElementsAre("5"));
  EXPECT_THAT(ids_where("n", "eq", R"("2e0")"), ElementsAre("5"));
  EXPECT_THAT(ids_where("n", "in", "[1.5,2,2.5]"), ElementsAre("5"));
  EXPECT_THAT(ids_where("n", "in", "[1.5]"), IsEmpty());
  EXPECT_THAT(ids_where("n", "range", R"({"min":-0.5,"max":1.5})"), ElementsAre("3", "4"));
  EXPECT_THAT(ids_where("n", "eq", R"("two")"), ElementsAre("invalid_value"));
  EXPECT_THAT(ids_where("n", "eq", "true"), ElementsAre("invalid_filter"));
}

TEST_F(Filters, CompareNumbersThatTheTypeCannotHold) {
  load("SELECT i::INTEGER AS id, i::TINYINT AS n FROM range(3) t(i) UNION ALL SELECT 3, NULL");
  for (const char* large : {"300", "128", "1e400", R"("99999999999999999999999999999999999999999999")"}) {
    EXPECT_THAT(ids_where("n", "lt", large), ElementsAre("0", "1", "2")) << large;
    EXPECT_THAT(ids_where("n", "lte", large), ElementsAre("0", "1", "2")) << large;
    EXPECT_THAT(ids_where("n", "neq", large), ElementsAre("0", "1", "2")) << large;
    EXPECT_THAT(ids_where("n", "gt", large), IsEmpty()) << large;
    EXPECT_THAT(ids_where("n", "eq", large), IsEmpty()) << large;
  }
  EXPECT_THAT(ids_where("n", "gte", "-129"), ElementsAre("0", "1", "2"));
  EXPECT_THAT(ids_where("n", "lt", "-129"), IsEmpty());
}

TEST_F(Filters, CompareDecimalsWithMoreDigits) {
  load("SELECT * FROM (VALUES (0, 1.25::DECIMAL(10,2)), (1, 1.26), (2, -1.25)) t(id, n)");
  EXPECT_THAT(ids_where("n", "eq", "1.254"), IsEmpty());
  EXPECT_THAT(ids_where("n", "eq", "1.250"), ElementsAre("0"));
  EXPECT_THAT(ids_where("n", "gt", "1.254"), ElementsAre("1"));
  EXPECT_THAT(ids_where("n", "lt", "1.254"), ElementsAre("0", "2"));
  EXPECT_THAT(ids_where("n", "gte", "-1.254"), ElementsAre("0", "1", "2"));
  EXPECT_THAT(ids_where("n", "lt", "1e30"), ElementsAre("0", "1", "2"));
}

TEST_F(Filters, CompareDatesAndTimesAsInstants) {
  load(
      "SELECT * FROM (VALUES (0, DATE '2024-05-16', TIMESTAMP '2024-05-16 10:30:00.5', TIMESTAMPTZ "
      "'2024-05-16 "
      "10:30:00+00'), (1, DATE '2024-05-17', TIMESTAMP '2024-05-17 00:00:00', TIMESTAMPTZ '2024-05-17 "
      "00:00:00+00')) t(id, day, moment, zoned)");
  EXPECT_THAT(ids_where("day", "eq", R"("2024-05-17T12:00:00")"), IsEmpty());
  EXPECT_THAT(ids_where("day", "eq", R"("2024-05-17T00:00:00")"), ElementsAre("1"));
  EXPECT_THAT(ids_where("day", "lt", R"("2024-05-16T12:00:00")"), ElementsAre("0"));
  EXPECT_THAT(ids_where("day", "gt", R"("2024-05-16T12:00:00")"), ElementsAre("1"));
  EXPECT_THAT(ids_where("day", "gte", R"("2024-05-17T00:30:00+01:00")"), ElementsAre("1"));
  EXPECT_THAT(ids_where("moment", "eq", R"("2024-05-16T10:30:00.5")"), ElementsAre("0"));
  EXPECT_THAT(ids_where("moment", "eq", R"("2024-05-16T12:30:00.5+02:00")"), ElementsAre("0"));
  EXPECT_THAT(ids_where("moment", "eq", R"("2024-05-16T10:30:00.5000001")"), IsEmpty());
  EXPECT_THAT(ids_where("moment", "lt", R"("2024-05-16T10:30:00.5000001")"), ElementsAre("0"));
  EXPECT_THAT(ids_where("moment", "gte", R"("2024-05-17")"), ElementsAre("1"));
  EXPECT_THAT(ids_where("zoned", "lte", R"("2024-05-16T10:30:00Z")"), ElementsAre("0"));
  EXPECT_THAT(ids_where("zoned", "gt", R"("2024-05-16 12:30:00+02:00")"), ElementsAre("1"));
  EXPECT_THAT(ids_where("day", "eq", R"("2024-02-30")"), ElementsAre("invalid_value"));
  EXPECT_THAT(ids_where("day", "eq", R"("yesterday")"), ElementsAre("invalid_value"));
  EXPECT_THAT(ids_where("day", "eq", "20240517"), ElementsAre("invalid_filter"));
}

TEST_F(Filters, CompareFloatingPointAsItIsShown) {
  load(
      "SELECT * FROM (VALUES (0, 0.1::DOUBLE, 0.1::FLOAT), (1, 9007199254740992.0, 16777216.0), "
      "(2, 'inf'::DOUBLE, 'inf'::FLOAT)) t(id, d, f)");
  EXPECT_THAT(ids_where("d", "eq", "0.1"), ElementsAre("0"));
  EXPECT_THAT(ids_where("d", "eq", "0.10000000000000001"), ElementsAre("0"));
  EXPECT_THAT(ids_where("f", "eq", "0.1"), ElementsAre("0"));
  EXPECT_THAT(ids_where("f", "eq", "0.1001"), IsEmpty());
  EXPECT_THAT(ids_where("f", "lt", "0.1001"), ElementsAre("0"));
  EXPECT_THAT(ids_where("d", "eq", "9007199254740993"), IsEmpty());
  EXPECT_THAT(ids_where("d", "lt", "9007199254740993"), ElementsAre("0", "1"));
  EXPECT_THAT(ids_where("d", "gt", "1e400"), ElementsAre("2"));
  EXPECT_THAT(ids_where("f", "gt", "1e39"), ElementsAre("2"));
  EXPECT_THAT(ids_where("f", "eq", "16777217"), IsEmpty());
}

// Values and operands are multiples of a thousandth, so that integers tell what is right.
TEST_F(Filters, AgreeWithArithmetic) {
  struct Kind {
    const char* type;
    std::int64_t unit;  // Thousandths between neighbours.
    std::int64_t low;
    std::int64_t high;
  };
  std::minstd_rand random(17);
  const auto between = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<unsigned long>(high - low + 1));
  };
  for (const Kind& kind :
       {Kind{"TINYINT", 1000, -128, 127}, Kind{"UTINYINT", 1000, 0, 255}, Kind{"SMALLINT", 1000, -300, 300},
        Kind{"BIGINT", 1000, -50, 50}, Kind{"DECIMAL(4,1)", 100, -9999, 9999},
        Kind{"DECIMAL(18,3)", 1, -2000, 2000}, Kind{"DOUBLE", 125, -40, 40}, Kind{"FLOAT", 125, -40, 40}}) {
    std::vector<std::int64_t> cells;
    std::string rows;
    for (int i = 0; i < 60; ++i) {
      cells.push_back(between(kind.low, kind.high) * kind.unit);
      rows += fmt::format("{}({}, {}{}.{:03})", i == 0 ? "" : ", ", i, cells.back() < 0 ? "-" : "",
                          std::llabs(cells.back()) / 1000, std::llabs(cells.back()) % 1000);
    }
    load(fmt::format("SELECT id, n::{} AS n FROM (VALUES {}) t(id, n)", kind.type, rows));
    for (int i = 0; i < 150; ++i) {
      const std::int64_t operand = i % 3 == 0 ? cells[static_cast<std::size_t>(i) % cells.size()]
                                              : between(-400'000, 400'000) / (i % 2 == 0 ? 1 : 100);
      const std::string text = fmt::format("{}{}.{:03}", operand < 0 ? "-" : "", std::llabs(operand) / 1000,
                                           std::llabs(operand) % 1000);
      const char* ops[] = {"eq", "neq", "gt", "gte", "lt", "lte"};
      const std::string op = ops[i % 6];
      std::vector<std::string> expected;
      for (std::size_t row = 0; row < cells.size(); ++row) {
        const std::int64_t cell = cells[row];
        const bool holds = op == "eq"    ? cell == operand
                           : op == "neq" ? cell != operand
                           : op == "gt"  ? cell > operand
                           : op == "gte" ? cell >= operand
                           : op == "lt"  ? cell < operand
                                         : cell <= operand;
        if (holds) expected.push_back(std::to_string(row));
      }
      EXPECT_EQ(ids_where("n", op, text), expected) << kind.type << " " << op << " " << text;
    }
  }
}

TEST_F(Filters, FindMinusZeroInParquet) {
  load(
      "SELECT i::INTEGER AS id, CASE i % 3 WHEN 0 THEN '-0'::DOUBLE WHEN 1 THEN 1.5 ELSE -2 END AS n FROM "
      "range(3000) t(i)");
  EXPECT_EQ(ids_where("n", "eq", "0").size(), 1000U);
  EXPECT_EQ(ids_where("n", "in", "[0, 7]").size(), 1000U);
  std::string many = "0";
  for (int i = 100; i < 200; ++i) many += "," + std::to_string(i);
  EXPECT_EQ(ids_where("n", "in", "[" + many + "]").size(), 1000U);
  EXPECT_EQ(ids_where("n", "neq", "-0.0").size(), 2000U);
  EXPECT_EQ(ids_where("n", "gte", "0").size(), 2000U);
}

TEST_F(Filters, FindBinaryValuesByTheBase64ThatIsShown) {
  load("SELECT * FROM (VALUES (0, '\\x00\\xFF'::BLOB), (1, 'a'::BLOB)) t(id, b)");
  EXPECT_THAT(ids_where("b", "eq", R"("AP8=")"), ElementsAre("0"));
  EXPECT_THAT(ids_where("b", "in", R"(["YQ==","AP8="])"), ElementsAre("0", "1"));
  EXPECT_THAT(ids_where("b", "neq", R"("YQ==")"), ElementsAre("0"));
  EXPECT_THAT(ids_where("b", "eq", R"("a")"), ElementsAre("invalid_value"));
}

TEST_F(Filters, CompareANumberWithTextsThatAreNumbers) {
  load(
      "SELECT * FROM (VALUES (0, '9'), (1, '10'), (2, '9.0'), (3, 'ten'), (4, '-3'), (5, NULL), (6, "
      "'9223372036854775808')) t(id, s)");
  EXPECT_THAT(ids_where("s", "gt", "9"), ElementsAre("1", "6"));
  EXPECT_THAT(ids_where("s", "lt", "9"), ElementsAre("4"));
  EXPECT_THAT(ids_where("s", "lte", "9"), ElementsAre("0", "2", "4"));
  EXPECT_THAT(ids_where("s", "eq", "9"), ElementsAre("0", "2"));
  EXPECT_THAT(ids_where("s", "neq", "9"), ElementsAre("1", "3", "4", "6"));
  EXPECT_THAT(ids_where("s", "in", R"([10,-3,"ten"])"), ElementsAre("1", "3", "4"));
  EXPECT_THAT(ids_where("s", "eq", "9223372036854775808"), ElementsAre("6"));
  EXPECT_THAT(ids_where("s", "gt", R"("9")"), ElementsAre("2", "3", "6"));
  const auto ordered = question(filter("s", "range", R"({"min":1,"max":20})"));
  ASSERT_TRUE(ordered.ok());
  EXPECT_THAT(ordered->warnings, ElementsAre(HasSubstr("s is text: 1 was"), HasSubstr("s is text: 20 was")));
  EXPECT_THAT(question(filter("s", "eq", "9"))->warnings, IsEmpty());
}

class ManyValues : public Filters, public ::testing::WithParamInterface<int> {};

// Rows keep the order of the file, and the plan has no join, which would lose it.
TEST_P(ManyValues, KeepTheOrderOfTheFile) {
  load(
      "SELECT i::INTEGER AS id, i::BIGINT AS n, 'k' || i AS s, i / 4.0::DOUBLE AS d, DATE '2000-01-01' + "
      "(i::INTEGER % 9000) AS day FROM range(400000) t(i)");
  std::minstd_rand random(static_cast<unsigned>(GetParam()));
  std::set<int> wanted;
  while (static_cast<int>(wanted.size()) < GetParam()) wanted.insert(static_cast<int>(random() % 400'000));
  std::vector<std::string> expected;
  std::string integers;
  std::string texts;
  std::string reals;
  for (const int value : wanted) {
    if (expected.size() < 3) expected.push_back(std::to_string(value));
    integers = fmt::format("{}{}{}", value, integers.empty() ? "" : ",", integers);
    texts = fmt::format(R"("k{}"{}{})", value, texts.empty() ? "" : ",", texts);
    reals = fmt::format("{}{}{}", value / 4.0, reals.empty() ? "" : ",", reals);
  }
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"n", integers}, {"s", texts}, {"d", reals}};
  for (const auto& [column, list] : cases) {
    const std::string filters = filter(column, "in", "[" + list + "]");
    EXPECT_EQ(ids(filters, R"(,"limit":3)"), expected) << column;
    EXPECT_EQ(ids(filters).size(), wanted.size()) << column;
    const auto asked = question(filters, R"(,"limit":3)");
    ASSERT_TRUE(asked.ok());
    engine::Statement select = statement(*asked);
    select.sql = "EXPLAIN " + select.sql;
    const auto plan = read_rows(*engine_, select, {});
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    EXPECT_THAT(plan->front()[1], Not(HasSubstr("JOIN"))) << column;
  }
}

INSTANTIATE_TEST_SUITE_P(Counts, ManyValues, ::testing::Values(1, 4, 5, 16, 17, 65, 1000, 10'000));

TEST_F(Filters, OfManyValuesAreManyAndStillAnswered) {
  load("SELECT i::INTEGER AS id, i::BIGINT AS n FROM range(5000) t(i)");
  std::string list = "4999";
  for (int i = 0; i < 100; ++i) list += "," + std::to_string(i * 7);
  std::string filters;
  for (int i = 0; i < 300; ++i)
    filters += (i == 0 ? "" : ",") + fmt::format(R"({{"col":"n","op":"in","value":[{},{}]}})", list, i);
  EXPECT_EQ(ids("[" + filters + "]").size(), 101U);
}

}  // namespace
}  // namespace sluice::query
