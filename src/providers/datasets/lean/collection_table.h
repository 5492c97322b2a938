#pragma once

#include <cstdint>
#include <memory>

#include "sluice/expression/scan_filter.h"
#include "sluice/query/collection_dataset.h"

#include "dataset_tools.h"

namespace sluice::datasets::lean {

// Whose columns a collection has as a table.
enum class ColumnsOf : std::uint8_t {
  kReadFiles,  // Of the files that are read, so that no other file has to be opened.
  kAllFiles,   // Of the others too, if they are not too many.
};

// What a collection is made a table with. All of it must outlive the call.
struct CollectionReader {
  const DatasetTools& tools;
  engine::Engine& engine;
  const catalog::Context& context;
  const query::Inventory& inventory;
  ColumnsOf columns = ColumnsOf::kReadFiles;
};

struct CollectionTable {
  std::shared_ptr<const query::CollectionDataset> dataset;  // Null: the collection has no files.
  bool leaves_out_files = false;
};

// The files of a collection whose dimensions can pass the filters, as one table. Fails with `too_many_files`
// if they are more than one statement may open.
Result<CollectionTable> read_collection(const CollectionReader& reader,
                                        const std::shared_ptr<const query::Collection>& collection,
                                        const expression::ScanFilters& filters);

}  // namespace sluice::datasets::lean
