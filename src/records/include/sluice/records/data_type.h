#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/fs/root.h"
#include "sluice/json/value.h"
#include "sluice/records/operation.h"
#include "sluice/records/view.h"

namespace sluice::records {

class Writing;

// What the data types of a store have in common.
struct Ground {
  Ground(std::string folder_path, fs::Root folder_root, std::shared_ptr<engine::Engine> shared_engine,
         bool is_writable)
      : folder(std::move(folder_path)),
        root(std::move(folder_root)),
        engine(std::move(shared_engine)),
        writable(is_writable) {}

  std::string folder;  // Absolute, links resolved.
  fs::Root root;
  std::shared_ptr<engine::Engine> engine;
  bool writable = false;
  std::atomic<std::uint64_t> kept_bytes{0};                     // Of files whose rows are kept in memory.
  std::function<void(const std::string& data_type)> on_commit;  // After each. May be empty.
};

// One data type: its Parquet file and the operations that are not in it yet. Any thread, any number of
// processes.
class DataType {
 public:
  DataType(std::shared_ptr<Ground> ground, std::string name);
  ~DataType();
  DataType(const DataType&) = delete;
  DataType& operator=(const DataType&) = delete;

  const std::string& name() const;
  const fs::Root& root() const;  // Of the store.

  // The records as they are now, with everything that any process has committed.
  Result<View> view(const engine::RunLimits& limits);

  // The right to change the records, which one holder has among all processes. `expected_version`: kConflict
  // where the records have another version by now.
  Result<std::unique_ptr<Writing>> write(const engine::RunLimits& limits,
                                         std::optional<std::int64_t> expected_version = std::nullopt);

  // Writes the operations that wait into the file, in one step that readers do not notice. Others go on
  // writing meanwhile. Nothing where nothing waits.
  Status fold(const engine::RunLimits& limits);

  // Replaces all records by those after the operation with this sequence number. Also where another program
  // has replaced the file, which goes to snapshots/.
  Result<Operation> restore(std::int64_t sequence, Operation operation, const engine::RunLimits& limits);

  // The records as they were after that operation, where its snapshot is still there.
  Result<View> view_of(std::int64_t sequence, const engine::RunLimits& limits);

  // Goes on from the file of another program, which has replaced ours: what waited to be written into ours is
  // given up.
  Result<Operation> accept_file(Operation operation, const engine::RunLimits& limits);

  // The number of the last operation, also where another program has replaced the file.
  Result<std::int64_t> last_version();

  // Operations that are not in the file yet.
  std::uint64_t waiting() const;

  class State;

 private:
  friend class Writing;
  std::unique_ptr<State> state_;
};

// The right to change a data type, for as long as it lives.
class Writing {
 public:
  ~Writing();
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;

  // The records as the operation will find them.
  const View& view() const;
  // Where a new record goes.
  double next_row() const;

  // Makes the operation durable and visible; sequence, time and snapshot are given here. On failure nothing
  // has changed. At most once.
  Result<Operation> commit(Operation operation);

 private:
  friend class DataType;
  Writing();
  struct Held;
  std::unique_ptr<Held> held_;
};

}  // namespace sluice::records
