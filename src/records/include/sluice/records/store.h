#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/json/value.h"
#include "sluice/records/audit.h"
#include "sluice/records/data_type.h"

namespace sluice::records {

struct Retention {
  std::size_t snapshots_max = 100;         // Of one data type; the oldest go first.
  std::chrono::milliseconds audit_age{0};  // Older operations are forgotten; 0: never.
};

struct StoreOptions {
  std::string path;
  std::string exchange_path;  // A folder for files that are imported and exported. Empty: none.
  std::uint64_t export_bytes_max = std::uint64_t{1} << 30U;  // Of one exported file.
  bool writable = false;
  std::chrono::milliseconds fold_after{500};  // Without a write, until what waits is written into the file.
  Retention retention;
  std::uint64_t memory_bytes_max = std::uint64_t{1} << 30U;
  std::string scratch_folder;  // Absolute; where large sorts and groupings spill. Empty: nowhere.
  std::uint64_t scratch_bytes_max = std::uint64_t{1} << 30U;
  unsigned threads = 2;
};

// What has changed in a store: the records or the schema of a data type, or a file that belongs to none.
struct StoreChange {
  std::string data_type;
  std::string file;           // Its path, where `data_type` is empty.
  bool changes_list = false;  // The file has come or gone.
};
using StoreListener = std::function<void(const StoreChange&)>;

// A folder of data types: <type>/<type>.parquet, schemas/<type>_schema.json, snapshots/, logs/, and _journal/
// for the operations. Any thread; any number of processes may have the same folder open.
class Store {
 public:
  static Result<std::unique_ptr<Store>> open(const StoreOptions& options);
  ~Store();  // Writes what waits into the files.
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  bool is_writable() const;
  const fs::Root& root() const;
  const std::string& folder() const;  // Absolute; never for a caller's eyes.
  std::shared_ptr<engine::Engine> engine() const;
  // The folder for imports and exports; null where there is none. Its path is absolute, and for the engine
  // only.
  const fs::Root* exchange() const;
  const std::string& exchange_folder() const;
  std::uint64_t export_bytes_max() const;  // Of one exported file.

  // Folders that hold a file of their own name, by name.
  Result<std::vector<std::string>> data_types() const;
  // kNotFound, "Parquet file not found: tasks/tasks.parquet", where there is no such file.
  Result<std::shared_ptr<DataType>> find(std::string_view name);

  // Makes an empty data type; see DataType::create.
  Result<CreatedType> create(std::string_view name, const CreateRequest& request,
                             const engine::RunLimits& limits);

  // Called once after each change, whoever made it. Before the first use.
  std::uint64_t listen(StoreListener listener);
  // Waits for a call that is under way: nothing is told once this returns. Not from within a listener.
  void unlisten(std::uint64_t id);

  // What was changed, newest first: by this program, and before it by another that kept a log in the same
  // folder.
  Result<AuditPage> audit(const AuditQuery& query, const engine::RunLimits& limits) const;

  // An operation by its id, of this program or of the other one; see find_operation.
  Result<FoundOperation> find_operation(std::string_view id, const engine::RunLimits& limits) const;

  // Folds everything now.
  Status fold_all();

 private:
  class Body;
  explicit Store(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace sluice::records
