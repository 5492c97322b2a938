#include "dataset_maker.h"

#include <string_view>
#include <utility>

#include "sluice/query/arrow_table.h"
#include "sluice/query/json_document.h"

namespace sluice::collections {

namespace {

constexpr std::string_view kAboutSuffix = ".about";

}  // namespace

DatasetMaker::DatasetMaker(std::shared_ptr<const fs::Root> root, std::shared_ptr<query::FileCopies> copies,
                           std::shared_ptr<query::DuckFiles> duck_files)
    : root_(std::move(root)), copies_(std::move(copies)), duck_files_(std::move(duck_files)) {}

query::DatasetPtr DatasetMaker::make_one(query::Dataset::Identity identity,
                                         const query::FileForm& form) const {
  return std::make_shared<const query::FileDataset>(std::move(identity), root_, form, copies_);
}

// A JSON document is looked at: its rows may be those of an array within it. Datasets with dimensions are
// found by them, and two cannot have the same.
query::JsonShape DatasetMaker::shape_of(const query::Dataset::Identity& identity,
                                        const query::FileForm& form) const {
  if (form.format != query::FileFormat::kJson || !copies_) return {};
  const Result<fs::File> file = root_->open_beneath(identity.path);
  return file.ok() ? query::shape_of_json(*file, form.compression, identity.collection->encoding)
                   : query::JsonShape{};
}

FileDatasets DatasetMaker::make(query::Dataset::Identity identity, const query::FileForm& form) const {
  if (form.format == query::FileFormat::kDuckdb && duck_files_) return make_tables(std::move(identity));
  if (form.format == query::FileFormat::kArrow && duck_files_) {
    FileDatasets out;
    out.dataset = query::make_arrow_table(std::move(identity), root_, duck_files_->sources());
    return out;
  }
  if (query::is_book(form.format) && copies_) return make_sheets(std::move(identity), form);
  const query::JsonShape shape = shape_of(identity, form);
  FileDatasets out;
  if (shape.has_rest && identity.collection->dimensions.empty()) {
    query::FileForm rest = form;
    rest.part = query::JsonPart::kRest;
    query::Dataset::Identity about = identity;
    about.name += kAboutSuffix;
    out.parts = std::make_unique<FileParts>();
    out.parts->datasets.push_back(make_one(std::move(about), rest));
  }
  query::FileForm main = form;
  main.part = shape.part;
  out.dataset = make_one(std::move(identity), main);
  return out;
}

// A workbook that cannot be read is one dataset, and says why whenever it is asked about. Where datasets are
// found by their dimensions, it has its first sheet only.
FileDatasets DatasetMaker::make_sheets(query::Dataset::Identity identity, query::FileForm form) const {
  std::vector<std::string> names;
  if (const Result<fs::File> file = root_->open_beneath(identity.path); file.ok()) {
    Result<std::vector<std::string>> found = query::list_sheets(*file, form.format);
    if (found.ok()) names = *std::move(found);
  }
  FileDatasets out;
  if (names.empty() || !identity.collection->dimensions.empty()) {
    out.dataset = make_one(std::move(identity), form);
    return out;
  }
  form.is_only_sheet = names.size() == 1;
  out.parts = std::make_unique<FileParts>(FileParts{.name = identity.name, .datasets = {}});
  for (const std::string& name : names) {
    query::Dataset::Identity sheet = identity;
    sheet.name += "/" + name;
    out.parts->datasets.push_back(make_one(std::move(sheet), form));
    ++form.sheet;
  }
  return out;
}

// A file that cannot be listed now is one dataset, and says why whenever it is asked about. Tables are not
// found by dimensions.
FileDatasets DatasetMaker::make_tables(query::Dataset::Identity identity) const {
  identity.dimensions.clear();
  FileDatasets out;
  out.parts = std::make_unique<FileParts>(FileParts{
      .name = identity.name, .datasets = {}, .log = query::duck_log_version(*root_, identity.path)});
  identity.version += out.parts->log;
  const Result<std::vector<query::DuckTableName>> tables = duck_files_->list(*root_, identity.path);
  out.parts->is_unlisted = !tables.ok() && tables.error().code == "source_busy";
  if (!tables.ok()) {
    out.parts->datasets.push_back(query::make_duck_table(std::move(identity), root_, duck_files_, {}));
    return out;
  }
  for (const query::DuckTableName& table : *tables) {
    query::Dataset::Identity one = identity;
    one.name += "/" + table.visible();
    out.parts->datasets.push_back(query::make_duck_table(std::move(one), root_, duck_files_, table));
  }
  return out;
}

}  // namespace sluice::collections
