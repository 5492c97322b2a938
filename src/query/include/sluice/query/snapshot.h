#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/caller.h"
#include "sluice/base/clock.h"
#include "sluice/base/mutex.h"
#include "sluice/engine/type.h"
#include "sluice/fs/file.h"
#include "sluice/json/value.h"
#include "sluice/query/format.h"

namespace sluice::query {

// Where the pages of a snapshot begin, as far as anybody has read. Any thread.
class PageStarts {
 public:
  std::size_t known() const;  // Pages 0 … known() - 1.
  std::optional<std::uint64_t> start(std::uint64_t page) const;
  void add(std::uint64_t page, std::uint64_t start);  // Kept if it is the next one.

 private:
  mutable Mutex mutex_;
  std::vector<std::uint64_t> starts_ SLUICE_GUARDED_BY(mutex_){0};
};

// The names of files that were made of a snapshot, by their ending. Any thread.
class MadeFiles {
 public:
  std::optional<std::string> find(std::string_view ending) const;
  bool add(std::string_view ending, const std::string& name);  // False: there is one already.
  std::vector<std::string> names() const;

 private:
  mutable Mutex mutex_;
  std::map<std::string, std::string, std::less<>> names_ SLUICE_GUARDED_BY(mutex_);
};

using FilePtr = std::shared_ptr<const fs::File>;  // Snapshots, and calls that read.

// A result that was written once: pages, files and downloads are views of it. Immutable.
struct Snapshot {
  std::string id;      // 128 random bits.
  std::string scheme;  // Of its URIs.
  Principal owner;
  PolicyDigest policy;  // Of the owner's rules when it was made.
  std::vector<engine::Field> columns;
  json::Object lineage;  // Of its columns, see lineage_json(). Empty if it is not known.
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;  // On disk.
  Monotonic expires;
  FilePtr file;  // Open as long as anybody reads it, evicted or not.
  // Of the pages in each format: they are as long as fits, so they begin at other rows.
  std::unique_ptr<std::array<PageStarts, kFormats>> pages =
      std::make_unique<std::array<PageStarts, kFormats>>();
  std::unique_ptr<MadeFiles> files = std::make_unique<MadeFiles>();

  PageStarts& pages_of(Format format) const { return (*pages)[static_cast<std::size_t>(format)]; }
};

using SnapshotPtr = std::shared_ptr<const Snapshot>;  // The spool until it evicts, and calls that read.

}  // namespace sluice::query
