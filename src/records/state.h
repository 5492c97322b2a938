#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/fs/lock.h"
#include "sluice/records/data_type.h"

#include "journal.h"
#include "overlay.h"

namespace sluice::records {

// What one process knows of a data type, and keeps up with what is on disk.
class DataType::State {
 public:
  State(std::shared_ptr<StoreDependencies> dependencies, std::string name);
  ~State();

  // Everybody who changes the data type holds this, in this process and in others.
  struct Exclusive {
    MovableMutexLock mine;
    fs::FileLock all;
  };
  Result<Exclusive> lock(const engine::RunLimits& limits);

  enum class Reader : std::uint8_t { kRecords, kGlance };
  Result<View> view(const engine::RunLimits& limits, Reader reader);
  std::string fingerprint();

  // For the holder of the lock: makes the journal and the file agree, so that an operation can follow.
  Status prepare(const engine::RunLimits& limits, Intent intent = Intent::kWrite);
  Result<View> prepared_view();
  Result<Operation> commit(Operation operation, const engine::RunLimits& limits);
  Status fold(const engine::RunLimits& limits);
  Result<Operation> restore(std::int64_t sequence, Operation operation, const engine::RunLimits& limits,
                            std::optional<std::int64_t> expected_version);
  Result<Operation> accept_file(Operation operation, const engine::RunLimits& limits,
                                std::optional<std::int64_t> expected_version);
  Result<View> replacement(const engine::RunLimits& limits);
  Result<CreatedType> create(const CreateRequest& request, const engine::RunLimits& limits);
  Status finish_creation();
  Result<std::int64_t> last_version() const;
  // The version of the records as a read shows it, or the journal's where they cannot be read.
  Result<std::int64_t> current_version(const engine::RunLimits& limits);
  // The schema file as it was after that operation, as operations carry it. Nothing: as it is now.
  Result<std::optional<std::string>> schema_at(std::int64_t sequence) const;
  Result<View> view_of(std::int64_t sequence, const engine::RunLimits& limits);

  std::uint64_t waiting();
  double next_row();
  const std::string& name() const { return name_; }
  const fs::Root& root() const { return dependencies_->root; }

 private:
  struct Lines {
    std::optional<Checkpoint> checkpoint;  // The last one, if there was one.
    std::vector<Operation> operations;     // Behind it.
  };

  Status refresh(const engine::RunLimits& limits) SLUICE_REQUIRES(mutex_);
  Status reload(const engine::RunLimits& limits) SLUICE_REQUIRES(mutex_);
  Result<Lines> new_lines() SLUICE_REQUIRES(mutex_);
  Status follow(Lines lines, const engine::RunLimits& limits) SLUICE_REQUIRES(mutex_);
  Status begin_with(Checkpoint checkpoint, const std::vector<Operation>& operations,
                    const engine::RunLimits& limits) SLUICE_REQUIRES(mutex_);
  Result<std::shared_ptr<const BaseFile>> file_of(const Checkpoint& checkpoint, bool has_operations,
                                                  const engine::RunLimits& limits) SLUICE_REQUIRES(mutex_);
  void start_from(std::shared_ptr<const BaseFile> base, std::int64_t sequence) SLUICE_REQUIRES(mutex_);
  Status check_file(const engine::RunLimits& limits) SLUICE_REQUIRES(mutex_);
  Status open_first(const engine::RunLimits& limits) SLUICE_REQUIRES(mutex_);
  bool is_move_due() const SLUICE_REQUIRES(mutex_);  // The new file has not taken the old one's place.
  Status finish_move(const engine::RunLimits& limits) SLUICE_REQUIRES(mutex_);
  Result<std::string> need_snapshot() SLUICE_REQUIRES(mutex_);
  Result<std::string> make_snapshot(std::int64_t sequence) const;
  View make_view(const OverlayState& records) const SLUICE_REQUIRES(mutex_);
  View current_view() const SLUICE_REQUIRES(mutex_);
  const engine::Field* id_field() const SLUICE_REQUIRES(mutex_);
  void note(const Operation& operation) SLUICE_REQUIRES(mutex_);
  void keep_if_small() SLUICE_REQUIRES(mutex_);
  void release_kept() SLUICE_REQUIRES(mutex_);
  Error replaced() const;

  // What a data type is made from, found out before anything is written.
  struct Creation {
    bool exists = false;
    bool writes_schema = false;
    json::Object schema;
    std::vector<NewColumn> columns;
  };
  Result<Creation> plan_creation(const CreateRequest& request) const;
  Status write_creation(const Creation& plan, Operation& operation, const engine::RunLimits& limits);

  // For the holder of the lock.
  Status complete_creation();
  Status apply_schema(const Operation& operation) const;
  Status redo_schema() SLUICE_REQUIRES(mutex_);
  Status restore_schema(std::int64_t sequence, Operation& operation) const;
  Result<std::int64_t> last_id_before_restore(const engine::RunLimits& limits) const SLUICE_REQUIRES(mutex_);
  Status install(Checkpoint checkpoint, const engine::RunLimits& limits);
  Result<BaseFile> write_next(const std::string& file, const std::string& select,
                              const engine::RunLimits& limits);
  Status add_checkpoint(const Checkpoint& checkpoint) SLUICE_REQUIRES(mutex_);
  Status remove_leftovers();
  Status keep_foreign();
  Result<OverlayState> state_after(std::int64_t sequence, const engine::RunLimits& limits);

  std::string journal_path(std::string_view file) const {
    return journal_.folder() + "/" + std::string(file);
  }

  const std::shared_ptr<StoreDependencies> dependencies_;
  const std::string name_;
  const std::string path_;
  const Journal journal_;

  Mutex writing_;  // Before mutex_.
  Mutex folding_;  // Before writing_.
  Mutex mutex_;
  JournalPlace place_ SLUICE_GUARDED_BY(mutex_);
  Checkpoint checkpoint_ SLUICE_GUARDED_BY(mutex_);  // The last one; its carried rows are not kept.
  std::unique_ptr<OverlayState> records_
      SLUICE_GUARDED_BY(mutex_);  // Null until the first use, and where they must be read again.
  bool is_adopted_ SLUICE_GUARDED_BY(mutex_) =
      false;  // The file is another program's, and the journal does not know it yet.
  bool is_rewritable_ SLUICE_GUARDED_BY(mutex_) = false;  // The file's columns can be written back.
  std::string snapshot_
      SLUICE_GUARDED_BY(mutex_);                  // Of the file as it is; "" until the first operation on it.
  unsigned views_ SLUICE_GUARDED_BY(mutex_) = 0;  // Of the file as it is.
  bool is_popular_ SLUICE_GUARDED_BY(mutex_) =
      false;  // The file before was kept in memory: so will be the next.
  std::uint64_t kept_bytes_ SLUICE_GUARDED_BY(mutex_) = 0;  // What of the shared total is this data type's.
  fs::FileStatus seen_ SLUICE_GUARDED_BY(mutex_);           // What the file's place was last found to hold.
  std::optional<Operation> schema_change_
      SLUICE_GUARDED_BY(mutex_);                        // The last one; the schema file may not have it yet.
  std::int64_t last_id_ SLUICE_GUARDED_BY(mutex_) = 0;  // As View has it.
};

Error not_replaced();
std::string now_text();            // UTC with microseconds.
Error storage_error(Error error);  // With a code and a hint where it has none.

}  // namespace sluice::records
