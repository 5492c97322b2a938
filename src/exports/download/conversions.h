#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "sluice/base/background_thread.h"
#include "sluice/base/clock.h"
#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/exports/file_format.h"
#include "sluice/exports/source.h"
#include "sluice/query/snapshot.h"

namespace sluice::exports {

// A file that is being made of a snapshot, in the spool beside it, at the speed of the disk. Several
// downloads may read it while it grows. It is given up when nobody holds it any more. Any thread.
class Conversion {
 public:
  struct Request {
    std::shared_ptr<const RowSource> source;  // Shared with the request that began it.
    query::SnapshotPtr snapshot;
    FileFormat format = FileFormat::kCsv;
    std::uint64_t bytes_max = UINT64_MAX;
  };
  explicit Conversion(Request request);

  const query::SnapshotPtr& snapshot() const { return request_.snapshot; }

  // The whole file, once it is made; null if it is not yet. Waits up to `wait`, or until `stop`.
  Result<query::FilePtr> wait(std::chrono::milliseconds wait, const std::stop_token& stop);
  // The bytes from `offset` on, as many as there are, at most `most`; empty at the end. Waits for some.
  Result<std::string> read(std::uint64_t offset, std::size_t most, const std::stop_token& stop);

 private:
  void run(const std::stop_token& stop);
  Status write(const fs::PrivateFolder& folder, const std::string& name, engine::Engine& engine,
               const engine::RunLimits& limits);

  const Request request_;
  Mutex mutex_;
  CondVar changed_;
  query::FilePtr growing_ SLUICE_GUARDED_BY(mutex_);  // Open as soon as it has bytes. Shared by readers.
  std::uint64_t bytes_ SLUICE_GUARDED_BY(mutex_) = 0;
  std::optional<Result<query::FilePtr>> made_ SLUICE_GUARDED_BY(mutex_);
  BackgroundThread thread_;  // Last: it ends before what it uses is destroyed.
};

// The conversions under way, each once: whoever asks for the same file gets the same one. Any thread.
class Conversions {
 public:
  std::shared_ptr<Conversion> begin(Conversion::Request request);

 private:
  using Key = std::pair<std::string, FileFormat>;  // The handle.
  Mutex mutex_;
  std::map<Key, std::weak_ptr<Conversion>> conversions_ SLUICE_GUARDED_BY(mutex_);
};

// The ending of the file in the spool.
std::string spool_ending(FileFormat format);

}  // namespace sluice::exports
