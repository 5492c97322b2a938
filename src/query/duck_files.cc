#include "sluice/query/duck_files.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/crypto/random.h"
#include "sluice/engine/duckdb.h"
#include "sluice/fs/file.h"
#include "sluice/query/rows_reader.h"

namespace sluice::query {

namespace {

constexpr std::chrono::milliseconds kBusyTime{2'000};
constexpr std::chrono::milliseconds kBusyPause{50};
constexpr std::chrono::milliseconds kIdleTime{400};
constexpr std::chrono::milliseconds kIdleLook{200};
constexpr std::chrono::seconds kDuckListTimeout{10};
constexpr std::size_t kDuckTablesMax = 10'000;
constexpr std::uint64_t kMemoryPart = 2;  // Of what all statements may have, for those of one file.
constexpr std::string_view kLogSuffix = ".wal";

}  // namespace

std::string DuckTableName::visible() const {
  std::string out;
  for (const char c : encode_controls(schema == "main" ? table : schema + "." + table)) {
    if (c == '/') {
      out += "%2F";
    } else {
      out += c;
    }
  }
  return out.find_first_not_of(". ") == std::string::npos ? "table" + out : out;
}

// The file is kept open as long as its engine: closing any descriptor of a file gives up all locks that the
// process has on it.
class DuckFiles::Opened {
 public:
  Opened(fs::File file, std::unique_ptr<engine::Engine> engine)
      : file_(std::move(file)), engine_(std::move(engine)) {}
  engine::Engine& engine() const { return *engine_; }

 private:
  const fs::File file_;
  const std::unique_ptr<engine::Engine> engine_;
};

engine::Engine& DuckFiles::engine_of(const Opened& opened) { return opened.engine(); }

DuckFiles::DuckFiles(engine::EngineOptions options, std::shared_ptr<engine::Sources> sources)
    : options_([&] {
        options.folders.clear();
        options.sources.reset();
        options.memory_bytes_max /= kMemoryPart;
        return std::move(options);
      }()),
      sources_(std::move(sources)) {}

DuckFiles::~DuckFiles() = default;

Result<std::shared_ptr<DuckFiles::Opened>> DuckFiles::open_now(const fs::Root& root,
                                                               const std::string& path) {
  const auto is_gone = [&] {
    return conflict("read dataset: its file is gone, or is no file that may be read: " + excerpt(path))
        .with_code("dataset_changed")
        .with_hint("Ask again in a moment; the catalog lists what there is now.");
  };
  const std::lock_guard lock(mutex_);
  // A file that is open is not opened again: closing that descriptor would give up the lock of the other one.
  const Result<fs::Entry> entry = root.stat(path);
  if (!entry.ok() || entry->kind != fs::EntryKind::kFile) return is_gone();
  const fs::FileIdentity identity = entry->identity;
  if (const auto known = open_.find(identity); known != open_.end()) {
    known->second.used = system_clock().now();
    if (!known->second.opened->engine().is_broken()) return known->second.opened;
    open_.erase(known);
  }
  Result<fs::File> file = root.open_beneath(path);
  if (!file.ok()) return is_gone();
  SLUICE_TRY(const fs::FileStatus status, file->status());
  if (status.identity != identity) return is_gone();
  // Two engines would call their files in one scratch folder the same.
  engine::EngineOptions options = options_;
  if (!options.scratch_folder.empty()) options.scratch_folder += "-" + crypto::random_token();
  SLUICE_TRY(std::unique_ptr<engine::Engine> engine,
             engine::open_duckdb(options, fmt::format("/proc/self/fd/{}", file->descriptor())));
  auto opened = std::make_shared<Opened>(*std::move(file), std::move(engine));
  open_.emplace(identity, Known{.opened = opened, .used = system_clock().now()});
  if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { close_idle(stop); });
  changed_.notify_all();
  return opened;
}

Result<std::shared_ptr<DuckFiles::Opened>> DuckFiles::open(const fs::Root& root, const std::string& path,
                                                           const engine::RunLimits& limits) {
  const Monotonic last = std::min(limits.deadline, system_clock().now() + kBusyTime);
  while (true) {
    Result<std::shared_ptr<Opened>> opened = open_now(root, path);
    const bool is_busy = !opened.ok() && opened.error().code == "source_busy";
    if (!is_busy || system_clock().now() + kBusyPause > last) return opened;
    if (limits.stop.stop_requested()) return cancelled();
    std::this_thread::sleep_for(kBusyPause);
  }
}

void DuckFiles::close_idle(const std::stop_token& stop) {
  while (true) {
    std::vector<std::shared_ptr<Opened>> closed;  // Outside of the lock.
    std::unique_lock lock(mutex_);
    if (open_.empty()) {
      if (!changed_.wait(lock, stop, [this] { return !open_.empty(); })) return;
    } else {
      changed_.wait_for(lock, stop, kIdleLook, [] { return false; });
    }
    if (stop.stop_requested()) return;
    const Monotonic now = system_clock().now();
    for (auto each = open_.begin(); each != open_.end();) {
      Known& known = each->second;
      if (known.opened.use_count() > 1) known.used = now;
      if (now - known.used < kIdleTime) {
        ++each;
        continue;
      }
      closed.push_back(std::move(known.opened));
      each = open_.erase(each);
    }
    lock.unlock();
  }
}

Result<std::vector<DuckTableName>> DuckFiles::list(const fs::Root& root, const std::string& path) {
  const engine::RunLimits limits{.deadline = system_clock().now() + kDuckListTimeout, .stop = {}};
  SLUICE_TRY(const std::shared_ptr<Opened> opened, open_now(root, path));
  SLUICE_TRY(
      std::vector<TextRow> rows,
      read_rows(opened->engine(),
                {.sql = "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'file' "
                        "AND NOT internal AND NOT temporary ORDER BY ALL",
                 .parameters = {}},
                limits, kDuckTablesMax));
  std::vector<DuckTableName> out;
  for (TextRow& row : rows) out.push_back({.schema = std::move(row[0]), .table = std::move(row[1])});
  return out;
}

std::string duck_log_version(const fs::Root& root, const std::string& path) {
  const Result<fs::Entry> log = root.stat(path + std::string(kLogSuffix));
  if (!log.ok() || log->kind != fs::EntryKind::kFile) return "";
  const auto modified =
      std::chrono::duration_cast<std::chrono::nanoseconds>(log->modified.time_since_epoch()).count();
  return fmt::format("{:x}-{:x}-{:x}", log->identity.inode, log->bytes, modified);
}

}  // namespace sluice::query
