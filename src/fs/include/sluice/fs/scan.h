#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/limits.h"
#include "sluice/base/result.h"
#include "sluice/fs/root.h"

namespace sluice::fs {

struct ScanOptions {
  std::size_t entries_max = kScanEntriesMax;
  std::function<bool(std::string_view relative_path)>
      skips;  // True: leave out, and do not enter. May be empty.
  std::stop_token stop;
};

struct ScannedEntry {
  std::string path;  // Relative to the root.
  Entry entry;
};

struct Scan {
  std::vector<ScannedEntry> entries;  // Files and folders, by path, byte by byte.
  bool truncated = false;             // A bound was reached: some are missing.
};

// Everything beneath a folder. Linked folders are listed, not entered; what vanishes or cannot be read
// meanwhile is left out.
Result<Scan> scan(const Root& root, std::string_view relative_folder, const ScanOptions& options = {});

}  // namespace sluice::fs
