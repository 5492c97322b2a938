// A question has the same answer whether it is asked of a table in a database or of the same data in a file.

#include <cmath>
#include <cstdio>
#include <map>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "sluice/engine/duckdb.h"
#include "sluice/engine/engine.h"
#include "sluice/json/reader.h"

#include "database_server.h"
#include "question_list.h"

namespace sluice::databases::testing {
namespace {

// Floating point may differ in its last digits: databases add in another order.
bool same_number(const json::Number& a, const json::Number& b) {
  if (a.text == b.text) return true;
  const double left = std::strtod(a.text.c_str(), nullptr);
  const double right = std::strtod(b.text.c_str(), nullptr);
  // Larger integers are written as text.
  const bool is_float = a.text.find_first_of(".eE") != std::string::npos || std::fabs(left) > 9e15;
  return is_float && std::fabs(left - right) <= 1e-9 * std::max({1.0, std::fabs(left), std::fabs(right)});
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as an answer is.
bool same(const json::Value& a, const json::Value& b) {
  if (const json::Number* left = a.if_number()) {
    const json::Number* right = b.if_number();
    return right != nullptr && same_number(*left, *right);
  }
  if (const json::Array* left = a.if_array()) {
    const json::Array* right = b.if_array();
    if (right == nullptr || left->size() != right->size()) return false;
    for (std::size_t i = 0; i < left->size(); ++i) {
      if (!same((*left)[i], (*right)[i])) return false;
    }
    return true;
  }
  if (const json::Object* left = a.if_object()) {
    const json::Object* right = b.if_object();
    if (right == nullptr || left->size() != right->size()) return false;
    for (std::size_t i = 0; i < left->size(); ++i) {
      const json::Member& mine = *(left->begin() + static_cast<std::ptrdiff_t>(i));
      const json::Member& theirs = *(right->begin() + static_cast<std::ptrdiff_t>(i));
      if (mine.key != theirs.key || !same(mine.value, theirs.value)) return false;
    }
    return true;
  }
  return json::to_text(a) == json::to_text(b);
}

// The rows of an answer, how many and whether there are more; of an error its code.
json::Value essence(const json::Value& answer) {
  json::Object out;
  for (const char* key : {"code", "method", "row_count", "has_more", "data"}) {
    if (const json::Value* found = answer.find(key)) out.set(key, *found);
  }
  return json::Value(std::move(out));
}

void write_file(const TestFolder& folder, const std::vector<SampleColumn>& columns) {
  auto engine = engine::open_duckdb({.folders = {folder.path()}});
  ASSERT_TRUE(engine.ok()) << engine.error().message;
  const auto written = (*engine)->execute(
      {.sql = "COPY (" + file_sql(columns) + ") TO '" + folder.at("sample.parquet") + "' (FORMAT parquet)"},
      {});
  ASSERT_TRUE(written.ok()) << written.error().message;
}

void compare(DatabaseServer& server, const std::vector<SampleColumn>& columns, const char* where) {
  const std::string dataset = std::string("shop/") + kSampleTable;
  std::map<std::string, int> pushed;
  int answered = 0;
  int refused = 0;
  const std::vector<SampleQuestion> questions = questions_about(columns);
  int different = 0;
  for (const SampleQuestion& question : questions) {
    const std::string table =
        fmt::format(R"({{"dataset":"{}","max_tokens":1000000,{}}})", dataset, question.arguments);
    const std::string file =
        fmt::format(R"({{"dataset":"sample","max_tokens":1000000,{}}})", question.arguments);
    const json::Value answer = server.call(question.tool, table);
    const json::Value ours = essence(answer);
    const json::Value theirs = essence(server.call(question.tool, file));
    if (!same(ours, theirs) && ++different <= 25) {
      ADD_FAILURE() << where << " " << question.tool << " " << question.arguments
                    << "\n  table: " << json::to_text(answer).substr(0, 600)
                    << "\n  file:  " << json::to_text(theirs).substr(0, 600);
    }
    if (ours.find("code") != nullptr) {
      ++refused;
      continue;
    }
    ++answered;
    EXPECT_NE(ours.find("data"), nullptr) << json::to_text(ours).substr(0, 300);
    if (question.tool == "query_data" && server.is_pushed_down(dataset, table)) ++pushed["query_data"];
    if (question.tool == "aggregate" && server.is_pushed_down(dataset, table)) ++pushed["aggregate"];
  }
  std::printf(
      "%s: %zu questions, %d answered, %d refused; the database answered %d of query_data and %d of "
      "aggregate itself\n",
      where, questions.size(), answered, refused, pushed["query_data"], pushed["aggregate"]);
  EXPECT_GT(answered, 150);
  EXPECT_GT(pushed["query_data"], 100);
  EXPECT_GT(pushed["aggregate"], 20);
  EXPECT_EQ(different, 0);
}

TEST(SameAnswers, OfASqliteTableAndAFile) {
  const TestFolder folder;
  SqliteWriter(folder.at("shop.db")).run(table_sql(sqlite_columns()));
  write_file(folder, sqlite_columns());
  DatabaseServer server({sqlite_spec("shop", folder.at("shop.db"))}, {.folder = folder.path()});
  compare(server, sqlite_columns(), "SQLite");
}

class SameAnswersOfPostgres : public ::testing::TestWithParam<int> {};

TEST_P(SameAnswersOfPostgres, AndAFile) {
  const TestFolder folder;
  const DatabaseSpec spec = fresh_postgres("shop", postgres(GetParam()));
  postgres(GetParam())
      .run(
          "CREATE EXTENSION citext; CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy'); "
          "CREATE COLLATION case_blind (provider = icu, locale = 'und-u-ks-level2', deterministic = "
          "false); " +
          table_sql(postgres_columns()) + "ANALYZE");
  write_file(folder, postgres_columns());
  DatabaseServer server({spec}, {.folder = folder.path()});
  compare(server, postgres_columns(), GetParam() == 15 ? "PostgreSQL 15" : "PostgreSQL 18");
}

INSTANTIATE_TEST_SUITE_P(Both, SameAnswersOfPostgres, ::testing::Values(15, 18),
                         [](const auto& version) { return "Version" + std::to_string(version.param); });

}  // namespace
}  // namespace sluice::databases::testing
