#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sluice/expression/scan_filter.h"
#include "sluice/query/dataset.h"

namespace sluice::query {

// What the columns of the dimensions of a collection hold in all rows of one of its datasets. The columns are
// called as in a CollectionDataset.
expression::ScanValues dimension_values(const Dataset& dataset);

// Datasets of one collection as one table: their rows one after the other, columns matched by name, with a
// first column `dataset` and one for each dimension. A column of the data that is called like a dimension, or
// like another column but for its case, gets `_` behind its name. A column that a dataset lacks is null
// there. Files that are read alike are read by one call of the engine. It belongs to the call that asks.
class CollectionDataset final : public Dataset {
 public:
  struct Part {
    DatasetPtr dataset;
    std::shared_ptr<const Table> table;  // Shared with the store of tables.
    bool has_rows = true;                // False: it adds its columns, and none of its rows.
  };

  // At least one part.
  explicit CollectionDataset(std::vector<Part> parts);

  const std::vector<Part>& parts() const { return parts_; }

  // Does not open the datasets: their tables are known.
  Result<Table> inspect(engine::Engine& engine, const engine::RunLimits& limits) const override;
  Result<Relation> open(const Table& table, const engine::RunLimits& limits,
                        const expression::Question* question) const override;
  std::vector<const engine::Database*> databases() const override;
  bool is_current() const override;
  Result<std::string> read_beside(std::string_view suffix) const override;

 private:
  const std::vector<Part> parts_;
};

}  // namespace sluice::query
