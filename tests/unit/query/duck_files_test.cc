#include "sluice/query/duck_files.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/engine/duckdb.h"
#include "sluice/query/rows_reader.h"
#include "sluice/query/statement.h"

#include "temp_folder.h"

namespace sluice::query {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class DuckFile : public ::testing::Test {
 protected:
  DuckFile() : root_(std::make_shared<const fs::Root>(fs::Root::open(folder_.path()).value())) {
    engine::EngineOptions options{.folders = {}, .scratch_folder = {}, .sources = sources_};
    engine_ = engine::open_duckdb(options).value();
    files_ = std::make_shared<DuckFiles>(options, sources_);
  }

  std::string command(const std::string& sql, const std::string& ending) const {
    return fmt::format("/usr/bin/python3 '{}/tests/support/write_duckdb.py' '{}' '{}' \"{}\" {}",
                       SLUICE_SOURCE_DIR, SLUICE_DUCKDB, folder_.path() + "/w.duckdb", sql, ending);
  }
  void write(const std::string& sql, const std::string& ending = "close") const {
    ASSERT_EQ(std::system(command(sql, ending).c_str()), 0);
  }

  DatasetPtr table(const std::string& name, const std::string& schema = "main") const {
    static const auto collection = std::make_shared<const Collection>();
    return make_duck_table({.collection = collection,
                            .name = "w/" + name,
                            .dimensions = {},
                            .path = "w.duckdb",
                            .bytes = 0,
                            .modified = {},
                            .version = "1"},
                           root_, files_, {.schema = schema, .table = name});
  }

  Result<std::vector<TextRow>> select(const Dataset& dataset, const std::string& list) {
    SLUICE_TRY(const Table table, dataset.inspect(*engine_, {}));
    SLUICE_TRY(const Relation relation, dataset.open(table, {}, nullptr));
    return read_rows(*engine_,
                     {.sql = fmt::format("SELECT {} FROM {}", list, relation.sql), .parameters = {}}, {},
                     1'000'000);
  }
  std::string select_text(const Dataset& dataset, const std::string& list) {
    const Result<std::vector<TextRow>> rows = select(dataset, list);
    if (!rows.ok()) return rows.error().code;
    std::string out;
    for (const TextRow& row : *rows) {
      for (const std::string& cell : row) (out += cell) += "|";
      out += "\n";
    }
    return out;
  }

  fs::TempFolder folder_;
  std::shared_ptr<const fs::Root> root_;
  const std::shared_ptr<engine::Sources> sources_ = std::make_shared<engine::Sources>();
  std::unique_ptr<engine::Engine> engine_;
  std::shared_ptr<DuckFiles> files_;
};

TEST_F(DuckFile, HasItsBaseTablesAndNoViews) {
  write(
      "CREATE TABLE b AS SELECT 1 AS x; CREATE TABLE a AS SELECT 2 AS y; CREATE SCHEMA s; CREATE TABLE s.c(z "
      "INT); "
      "CREATE VIEW v AS SELECT * FROM read_text('/etc/passwd'); CREATE TEMP TABLE t(x INT)");
  const Result<std::vector<DuckTableName>> tables = files_->list(*root_, "w.duckdb");
  ASSERT_TRUE(tables.ok()) << tables.error().message;
  std::vector<std::string> names;
  for (const DuckTableName& each : *tables) names.push_back(each.visible());
  EXPECT_THAT(names, ElementsAre("a", "b", "s.c"));
}

TEST_F(DuckFile, GivesRowsOfEveryTypeWithTextForWhatCannotBeShared) {
  write(
      "CREATE TABLE t AS SELECT 7 AS i, 'ä' AS s, 1.25::DECIMAL(9,2) AS d, DATE '2024-01-31' AS day, [1, 2] "
      "AS l, "
      "{'a': 1} AS st, 'b'::ENUM('a', 'b') AS e, 5::HUGEINT AS h, '101'::BIT AS bits, NULL::INT AS n");
  EXPECT_EQ(select_text(*table("t"),
                        "i, s, d, day, CAST(l AS VARCHAR), CAST(st AS VARCHAR), e, h, bits, n IS NULL"),
            "7|ä|1.25|2024-01-31|[1, 2]|{'a': 1}|b|5|101|true|\n");
}

TEST_F(DuckFile, ComputesWholeQuestions) {
  write("CREATE TABLE t AS SELECT i, i % 3 AS g FROM range(10) r(i)");
  const DatasetPtr dataset = table("t");
  const Table described = dataset->inspect(*engine_, {}).value();
  expression::Question question;
  question.sql =
      "SELECT g, count(*) AS n, string_agg(i, '-' ORDER BY i) AS s FROM data GROUP BY g ORDER BY g DESC";
  question.limit = 1;
  question.offset = 1;
  const Relation relation = dataset->open(described, {}, &question).value();
  ASSERT_NE(relation.answer, nullptr);
  const auto rows =
      read_rows(*engine_, statement_of(question, described, relation, question.limit), {}).value();
  EXPECT_THAT(rows, ElementsAre(ElementsAre("1", "3", "1-4-7")));
}

TEST_F(DuckFile, LetsWritersInWithinASecond) {
  write("CREATE TABLE t AS SELECT 1 AS x");
  std::shared_ptr<DuckFiles::Opened> opened = files_->open(*root_, "w.duckdb", {}).value();
  EXPECT_EQ(select_text(*table("t"), "x"), "1|\n");
  const std::string insert = command("INSERT INTO t VALUES (2)", "close") + " 2>/dev/null";
  EXPECT_NE(std::system(insert.c_str()), 0);
  opened.reset();
  const auto begin = std::chrono::steady_clock::now();
  while (std::system(insert.c_str()) != 0)
    ASSERT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_EQ(select_text(*table("t"), "sum(x)"), "3|\n");
}

TEST_F(DuckFile, IsBusyWhileAnotherProgramWrites) {
  write("CREATE TABLE t AS SELECT 1 AS x");
  std::FILE* writer =
      ::popen(command("INSERT INTO t VALUES (2)", "hold >" + folder_.path() + "/ready").c_str(), "w");
  ASSERT_NE(writer, nullptr);
  const auto is_ready = [&] { return std::filesystem::file_size(folder_.path() + "/ready") > 0; };
  while (!std::filesystem::exists(folder_.path() + "/ready") || !is_ready()) std::this_thread::yield();
  const auto begin = std::chrono::steady_clock::now();
  const Result<std::vector<TextRow>> refused = select(*table("t"), "x");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, "source_busy");
  EXPECT_THAT(refused.error().message, Not(HasSubstr("/")));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(1'500));
  // It ends while a question waits for it.
  std::thread end([&] { ::pclose(writer); });
  EXPECT_EQ(select_text(*table("t"), "sum(x)"), "3|\n");
  end.join();
}

TEST_F(DuckFile, ReadsTheLogOfAProgramThatDied) {
  write("CREATE TABLE t AS SELECT 1 AS x");
  const DatasetPtr before = table("t");
  EXPECT_EQ(duck_log_version(*root_, "w.duckdb"), "");
  write("INSERT INTO t VALUES (41)", "abandon");
  EXPECT_NE(duck_log_version(*root_, "w.duckdb"), "");
  EXPECT_FALSE(before->is_current());
  EXPECT_EQ(select_text(*table("t"), "sum(x)"), "42|\n");
}

TEST_F(DuckFile, OpensNothingElseInItsEngine) {
  write("CREATE TABLE t AS SELECT 1 AS x");
  const std::shared_ptr<DuckFiles::Opened> opened = files_->open(*root_, "w.duckdb", {}).value();
  engine::Engine& engine = DuckFiles::engine_of(*opened);
  for (const std::string sql :
       {"SELECT * FROM read_text('/etc/passwd')", "SELECT * FROM glob('/*')", "ATTACH '/tmp/x.duckdb' AS y",
        "COPY (SELECT 1) TO '/tmp/sluice-out.csv'", "INSERT INTO file.t VALUES (2)", "DROP TABLE file.t",
        "SET threads = 1", "DETACH file; ATTACH 'x'"}) {
    EXPECT_FALSE(engine.execute({.sql = sql, .parameters = {}}, {}).ok()) << sql;
  }
}

TEST_F(DuckFile, DamagedFilesAreRefused) {
  write("CREATE TABLE t AS SELECT i, repeat('x', 20) || i AS s FROM range(5000) r(i)");
  std::ifstream in(folder_.path() + "/w.duckdb", std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  std::mt19937_64 random(3);
  for (int i = 0; i < 30; ++i) {
    std::string bytes = whole;
    if (i % 4 == 0) bytes.resize(random() % bytes.size());
    for (int k = 0; k < 20 && !bytes.empty(); ++k)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    folder_.write("w.duckdb.new", bytes);
    std::filesystem::rename(folder_.path() + "/w.duckdb.new", folder_.path() + "/w.duckdb");
    const Result<std::vector<TextRow>> rows = select(*table("t"), "count(*), sum(i), max(s)");
    if (!rows.ok()) {
      EXPECT_THAT(rows.error().message, Not(HasSubstr("/proc")));
      EXPECT_NE(rows.error().kind, ErrorKind::kInternal) << rows.error().message;
    }
  }
}

}  // namespace
}  // namespace sluice::query
