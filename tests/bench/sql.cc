// Runs the SQL that the plan of a question consists of, on an engine with the program's settings and without
// the program around it: what a tool call is compared with.
//
//   bench_sql FOLDER
//
// Reads one question a line, {"file": "a.csv", "arguments": {…as of query_data…}, "copy": false}, and writes
// one line for each: {"ms": 1.5, "rows": 10, "sql": "…"}. Rows come from a copy in columns, as they do in the
// program once a file has been asked about a few times. "copy" writes the rows of the file itself to a
// Parquet file instead of reading them, as a result that is kept.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "sluice/base/clock.h"
#include "sluice/engine/duckdb.h"
#include "sluice/engine/engine.h"
#include "sluice/fs/private_folder.h"
#include "sluice/json/reader.h"
#include "sluice/json/writer.h"
#include "sluice/query/file_copies.h"
#include "sluice/query/file_dataset.h"
#include "sluice/query/functions.h"
#include "sluice/query/query_arguments.h"
#include "sluice/query/statement.h"

namespace {

using sluice::Result;
using sluice::engine::Engine;
using sluice::engine::Statement;
namespace query = sluice::query;

template <typename T>
T must(Result<T> result) {
  if (result.ok()) return *std::move(result);
  std::fprintf(stderr, "bench_sql: %s\n", result.error().message.c_str());
  std::exit(1);
}

class Bench {
 public:
  explicit Bench(const std::string& folder)
      : spool_(must(sluice::fs::PrivateFolder::make_temporary("sluice-bench"))),
        root_(std::make_shared<const sluice::fs::Root>(must(sluice::fs::Root::open(folder)))),
        copies_(std::make_shared<query::FileCopies>(
            must(sluice::fs::PrivateFolder::make_temporary_in(spool_.path(), "copies")), 4'000'000'000,
            sluice::system_clock())),
        engine_(must(sluice::engine::open_duckdb({.folders = {folder, spool_.path()},
                                                  .scratch_folder = spool_.path() + "/scratch",
                                                  .memory_bytes_max = 1'000'000'000,
                                                  .scratch_bytes_max = 4'000'000'000,
                                                  .threads = 2,
                                                  .functions = query::engine_functions()}))) {}

  std::string answer(const sluice::json::Object& line) {
    const sluice::json::Value* copy = line.find("copy");
    const bool copies = copy != nullptr && *copy->if_bool();
    const Known& known = find(*line.find("file")->if_string(), !copies);
    const query::QueryArguments query_arguments =
        must(query::read_query_arguments(*line.find("arguments")->if_object()));
    const auto question = must(query::compile(query_arguments, known.table, known.dataset->collection(), {}));
    const query::Relation relation = must(known.dataset->open(known.table, {}, &question));
    // The program asks for one row more than the limit, to see whether there are more.
    const auto limit = question.limit && !copies ? std::optional(*question.limit + 1) : question.limit;
    const Statement statement = query::statement_of(question, known.table, relation, limit);
    const auto begin = std::chrono::steady_clock::now();
    const std::uint64_t rows = copies ? write(statement) : read(statement);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    sluice::json::Writer out;
    out.begin_object().field("ms", time.count()).field("rows", rows).field("sql", statement.sql);
    out.end_object();
    return std::move(out).take();
  }

 private:
  struct Known {
    std::unique_ptr<query::FileDataset> dataset;
    query::Table table;
  };

  const Known& find(const std::string& file, bool has_columns) {
    const auto found = known_.find({file, has_columns});
    if (found != known_.end()) return found->second;
    const sluice::fs::Entry entry = must(root_->stat(file));
    Known known;
    known.dataset = std::make_unique<query::FileDataset>(
        query::Dataset::Identity{.collection = std::make_shared<const query::Collection>(),
                                 .name = file,
                                 .dimensions = {},
                                 .path = file,
                                 .bytes = entry.bytes,
                                 .modified = entry.modified,
                                 .version = "1"},
        root_, query::kind_of_file(file).value(), has_columns ? copies_ : nullptr);
    known.table = must(known.dataset->inspect(*engine_, {}));
    if (has_columns && known.dataset->questions_before_copy()) {
      const sluice::Status made = copies_->make_columns(*engine_, *known.dataset, known.table, {});
      if (!made.ok()) must<int>(made.error());
    }
    return known_.emplace(std::pair(file, has_columns), std::move(known)).first->second;
  }

  std::uint64_t read(const Statement& statement) {
    const auto rows = must(engine_->query(statement, {}));
    std::uint64_t count = 0;
    while (const auto* batch = must(rows->next())) count += batch->rows;
    return count;
  }

  std::uint64_t write(const Statement& statement) {
    const std::string file = sluice::engine::quote_text(spool_.path() + "/answer.parquet");
    return must(engine_->execute(
        {.sql = "COPY (" + statement.sql + ") TO " + file + " (FORMAT parquet, ROW_GROUP_SIZE 20480)",
         .parameters = statement.parameters},
        {}));
  }

  const sluice::fs::PrivateFolder spool_;
  const std::shared_ptr<const sluice::fs::Root> root_;  // This, and the datasets.
  const std::shared_ptr<query::FileCopies> copies_;     // This, and the datasets.
  const std::unique_ptr<Engine> engine_;
  std::map<std::pair<std::string, bool>, Known> known_;  // By file, and whether there is a copy in columns.
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: bench_sql FOLDER\n", stderr);
    return 1;
  }
  Bench bench(argv[1]);
  for (std::string line; std::getline(std::cin, line);) {
    const sluice::json::Value question = must(sluice::json::read(line));
    std::printf("%s\n", bench.answer(*question.if_object()).c_str());
    std::fflush(stdout);
  }
  return 0;
}
