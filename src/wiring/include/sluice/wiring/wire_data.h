#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <vector>

#include "sluice/base/background_thread.h"
#include "sluice/catalog/provider.h"
#include "sluice/ckan/file_questions.h"
#include "sluice/collections/collection_source.h"
#include "sluice/config/config.h"
#include "sluice/databases/databases.h"
#include "sluice/datasets/dataset_reader.h"
#include "sluice/datasets/datasets_provider.h"
#include "sluice/datasets/equivalency_store.h"
#include "sluice/datasets/statement_runner.h"
#include "sluice/query/column_copier.h"
#include "sluice/query/engine_slot.h"
#include "sluice/query/file_copies.h"
#include "sluice/query/registry.h"
#include "sluice/query/row_counter.h"
#include "sluice/query/spool.h"
#include "sluice/query/tables.h"
#include "sluice/records_provider/record_datasets.h"
#include "sluice/wiring/process_state.h"

namespace sluice::wiring {

class TableList;

// What the datasets are opened for.
enum class DataUse : std::uint8_t {
  kServe,
  kOneStatement,  // Nothing is computed ahead of the statement, and the engine reports its progress.
};

// Everything between a configuration and the tools over its datasets. Folders are read and rows counted in
// the background; the tools wait for the first reading, and for nothing else.
class DataWiring {
 public:
  // Fails where a folder does not exist or the spool cannot be made.
  // `records`: the store whose data types are datasets, too; may be null. Shared with the generation.
  static Result<std::unique_ptr<DataWiring>> open(const config::Config& config, ProcessState& process_state,
                                                  std::shared_ptr<records::Store> records,
                                                  DataUse use = DataUse::kServe);
  DataWiring(const DataWiring&) = delete;
  DataWiring& operator=(const DataWiring&) = delete;
  ~DataWiring();

  // This must outlive them. `records` answers get_schema for data types; may be null. Fails if SQL of a
  // defined tool is not a SELECT.
  Result<datasets::DatasetProviders> make_providers(const config::Config& config,
                                                    const std::shared_ptr<catalog::Provider>& records);
  // Runs SQL over the datasets for a person. This must outlive it.
  std::unique_ptr<datasets::StatementRunner> make_statement_runner(const config::Config& config);
  // The resources of the databases; null where there are none. This must outlive it.
  std::shared_ptr<catalog::Provider> make_databases_provider();
  // What programs that do not speak MCP ask. This must outlive it.
  std::unique_ptr<datasets::DatasetReader> make_reader(const config::Config& config);
  query::EngineSlot& engines() { return engines_; }
  query::Spool& spool() { return *spool_; }
  // How files of portals are asked about. This must outlive it.
  ckan::FileQuestions make_portal_questions(const config::Config& config);
  const std::shared_future<void>& ready() const { return ready_; }
  const query::Registry& registry() const { return registry_; }
  const databases::Databases* databases() const { return databases_.get(); }
  const TableList* table_list() const { return table_list_.get(); }  // Null unless the profile has one.

 private:
  DataWiring(const config::Config& config, std::shared_ptr<query::Spool> spool, crypto::Signer signer,
             DataUse use);
  datasets::Services services_of(const config::Config& config);
  void read_folders(std::promise<void>& ready);

  const DataUse use_;
  query::Registry registry_;
  query::Tables tables_;
  const std::shared_ptr<query::Spool> spool_;  // Shared with what takes the place of this, like its names.
  std::shared_ptr<datasets::lean::ResultNames> result_names_;
  std::shared_ptr<const exports::DownloadLinks> links_;  // Shared likewise. May be null.
  const crypto::Signer signer_;
  const std::shared_ptr<engine::Sources> outside_ = std::make_shared<engine::Sources>();  // With the engine.
  query::EngineSlot engines_;
  std::shared_ptr<query::FileCopies> copies_;  // Shared by all datasets.
  std::unique_ptr<query::ColumnCopier> copier_;
  std::vector<std::unique_ptr<collections::CollectionSource>> sources_;
  std::unique_ptr<databases::Databases> databases_;            // Null where there are none.
  std::unique_ptr<records_provider::RecordDatasets> records_;  // Null if there is no record store.
  std::shared_ptr<datasets::EquivalencyStore>
      equivalencies_;  // Shared with the provider, and like the spool. May be null.
  query::RowCounter counter_;
  std::shared_future<void> ready_;
  std::unique_ptr<TableList> table_list_;
  BackgroundThread reading_;  // Last: it ends before what it fills goes.
};

}  // namespace sluice::wiring
