#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string_view>

#include "sluice/base/limits.h"
#include "sluice/base/result.h"
#include "sluice/fs/root.h"

namespace sluice::fs {

struct PlainTreeOptions {
  std::function<bool(std::string_view relative_path)> skips;     // True: not looked at, not entered.
  std::function<bool(std::string_view relative_path)> concerns;  // Empty: everything that is not skipped.
  std::uint64_t file_bytes_max = 0;                              // Of files that are of concern. 0: any.
  std::size_t entries_max = kScanEntriesMax;
  std::stop_token stop;
};

// Whether what stands beneath a folder is regular files and folders alone: no links, pipes or devices, before
// a library that opens by name is let in. Looks at names, and at sizes where they are bounded; enters no
// link. Fails with kForbidden at the first that is something else or too large, kLimitReached where there is
// too much, and where a folder cannot be read.
Status check_plain_tree(const Root& root, std::string_view relative_folder,
                        const PlainTreeOptions& options = {});

}  // namespace sluice::fs
