#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "sluice/base/background_thread.h"
#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/query/dataset.h"
#include "sluice/query/engine_slot.h"
#include "sluice/query/file_copies.h"

namespace sluice::query {

// Makes copies in columns of the files that are asked about again and again, one after the other, on a thread
// of its own: what comes after is answered from the copy. A file that cannot be copied stays as it is; one
// whose copy had to go gets another after twice as many questions each time. Any thread.
class ColumnCopier {
 public:
  struct Sources {  // All must outlive the copier.
    EngineSlot& engine;
    FileCopies& copies;
  };

  // Told after each copy, made or failed, on the copier's thread. It must not destroy the copier.
  using OnDone = std::function<void(const DatasetPtr&, const Status&)>;

  explicit ColumnCopier(const Sources& sources, OnDone on_done = {});
  ColumnCopier(const ColumnCopier&) = delete;
  ColumnCopier& operator=(const ColumnCopier&) = delete;
  ~ColumnCopier();  // Interrupts the copy that is being made.

  // A question about the dataset has been answered from its data. Enough of them lead to a copy.
  void note(const DatasetPtr& dataset, const std::shared_ptr<const Table>& table);

 private:
  struct Asked {
    std::string version;
    int questions = 0;        // That were answered without a copy.
    unsigned copies = 0;      // That were made.
    bool is_settled = false;  // It is waiting to be copied, or cannot be.
  };
  struct Task {
    DatasetPtr dataset;
    std::shared_ptr<const Table> table;  // Shared with the store of tables.
  };

  void run(const std::stop_token& stop);
  void copy(const Task& task, const std::stop_token& stop);
  void note_copy(const Dataset& dataset);

  const Sources sources_;
  const OnDone on_done_;
  Mutex mutex_;
  CondVar changed_;
  std::map<std::string, Asked, std::less<>> asked_ SLUICE_GUARDED_BY(mutex_);  // By dataset.
  std::deque<Task> tasks_ SLUICE_GUARDED_BY(mutex_);
  BackgroundThread thread_;  // Last: it ends before the rest goes. Begins with the first task.
};

}  // namespace sluice::query
