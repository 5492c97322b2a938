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

class WriteTransaction;

// kConflict, code `version_conflict`.
Error version_conflict(std::int64_t expected, std::int64_t found);

// Whether a holder of the lock is about to change something. A preview leaves nothing behind.
enum class Intent : std::uint8_t { kWrite, kPreview };

// How a data type is made.
struct CreateRequest {
  std::optional<json::Object> schema;  // Content for the schema file. Nothing: there is one already.
  std::string user;
  bool dry_run = false;
};

struct CreatedType {
  bool is_new = false;  // False: the data type exists, and nothing was changed.
  Operation operation;  // Kind "create"; of a data type that exists nothing.
};

// What the data types of a store have in common.
struct StoreDependencies {
  StoreDependencies(std::string folder_path, fs::Root folder_root,
                    std::shared_ptr<engine::Engine> shared_engine, bool is_writable)
      : folder(std::move(folder_path)),
        root(std::move(folder_root)),
        engine(std::move(shared_engine)),
        writable(is_writable) {}

  std::string folder;  // Absolute, links resolved.
  fs::Root root;
  std::shared_ptr<engine::Engine> engine;
  bool writable = false;
  std::atomic<std::uint64_t> kept_bytes{0};  // Of files whose rows are kept in memory.
  // After each commit, with the version that the data type has now. May be empty.
  std::function<void(const std::string& data_type, std::int64_t version)> on_commit;
};

// One data type: its Parquet file and the operations that are not in it yet. Any thread, any number of
// processes.
class DataType {
 public:
  DataType(std::shared_ptr<StoreDependencies> dependencies, std::string name);
  ~DataType();
  DataType(const DataType&) = delete;
  DataType& operator=(const DataType&) = delete;

  const std::string& name() const;
  const fs::Root& root() const;  // Of the store.

  // The records as they are now, with everything that any process has committed.
  Result<View> view(const engine::RunLimits& limits);
  // The same for somebody who only wants to know how many there are: it does not make the file one that is
  // worth keeping in memory.
  Result<View> glance(const engine::RunLimits& limits);

  // What tells one state of the records from every other: equal as long as nothing has changed, also when the
  // file was written anew with the same records. Waits for an operation of this process that is under way.
  std::string fingerprint();

  // Makes the data type from a schema: file, journal and, if one was given, schema file. A failure leaves
  // nothing behind. code `schema_not_found`, `schema_exists`, `empty_schema`, `unknown_type`.
  Result<CreatedType> create(const CreateRequest& request, const engine::RunLimits& limits);
  // Completes what a crash has cut short: a data type whose journal begins and whose file is not in place.
  Status finish_creation();

  // The right to change the records, which one holder has among all processes. `expected_version`: kConflict
  // where the records have another version by now.
  Result<std::unique_ptr<WriteTransaction>> write(const engine::RunLimits& limits,
                                                  std::optional<std::int64_t> expected_version = std::nullopt,
                                                  Intent intent = Intent::kWrite);

  // Writes the operations that wait into the file, in one step that readers do not notice. Others go on
  // writing meanwhile. Nothing where nothing waits.
  Status fold(const engine::RunLimits& limits);

  // Replaces all records by those after the operation with this sequence number, and the schema file by the
  // one that there was. Also where another program has replaced the records' file, which goes to snapshots/.
  Result<Operation> restore(std::int64_t sequence, Operation operation, const engine::RunLimits& limits,
                            std::optional<std::int64_t> expected_version = std::nullopt);

  // The records as they were after that operation, where its snapshot is still there.
  Result<View> view_of(std::int64_t sequence, const engine::RunLimits& limits);

  // Goes on from the file of another program, which has replaced ours: what waited to be written into ours is
  // given up.
  Result<Operation> accept_file(Operation operation, const engine::RunLimits& limits,
                                std::optional<std::int64_t> expected_version = std::nullopt);
  // The records of that file, without going on from it. kConflict, code `not_replaced`, where nobody has
  // replaced ours.
  Result<View> replacement(const engine::RunLimits& limits);

  // The version of the records, or where they cannot be read the number of the last operation.
  Result<std::int64_t> last_version();
  // Whether the schema file was another one after the operation with this sequence number.
  Result<bool> restores_schema(std::int64_t sequence) const;

  // Operations that are not in the file yet.
  std::uint64_t waiting() const;

  class State;

 private:
  friend class WriteTransaction;
  std::unique_ptr<State> state_;
};

// The right to change a data type, for as long as it lives.
class WriteTransaction {
 public:
  ~WriteTransaction();
  WriteTransaction(const WriteTransaction&) = delete;
  WriteTransaction& operator=(const WriteTransaction&) = delete;

  // The records as the operation will find them.
  const View& view() const;
  // Where a new record goes.
  double next_row() const;

  // Makes the operation durable and visible; sequence, time and snapshot are given here. On failure nothing
  // has changed. At most once.
  Result<Operation> commit(Operation operation);

 private:
  friend class DataType;
  WriteTransaction();
  struct LockedType;
  std::unique_ptr<LockedType> locked_;
};

}  // namespace sluice::records
