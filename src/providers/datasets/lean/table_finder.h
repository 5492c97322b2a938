#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/expression/sql.h"
#include "sluice/query/statement_dataset.h"

#include "dataset_tools.h"
#include "lean/collection_table.h"

namespace sluice::datasets::lean {

// The dataset that a name in SQL means: as it is written, else in any case of its letters, else with `_` for
// what cannot stand in a plain name; the whole name before its last part alone. Null: none. Fails where it
// could mean several.
Result<query::DatasetPtr> find_dataset(const query::Inventory& inventory, std::string_view written);

// Whether a name in SQL already means a dataset or a collection.
bool is_taken(const query::Inventory& inventory, std::string_view name);

// Finds the tables of one statement: results that the caller has kept, datasets, and collections as all
// datasets that the statement's filters on their dimensions leave. It belongs to the call.
class TableFinder final : public expression::SqlTables {
 public:
  using Results = std::map<std::string, std::string, std::less<>>;  // Handles, by name.

  // `results` come before all other tables; null: there are none. What is passed must outlive it.
  TableFinder(const DatasetTools& tools, std::shared_ptr<engine::Engine> engine,
              const catalog::Context& context, const Results* results = nullptr,
              ColumnsOf columns = ColumnsOf::kReadFiles);

  // Of a collection, the files that can pass the filters.
  Result<const Table*> find(const std::vector<std::string>& parts,
                            const expression::ScanFilters& filters) override;
  // Of a data type. Each version is a separate table.
  Result<const Table*> find_version(const std::vector<std::string>& parts, std::int64_t version,
                                    const expression::ScanFilters& filters) override;

  // The table that a name means, written as in SQL with or without its quotes.
  Result<query::DatasetPtr> locate_written(std::string_view written);
  // The columns of a table that was found.
  Result<std::shared_ptr<const query::Table>> table_of(const query::DatasetPtr& dataset);

  // Whether filters have left out files of a collection that was found.
  bool leaves_out_files() const { return leaves_out_files_; }

  // What the statement reads, once it has been checked.
  std::shared_ptr<const query::StatementDataset> dataset(const expression::Question& question) const;

 private:
  Result<query::DatasetPtr> locate(const std::vector<std::string>& parts,
                                   const expression::ScanFilters& filters);
  Result<query::DatasetPtr> result_of(const std::string& name, const std::string& handle);
  Result<query::DatasetPtr> collection_table(const std::shared_ptr<const query::Collection>& collection,
                                             const expression::ScanFilters& filters);
  Result<const Table*> add(query::DatasetPtr dataset, const expression::ScanFilters& filters);

  const DatasetTools& dataset_tools_;
  const std::shared_ptr<engine::Engine> engine_;  // Shared with the slot; the call ends on it.
  const catalog::Context& context_;
  const query::Inventory inventory_;
  const Results* const results_;
  const ColumnsOf columns_;
  bool leaves_out_files_ = false;
  std::deque<Table> tables_;
  std::vector<query::StatementDataset::Part> parts_;  // One for each of the tables.
};

}  // namespace sluice::datasets::lean
