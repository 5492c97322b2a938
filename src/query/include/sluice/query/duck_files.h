#pragma once

#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/engine/source.h"
#include "sluice/fs/file.h"
#include "sluice/fs/root.h"
#include "sluice/query/dataset.h"

namespace sluice::query {

// A table in a DuckDB file.
struct DuckTableName {
  std::string schema;
  std::string table;

  // As a part of a dataset's name: the schema `main` is left out.
  std::string visible() const;
};

// DuckDB files that are open while somebody asks about them, and less than a second longer: programs that
// want to write them wait meanwhile. Each has an engine of its own, which can open nothing else. Any thread.
class DuckFiles {
 public:
  // Of `options`, the folders and the sources do not count.
  DuckFiles(engine::EngineOptions options, std::shared_ptr<engine::Sources> sources);
  DuckFiles(const DuckFiles&) = delete;
  DuckFiles& operator=(const DuckFiles&) = delete;
  ~DuckFiles();

  // An open file. Its tables are in the database `file`.
  class Opened;
  // Fails with `source_busy` if another program has had the file open for writing for two seconds, with
  // `unsupported_file` if it is of another version or encrypted, and with `unreadable_file`.
  Result<std::shared_ptr<Opened>> open(const fs::Root& root, const std::string& path,
                                       const engine::RunLimits& limits);
  static engine::Engine& engine_of(const Opened& opened);

  // The base tables, by schema and name: no views. Does not wait for other programs.
  Result<std::vector<DuckTableName>> list(const fs::Root& root, const std::string& path);

  const std::shared_ptr<engine::Sources>& sources() const { return sources_; }

 private:
  Result<std::shared_ptr<Opened>> open_now(const fs::Root& root, const std::string& path);
  void close_idle(const std::stop_token& stop);

  const engine::EngineOptions options_;
  const std::shared_ptr<engine::Sources> sources_;  // Shared with the engine that reads them.
  struct Known {
    std::shared_ptr<Opened> opened;  // Shared with whoever uses it.
    Monotonic used;                  // When it was last seen in use.
  };
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<fs::FileIdentity, Known> open_;
  std::jthread thread_;  // Last: it ends before the rest goes. Runs while files are open.
};

// A dataset that is a table of a DuckDB file beneath a served folder. Without a name of a table it stands for
// a file that cannot be read now, and only says why. Questions about tables of one file are computed by its
// engine.
DatasetPtr make_duck_table(Dataset::Identity identity, std::shared_ptr<const fs::Root> root,
                           std::shared_ptr<DuckFiles> files, DuckTableName table);

// Whether a dataset is such a table. Its open_together() computes every question over tables of its file,
// with a plan or without, also over one table alone.
bool is_duck_table(const Dataset& dataset);

// What changes when a program writes to the file without closing it: the state of the log beside it. Empty
// where there is none.
std::string duck_log_version(const fs::Root& root, const std::string& path);

}  // namespace sluice::query
