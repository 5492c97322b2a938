#pragma once

#include <memory>
#include <utility>

#include "sluice/base/caller.h"
#include "sluice/base/mutex.h"
#include "sluice/catalog/tool_rules.h"
#include "sluice/datasets/dataset_reader.h"
#include "sluice/query/engine_slot.h"
#include "sluice/query/spool.h"

namespace sluice::exports {

// Where rows come from: what one configuration of the server has opened.
struct RowSource {
  query::EngineSlot* engines = nullptr;  // Both are kept alive by `generation`.
  query::Spool* spool = nullptr;
  Policies policies;                                      // The rules of callers.
  catalog::ToolRules tools;                               // What is denied to tools is denied here as well.
  std::shared_ptr<const datasets::DatasetReader> reader;  // Shared by requests under way.
  std::shared_ptr<const void> generation;                 // Shared likewise, and with whoever replaces it.
};

// The source of requests that begin now. Requests under way keep the one that they began with. Any thread.
class RowSourceSlot {
 public:
  // Null: there are no datasets.
  std::shared_ptr<const RowSource> get() const {
    const MutexLock lock(mutex_);
    return source_;
  }
  // The old source is destroyed by the caller, if no request holds it.
  std::shared_ptr<const RowSource> exchange(std::shared_ptr<const RowSource> source) {
    const MutexLock lock(mutex_);
    return std::exchange(source_, std::move(source));
  }

 private:
  mutable Mutex mutex_;
  std::shared_ptr<const RowSource> source_ SLUICE_GUARDED_BY(mutex_);  // Shared by requests under way.
};

}  // namespace sluice::exports
