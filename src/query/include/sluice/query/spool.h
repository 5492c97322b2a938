#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/caller.h"
#include "sluice/base/clock.h"
#include "sluice/base/mutex.h"
#include "sluice/base/principal.h"
#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/fs/private_folder.h"
#include "sluice/query/snapshot.h"

namespace sluice::query {

struct SpoolOptions {
  std::chrono::milliseconds lifetime{20 * 60 * 1000};
  std::uint64_t bytes_max = std::uint64_t{4} << 30U;
  bool is_shared = false;  // Other processes use the same folder: each serves the handles of all.
};

// Keeps results as Parquet files in a folder of its own: for a time, and within a number of bytes and of
// handles. If there are too many, the principal that has most loses its least recently used one. What is
// being written counts; a result that has no room is given up while it is written. Any thread.
class Spool {
 public:
  // `clock` must outlive it.
  Spool(fs::PrivateFolder folder, SpoolOptions options, const Clock& clock);

  const std::string& folder() const { return folder_.path(); }

  struct WriteRequest {
    engine::Statement select;
    std::vector<engine::Field> columns;
    json::Object lineage;  // As that of the snapshot.
    std::string scheme;
    Principal owner;
    PolicyDigest policy;                   // The owner's rules, under which the rows were read.
    std::uint64_t bytes_max = UINT64_MAX;  // Of the file. UINT64_MAX: no bound but that of the spool.
  };
  // Runs the SELECT and keeps its rows. Null: the file would be larger than `bytes_max`; nothing is left of
  // it. With a bound, no results of others are given up for it before it is settled, and it is null if there
  // is no room without that.
  Result<SnapshotPtr> write(engine::Engine& engine, const WriteRequest& request,
                            const engine::RunLimits& limits);

  // One error for a handle that is unknown, expired, evicted, another's, or was made under other rules.
  Result<SnapshotPtr> find(std::string_view id, const Caller& caller, engine::Engine& engine);
  // Whoever owns it: for a caller who has something of the owner's to show, which is checked afterwards.
  Result<SnapshotPtr> find_any(std::string_view id, engine::Engine& engine);

  // Rows from `offset` on, at most `count`, with the types they had; only the first columns where
  // `columns_max` says so. `snapshot` must outlive the statement.
  static engine::Statement page(const Snapshot& snapshot, std::uint64_t offset, std::uint64_t count,
                                std::size_t columns_max = SIZE_MAX);

  // The snapshot for FROM, with the columns as they are stored. It must outlive the statement.
  static std::string relation(const Snapshot& snapshot);

  // Writes a file of that name into the folder.
  using MakeFile = std::function<Status(const fs::PrivateFolder& folder, const std::string& name,
                                        const engine::RunLimits& limits)>;
  // A file that is made of a snapshot, once for each ending. It counts as part of the spool and is removed
  // with the snapshot.
  Result<FilePtr> make_file(const Snapshot& snapshot, std::string_view ending,
                            const engine::RunLimits& limits, const MakeFile& make);
  // The one that was made before; null where there is none.
  FilePtr made_file(const Snapshot& snapshot, std::string_view ending) const;

  // Makes the room that a result needs which was written with a bound, once it is clear that it stays. If
  // there is none, the result is given up.
  Status settle(const Snapshot& snapshot);
  // Gives up a snapshot before its time.
  void remove(const Snapshot& snapshot);

  // The same rows as a Parquet file of their own, at most `bytes_max` bytes.
  Result<std::string> page_as_parquet(engine::Engine& engine, const Snapshot& snapshot, std::uint64_t offset,
                                      std::uint64_t count, std::uint64_t bytes_max,
                                      const engine::RunLimits& limits);

 private:
  struct Kept {
    SnapshotPtr snapshot;
    bool is_ours = true;           // Or that of another process, which alone gives it up before its time.
    std::uint64_t file_bytes = 0;  // Of files made of it, beside its own.
    std::list<std::string>::iterator place;
  };
  using Entries = std::map<std::string, Kept, std::less<>>;

  // A snapshot that another process has written.
  Result<SnapshotPtr> adopt(std::string_view id, engine::Engine& engine) const;
  Status write_card(const Snapshot& snapshot) const;
  void remove_leftovers() const;  // Of processes that ended before they could.
  Result<std::string> read_file(const std::string& name, std::uint64_t bytes_max) const;
  // Notes how large a file is that is being written, and makes room for it. False: there is none.
  bool grow(const std::string& name, const Principal& owner, std::uint64_t bytes, bool may_evict);
  void forget_growth(const std::string& name);
  // Runs `write`, which writes the file of that name, and stops it when the spool has no room. False: it was
  // stopped at `bytes_max`. Unless it is true, nothing is left of the file.
  struct WriteBounds {
    engine::RunLimits limits;
    Principal owner;
    std::uint64_t bytes_max = UINT64_MAX;  // Of this file.

    bool may_evict() const { return bytes_max == UINT64_MAX; }
  };
  Result<bool> write_within(const std::string& name, const WriteBounds& bounds,
                            const std::function<Status(const engine::RunLimits&)>& write);
  void keep(const SnapshotPtr& snapshot, bool is_ours) SLUICE_REQUIRES(mutex_);
  void bound_handles() SLUICE_REQUIRES(mutex_);
  enum class Evicts : std::uint8_t { kAnybody, kWriterOnly };
  // Whether what is kept and what is being written is within the bound, once others made room for `writer`.
  // `kept` is not given up.
  bool make_room(const Principal& writer, std::uint64_t bytes_max, Evicts evicts, std::string_view kept = {})
      SLUICE_REQUIRES(mutex_);
  void drop_expired() SLUICE_REQUIRES(mutex_);
  std::map<Principal, std::uint64_t> bytes_by_owner() const
      SLUICE_REQUIRES(mutex_);  // With what is being written.
  bool drop_oldest_of(const Principal& owner, std::string_view kept)
      SLUICE_REQUIRES(mutex_);  // False: it has no other.
  void drop(Entries::iterator entry) SLUICE_REQUIRES(mutex_);

  const fs::PrivateFolder folder_;
  const SpoolOptions options_;
  const Clock& clock_;
  Mutex mutex_;
  Entries entries_ SLUICE_GUARDED_BY(mutex_);
  std::list<std::string> by_use_ SLUICE_GUARDED_BY(mutex_);  // The least recently used first.
  std::uint64_t bytes_ SLUICE_GUARDED_BY(mutex_) = 0;
  struct Growing {
    Principal owner;
    std::uint64_t bytes = 0;
  };
  std::map<std::string, Growing> growing_ SLUICE_GUARDED_BY(mutex_);  // What is being written, by name.
};

Error unknown_handle();

}  // namespace sluice::query
