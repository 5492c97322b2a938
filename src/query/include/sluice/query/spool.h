#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/base/principal.h"
#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/fs/private_folder.h"

namespace sluice::query {

struct SpoolOptions {
  std::chrono::milliseconds lifetime{20 * 60 * 1000};
  std::uint64_t bytes_max = std::uint64_t{4} << 30U;
  bool is_shared = false;  // Other processes use the same folder: each serves the handles of all.
};

// Where the pages of a snapshot begin, as far as anybody has read. Any thread.
class PageStarts {
 public:
  std::size_t known() const;  // Pages 0 … known() - 1.
  std::optional<std::uint64_t> start(std::uint64_t page) const;
  void add(std::uint64_t page, std::uint64_t start);  // Kept if it is the next one.

 private:
  mutable std::mutex mutex_;
  std::vector<std::uint64_t> starts_{0};
};

// A result that was written once: pages, files and downloads are views of it. Immutable.
struct Snapshot {
  std::string id;      // 128 random bits.
  std::string scheme;  // Of its URIs.
  Principal owner;
  std::vector<engine::Field> columns;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;  // On disk.
  Monotonic expires;
  fs::File file;  // Open as long as anybody reads it, evicted or not.
  std::unique_ptr<PageStarts> pages = std::make_unique<PageStarts>();
};

using SnapshotPtr = std::shared_ptr<const Snapshot>;  // The spool until it evicts, and calls that read.

// Keeps results as Parquet files in a folder of its own: for a time, and within a number of bytes, of which
// the least recently used go first. What is being written counts; a result that has no room is given up while
// it is written. Any thread.
class Spool {
 public:
  // `clock` must outlive it.
  Spool(fs::PrivateFolder folder, SpoolOptions options, const Clock& clock);

  const std::string& folder() const { return folder_.path(); }

  struct Writing {
    engine::Statement select;
    std::vector<engine::Field> columns;
    std::string scheme;
    Principal owner;
  };
  // Runs the SELECT and keeps its rows.
  Result<SnapshotPtr> write(engine::Engine& engine, const Writing& writing, const engine::RunLimits& limits);

  // One error for a handle that is unknown, expired, evicted or another's.
  Result<SnapshotPtr> find(std::string_view id, const Principal& caller, engine::Engine& engine);

  // Rows from `offset` on, at most `count`, with the types they had; only the first columns where
  // `columns_max` says so. `snapshot` must outlive the statement.
  static engine::Statement page(const Snapshot& snapshot, std::uint64_t offset, std::uint64_t count,
                                std::size_t columns_max = SIZE_MAX);

  // The same rows as a Parquet file of their own, at most `bytes_max` bytes.
  Result<std::string> page_as_parquet(engine::Engine& engine, const Snapshot& snapshot, std::uint64_t offset,
                                      std::uint64_t count, std::uint64_t bytes_max,
                                      const engine::RunLimits& limits);

 private:
  struct Kept {
    SnapshotPtr snapshot;
    bool is_ours = true;  // Or that of another process, which alone gives it up before its time.
    std::list<std::string>::iterator place;
  };
  using Entries = std::map<std::string, Kept, std::less<>>;

  // A snapshot that another process has written.
  Result<SnapshotPtr> adopt(std::string_view id, engine::Engine& engine) const;
  Status write_card(const Snapshot& snapshot) const;
  void remove_leftovers() const;  // Of processes that ended before they could.
  Result<std::string> read_file(const std::string& name, std::uint64_t bytes_max) const;
  // Notes how large a file is that is being written, and makes room for it. False: there is none.
  bool grow(const std::string& id, std::uint64_t bytes);
  void forget_growth(const std::string& id);
  Result<std::uint64_t> copy(engine::Engine& engine, const engine::Statement& statement,
                             const std::string& id, const engine::RunLimits& limits);
  // With the lock held:
  void keep(const SnapshotPtr& snapshot, bool is_ours);
  bool make_room();  // Whether what is kept and what is being written is within the bound.
  void drop(Entries::iterator entry);

  const fs::PrivateFolder folder_;
  const SpoolOptions options_;
  const Clock& clock_;
  std::mutex mutex_;
  Entries entries_;
  std::list<std::string> by_use_;  // The least recently used first.
  std::uint64_t bytes_ = 0;
  std::map<std::string, std::uint64_t> growing_;  // What is being written, by id.
};

Error unknown_handle();

}  // namespace sluice::query
