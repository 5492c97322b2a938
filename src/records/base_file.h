#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/fs/root.h"

namespace sluice::records {

// Which content a Parquet file has: its size and a digest of its footer, which lists the place and size of
// every column chunk, and in a file of ours a mark that no other file has. Kept when the file is copied,
// moved or linked.
struct BaseId {
  std::uint64_t bytes = 0;
  std::string digest;

  friend bool operator==(const BaseId&, const BaseId&) = default;
};

// A Parquet file that is open: whoever replaces it, its bytes stay.
struct BaseFile {
  std::unique_ptr<fs::File> file;
  fs::FileStatus status;
  BaseId id;
  std::uint64_t rows = 0;
  std::vector<engine::Field> columns;

  std::string engine_path() const;  // What the engine opens it by.
};

// code `unreadable_file` for what is not Parquet.
Result<BaseFile> open_base(const fs::Root& root, const std::string& path, engine::Engine& engine,
                           const engine::RunLimits& limits);

// Whether the engine writes every column of the file as it found it: name, physical type and meaning. What it
// would change is kUnsupported, code `unsupported_columns`. `trial_path` is where it may write, absolute.
Status check_rewritable(const BaseFile& base, engine::Engine& engine, const std::string& trial_path,
                        const engine::RunLimits& limits);

}  // namespace sluice::records
