#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/engine/source.h"
#include "sluice/query/registry.h"
#include "sluice/records/store.h"

namespace sluice::records_provider {

// Registers every data type of a store as the dataset `records/<data type>` and follows the store: a data
// type that is created, dropped or changed is registered anew before the change is acknowledged, one that
// another process changed when the store notices it. Any thread.
class RecordDatasets {
 public:
  // `registry` must outlive it. The collection is registered at once, without datasets.
  RecordDatasets(std::shared_ptr<records::Store> store, query::Registry& registry,
                 std::shared_ptr<engine::Sources> external_tables);
  RecordDatasets(const RecordDatasets&) = delete;
  RecordDatasets& operator=(const RecordDatasets&) = delete;
  ~RecordDatasets();

  // Looks at every data type for the first time, and follows the store from then on. Once.
  Status begin();

 private:
  void changed(const records::StoreChange& change);
  Status look_at_all() SLUICE_REQUIRES(mutex_);
  bool look_at(const std::string& data_type)
      SLUICE_REQUIRES(mutex_);  // Returns whether its dataset is another one now.
  void publish() const SLUICE_REQUIRES(mutex_);

  const std::shared_ptr<records::Store> store_;  // Shared by its datasets.
  query::Registry& registry_;
  const std::shared_ptr<engine::Sources> external_tables_;  // Shared with the engine of the datasets.
  const std::shared_ptr<const query::Collection> collection_;
  std::uint64_t listening_ = 0;
  Mutex mutex_;
  std::map<std::string, query::DatasetPtr, std::less<>> datasets_ SLUICE_GUARDED_BY(mutex_);  // By data type.
};

}  // namespace sluice::records_provider
