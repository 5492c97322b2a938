// Makes the data that questions are measured on, once: a folder that is complete is left as it is.
//
//   bench_data FOLDER
//
// FOLDER/questions  ten_million.parquet, one_million.csv: id, k (1000 values), city (50), price, note
// FOLDER/handle     wide.csv: 200,000 rows of 5 columns, 12 MB
// FOLDER/small      twenty.csv: 20 rows
// FOLDER/many       100,000 files of two rows in 100 folders
// FOLDER/records    tasks.parquet (16,000 rows), histories.parquet (1,000,000): 43 columns each
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "sluice/engine/duckdb.h"
#include "sluice/engine/engine.h"

namespace {

using sluice::engine::Engine;
using sluice::engine::quote_text;

constexpr int kManyFolders = 100;
constexpr int kFilesInEach = 1'000;
constexpr const char* kComplete = "complete-3";  // Another number where the data becomes another.

[[noreturn]] void give_up(const std::string& reason) {
  std::fprintf(stderr, "bench_data: %s\n", reason.c_str());
  std::exit(1);
}

// The same rows on every machine: everything follows from the row's number.
std::string rows_sql(int count) {
  return "SELECT range AS id, CAST(hash(range) % 1000 AS INTEGER) AS k, "
         "'city ' || (hash(range + 1) % 50) AS city, CAST(hash(range + 2) % 1000000 AS DOUBLE) / 100 AS "
         "price, substr(md5(CAST(range AS VARCHAR)), 1, 20) AS note FROM range(" +
         std::to_string(count) + ")";
}

std::string wide_sql() {
  return "SELECT range AS id, DATE '2020-01-01' + CAST(hash(range) % 2000 AS INTEGER) AS day, "
         "'customer ' || (hash(range + 1) % 5000) AS customer, CAST(hash(range + 2) % 10000000 AS DOUBLE) / "
         "100 AS amount, substr(md5(CAST(range AS VARCHAR)), 1, 18) AS note FROM range(200000)";
}

std::string twenty_sql() {
  return "SELECT range AS number, 'city ' || range AS city, range * 1.25 AS price, DATE '2026-07-28' AS day, "
         "'note number ' || range AS note FROM range(1, 21)";
}

std::string records_sql(const std::string& id, int count) {
  std::string sql =
      "SELECT 'record-' || range AS " + id + ", 'Some title of number ' || range AS title, " +
      "CASE range % 3 WHEN 0 THEN 'open' WHEN 1 THEN 'done' END AS status, DATE '2024-01-01' + " +
      "CAST(range % 700 AS INTEGER) AS due, range % 5 AS priority, CAST(range * 1.25 AS DOUBLE) AS amount";
  for (int i = 0; i < 18; ++i)
    sql += ", substr(md5(CAST(range + " + std::to_string(i) + " AS VARCHAR)), 1, 6) AS text_" +
           std::to_string(i);
  for (int i = 0; i < 19; ++i)
    sql += ", range % " + std::to_string(10 + i) + " AS number_" + std::to_string(i);
  return sql + " FROM range(" + std::to_string(count) + ")";
}

void copy(Engine& engine, const std::string& select, const std::filesystem::path& file,
          const std::string& options) {
  const auto written = engine.execute(
      {.sql = "COPY (" + select + ") TO " + quote_text(file.string()) + " (" + options + ")"}, {});
  if (!written.ok()) give_up(file.string() + ": " + written.error().message);
}

void write_many(const std::filesystem::path& folder) {
  for (int i = 0; i < kManyFolders; ++i) {
    const std::filesystem::path inner = folder / ("group_" + std::to_string(i));
    std::filesystem::create_directories(inner);
    for (int j = 0; j < kFilesInEach; ++j) {
      std::ofstream out(inner / ("table_" + std::to_string(j) + ".csv"));
      out << "id,name,amount\n" << i << ",first," << j << "\n" << i << ",second,2.5\n";
      if (!out.flush()) give_up("cannot write into " + inner.string());
    }
  }
}

void make(const std::filesystem::path& folder) {
  for (const char* name : {"questions", "handle", "small", "records"})
    std::filesystem::create_directories(folder / name);
  const auto engine = sluice::engine::open_duckdb({.folders = {folder.string()}, .scratch_folder = {}});
  if (!engine.ok()) give_up(engine.error().message);
  copy(**engine, rows_sql(10'000'000), folder / "questions/ten_million.parquet", "FORMAT parquet");
  copy(**engine, rows_sql(1'000'000), folder / "questions/one_million.csv", "FORMAT csv, HEADER");
  copy(**engine, wide_sql(), folder / "handle/wide.csv", "FORMAT csv, HEADER");
  copy(**engine, twenty_sql(), folder / "small/twenty.csv", "FORMAT csv, HEADER");
  copy(**engine, records_sql("task_id", 16'000), folder / "records/tasks.parquet", "FORMAT parquet");
  copy(**engine, records_sql("historie_id", 1'000'000), folder / "records/histories.parquet",
       "FORMAT parquet");
  write_many(folder / "many");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) give_up("usage: bench_data FOLDER");
  const std::filesystem::path folder = std::filesystem::absolute(argv[1]);
  if (std::filesystem::exists(folder / kComplete)) return 0;
  std::filesystem::remove_all(folder);
  make(folder);
  if (!std::ofstream(folder / kComplete)) give_up("cannot write into " + folder.string());
  return 0;
}
