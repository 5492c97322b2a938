#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sluice/engine/duckdb.h"
#include "sluice/query/file_dataset.h"
#include "sluice/query/rows_reader.h"

#include "temp_folder.h"

namespace sluice::query::testing {

// Reads files as datasets, without a server. One engine for all of a test's files.
class FileReading {
 public:
  FileReading() : root_(std::make_shared<const fs::Root>(fs::Root::open(folder_.path()).value())) {
    engine::EngineOptions options;
    fs::PrivateFolder scratch = fs::PrivateFolder::make_temporary("sluice-test").value();
    options.folders = {folder_.path(), scratch.path()};
    copies_ = std::make_shared<FileCopies>(std::move(scratch), std::uint64_t{1} << 30U, system_clock());
    engine_ = engine::open_duckdb(options).value();
    collection_ = std::make_shared<const Collection>();
  }

  std::shared_ptr<const FileDataset> write(const std::string& name, std::string_view content,
                                           JsonPart part = JsonPart::kWhole) {
    folder_.write(name, content);
    const fs::FileStatus status = root_->open_beneath(name)->status().value();
    Dataset::Identity identity{.collection = collection_,
                               .name = name,
                               .dimensions = {},
                               .path = name,
                               .bytes = status.bytes,
                               .modified = status.modified,
                               .version = ""};
    FileKind kind = *kind_of_file(name);
    kind.part = part;
    if (part == JsonPart::kRest) identity.name += ".about";
    return std::make_shared<const FileDataset>(std::move(identity), root_, kind, copies_);
  }

  // The rows of a SELECT over a dataset, whose FROM is written as `data`; the fields of a row joined by "|".
  Result<std::vector<std::string>> select(const FileDataset& dataset, const std::string& sql) {
    SLUICE_TRY(const Table table, dataset.inspect(*engine_, {}));
    SLUICE_TRY(const Relation relation, dataset.open(table, {}, nullptr));
    SLUICE_TRY(const std::vector<TextRow> rows,
               read_rows(*engine_,
                         {.sql = "WITH data AS (SELECT * FROM " + relation.sql +
                                 ") SELECT coalesce(CAST(COLUMNS(*) AS VARCHAR), 'null') FROM (" + sql + ")"},
                         {}, 1'000'000));
    std::vector<std::string> out;
    for (const TextRow& row : rows) {
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i) line += (i == 0 ? "" : "|") + row[i];
      out.push_back(std::move(line));
    }
    return out;
  }

  Result<Table> inspect(const FileDataset& dataset) { return dataset.inspect(*engine_, {}); }

  // All rows as text, nulls as `null_text`.
  Result<std::vector<TextRow>> rows(const FileDataset& dataset, const Table& table,
                                    std::string_view null_text) {
    SLUICE_TRY(const Relation relation, dataset.open(table, {}, nullptr));
    std::string list;
    for (const engine::Field& column : table.columns) {
      list += (list.empty() ? "" : ", ") + std::string("coalesce(CAST(") + engine::quote_name(column.name) +
              " AS VARCHAR), " + engine::quote_text(std::string(null_text)) + ")";
    }
    return read_rows(*engine_, {.sql = "SELECT " + list + " FROM " + relation.sql}, {}, 1'000'000);
  }

  Result<std::uint64_t> count(const FileDataset& dataset, const Table& table) {
    SLUICE_TRY(const Relation relation, dataset.open(table, {}, nullptr));
    return read_count(*engine_, {.sql = "SELECT count(*) FROM " + relation.sql}, {});
  }

  const fs::Root& root() const { return *root_; }

 private:
  fs::TempFolder folder_;
  std::shared_ptr<const fs::Root> root_;  // Shared with the datasets.
  std::shared_ptr<FileCopies> copies_;    // Shared with the datasets.
  std::unique_ptr<engine::Engine> engine_;
  std::shared_ptr<const Collection> collection_;
};

}  // namespace sluice::query::testing
