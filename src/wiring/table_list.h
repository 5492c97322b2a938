#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <stop_token>
#include <string>
#include <vector>

#include "sluice/base/background_thread.h"
#include "sluice/base/mutex.h"
#include "sluice/query/engine_slot.h"
#include "sluice/query/registry.h"
#include "sluice/query/tables.h"

namespace sluice::wiring {

// A table as the instructions of a server name it. Names are spelled as SQL needs it.
struct ListedTable {
  std::string name;
  std::string rows;                  // "231,083", or "~231,000" if nobody has counted them; empty: not known.
  std::vector<std::string> columns;  // Empty: not known.
};

// All of the tables, a line each: with rows and columns, or without columns if that does not fit into
// `bytes_max`. Empty if there is no room for all of them.
std::string list_in_instructions(const std::vector<ListedTable>& tables, std::size_t bytes_max);

// The tables of a server that has few of them, for its instructions: the first call of an agent can then be a
// query. A thread of its own looks at the columns and follows the registry. Any thread.
class TableList {
 public:
  struct Sources {
    query::Registry& registry;
    query::Tables& tables;
    query::EngineSlot& engines;
    std::shared_future<void> ready;  // Until then the registry does not have all datasets.
  };

  explicit TableList(Sources sources);  // What `sources` names must outlive it.
  TableList(const TableList&) = delete;
  TableList& operator=(const TableList&) = delete;
  ~TableList();

  // Waits until the tables have been looked at for the first time, for at most `bound`.
  void wait(std::chrono::milliseconds bound) const;
  // Empty while nothing is known, and if there are too many tables. Does not wait.
  std::string text() const;

 private:
  struct Entry {
    query::DatasetPtr dataset;
    std::string name;
    std::vector<std::string> columns;
  };

  void run(const std::stop_token& stop);
  std::vector<Entry> look(const std::stop_token& stop) const;

  const Sources sources_;
  mutable Mutex mutex_;
  mutable CondVar changed_;
  std::vector<Entry> entries_ SLUICE_GUARDED_BY(mutex_);
  std::uint64_t change_ SLUICE_GUARDED_BY(mutex_) = 1;  // Grows whenever the registry changes.
  std::uint64_t looked_at_ SLUICE_GUARDED_BY(mutex_) =
      0;  // The change that `entries_` is about; 0: nothing yet.
  std::uint64_t listening_ = 0;
  BackgroundThread thread_;  // Last: it ends before the rest is destroyed.
};

}  // namespace sluice::wiring
