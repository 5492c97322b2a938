#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sluice/fs/root.h"
#include "sluice/query/dataset.h"
#include "sluice/query/duck_files.h"
#include "sluice/query/file_copies.h"
#include "sluice/query/file_dataset.h"

namespace sluice::collections {

// What else than one table a file has: the rest of a JSON document whose rows are the dataset, the sheets of
// a workbook, or the tables of a DuckDB file.
struct FileParts {
  std::string name;  // Of the file, where it is no dataset itself.
  std::vector<query::DatasetPtr> datasets;
  std::string log = {};      // Of a DuckDB file: the state of the log beside it.
  bool is_unlisted = false;  // Its tables could not be listed, because another program was writing.
};

// The datasets of one file.
struct FileDatasets {
  query::DatasetPtr dataset;         // That has the file's name. Null where it has only parts.
  std::unique_ptr<FileParts> parts;  // May be null.
};

// Looks into files to know which datasets they are. One thread at a time.
class DatasetMaker {
 public:
  // `copies` and `duck_files` may be null.
  DatasetMaker(std::shared_ptr<const fs::Root> root, std::shared_ptr<query::FileCopies> copies,
               std::shared_ptr<query::DuckFiles> duck_files);

  // `identity` is that of a dataset that has the file's name.
  FileDatasets make(query::Dataset::Identity identity, const query::FileForm& form) const;

 private:
  FileDatasets make_sheets(query::Dataset::Identity identity, query::FileForm form) const;
  FileDatasets make_tables(query::Dataset::Identity identity) const;
  query::DatasetPtr make_one(query::Dataset::Identity identity, const query::FileForm& form) const;
  query::JsonShape shape_of(const query::Dataset::Identity& identity, const query::FileForm& form) const;

  std::shared_ptr<const fs::Root> root_;          // Shared with the datasets, which open their files by it.
  std::shared_ptr<query::FileCopies> copies_;     // Shared with the datasets. May be null.
  std::shared_ptr<query::DuckFiles> duck_files_;  // Shared with the datasets. May be null.
};

}  // namespace sluice::collections
