#pragma once

#include <memory>
#include <string>

#include "sluice/engine/source.h"
#include "sluice/query/versioned.h"
#include "sluice/records/store.h"

namespace sluice::records_provider {

// A data type of a record store as a table: its file and the operations that are not in it yet. A statement
// sees the records as they are when it is opened, whichever process changed them last. The store's engine
// reads them, and the engine of the datasets gets them as an external table.
class RecordDataset final : public query::Dataset, public query::Versioned {
 public:
  // Who owns the data type, and where its rows are offered.
  struct Sources {
    std::shared_ptr<records::Store> store;  // Shared with the generation that serves it.
    std::shared_ptr<records::DataType> data_type;
    std::shared_ptr<engine::Sources> external_tables;  // Shared with the engine of the datasets.
    // The records of another moment. Null: as they are. Shared with what reads them.
    std::shared_ptr<const records::View> past;
  };

  RecordDataset(Identity identity, Sources sources);

  // The version of a dataset over these records: the number of the last operation, and the digest of a file
  // that the journal does not know. Of records that cannot be read, the code of the error.
  static std::string version_of(const Result<records::View>& view);

  Result<query::Table> inspect(engine::Engine& engine, const engine::RunLimits& limits) const override;
  // code `dataset_changed` if the columns are not those of `table` any more.
  Result<query::Relation> open(const query::Table& table, const engine::RunLimits& limits,
                               const expression::Question* question) const override;
  std::string uri(std::string_view part) const override;  // parquet://schemas/tasks of "schema".
  // code `unknown_version` if there is no such operation yet, `snapshot_not_found` if its state is not kept
  // any more.
  Result<query::DatasetPtr> at_version(std::int64_t version, const engine::RunLimits& limits) const override;
  bool is_current() const override;
  query::CountState count_state() const override;
  // The description that the schema file gives, as a card.
  Result<std::string> read_beside(std::string_view suffix) const override;

 private:
  Result<std::shared_ptr<const records::View>> view(const engine::RunLimits& limits) const;

  const Sources sources_;
};

}  // namespace sluice::records_provider
