#include "sluice/records/store.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/log.h"
#include "sluice/engine/sql.h"
#include "sluice/fs/file_moves.h"
#include "sluice/fs/lock.h"
#include "sluice/fs/watch.h"
#include "sluice/records/audit.h"
#include "sluice/records/functions.h"
#include "sluice/records/name.h"
#include "sluice/records/schema_file.h"

#include "audit_export.h"
#include "retention.h"

namespace sluice::records {

namespace {

// "tasks" of tasks/tasks.parquet, _journal/tasks/00000001.log and schemas/tasks_schema.json; "" of others.
std::string data_type_of(std::string_view path) {
  constexpr std::string_view kJournal = "_journal/";
  constexpr std::string_view kSchemas = "schemas/";
  constexpr std::string_view kSchemaEnding = "_schema.json";
  if (path.starts_with(kJournal)) {
    path.remove_prefix(kJournal.size());
    return path.ends_with(".log") ? std::string(path.substr(0, path.find('/'))) : std::string();
  }
  if (path.starts_with(kSchemas) && path.ends_with(kSchemaEnding)) {
    path.remove_prefix(kSchemas.size());
    return std::string(path.substr(0, path.size() - kSchemaEnding.size()));
  }
  const std::string_view folder = path.substr(0, path.find('/'));
  return path == file_path(folder) ? std::string(folder) : std::string();
}

constexpr std::chrono::seconds kExportInterval{30};
constexpr int kFoldsDelayed =
    20;  // For so many times the usual delay writes may go on before they are folded.

bool is_unwatched(std::string_view path) {
  return path.starts_with("snapshots") || path.starts_with("logs") || path.starts_with("embeddings");
}

}  // namespace

class Store::Body {
 public:
  static Result<std::unique_ptr<Body>> open(const StoreOptions& options) {
    std::error_code reason;
    std::string folder = std::filesystem::canonical(options.path, reason).string();
    if (reason)
      return not_found("open the records' folder: " + reason.message()).with_code("folder_not_found");
    SLUICE_TRY(fs::Root root, fs::Root::open(folder));
    // Files are opened beneath the root and given to the engine by their descriptor, also when another has
    // taken their name meanwhile. No text of a caller is ever a statement on this engine.
    engine::EngineOptions engine_options{
        .folders = {folder, std::filesystem::canonical("/proc/self/fd", reason).string()},
        .scratch_folder = {},
        .memory_bytes_max = options.memory_bytes_max,
        .threads = options.threads,
        .pair_functions = engine_functions()};
    SLUICE_TRY(std::unique_ptr<engine::Engine> engine, engine::open_duckdb(engine_options));
    auto body = std::unique_ptr<Body>(new Body(options));
    body->ground_ =
        std::make_shared<Ground>(std::move(folder), std::move(root), std::move(engine), options.writable);
    body->ground_->on_commit = [self = body.get()](const std::string& name) { self->committed(name); };
    if (options.writable) {
      body->resume();
      body->folding_ =
          std::jthread([self = body.get()](std::stop_token stop) { self->fold_when_quiet(std::move(stop)); });
    }
    return body;
  }

  ~Body() {
    watcher_.reset();
    folding_ = {};
    if (const Status status = fold_all(); !status.ok())
      log::error("records.fold", {{"error", status.error().message}, {"code", status.error().code}});
    if (has_written_) export_log({});
  }

  const Ground& ground() const { return *ground_; }

  Result<std::vector<std::string>> data_types() const {
    std::vector<std::string> out;
    SLUICE_TRY(const fs::Listing listing, ground_->root.list(""));
    for (const fs::Entry& entry : listing.entries) {
      if (entry.kind != fs::EntryKind::kFolder || !check_data_type(entry.name).ok()) continue;
      const Result<fs::Entry> file = ground_->root.stat(file_path(entry.name));
      if (file.ok() && file->kind == fs::EntryKind::kFile) out.push_back(entry.name);
    }
    return out;
  }

  Result<std::shared_ptr<DataType>> find(std::string_view name) {
    SLUICE_CHECK(check_data_type(name));
    const std::lock_guard guard(mutex_);
    const auto known = types_.find(name);
    if (known != types_.end()) return known->second;
    const Result<fs::Entry> file = ground_->root.stat(file_path(name));
    if (!file.ok() || file->kind != fs::EntryKind::kFile) {
      return not_found("Parquet file not found: " + file_path(name))
          .with_code("data_type_not_found")
          .with_hint("list_data_types lists what there is.");
    }
    auto type = std::make_shared<DataType>(ground_, std::string(name));
    types_.emplace(std::string(name), type);
    return type;
  }

  Result<bool> create(std::string_view name, const engine::RunLimits& limits) {
    SLUICE_CHECK(check_data_type(name));
    if (!ground_->writable)
      return forbidden("create data type: the store is read-only").with_code("read_only");
    if (ground_->root.stat(file_path(name)).ok()) return false;
    SLUICE_TRY(const std::optional<SchemaFile> schema, read_schema_file(ground_->root, name));
    const json::Object* fields = schema ? schema->fields() : nullptr;
    if (fields == nullptr || fields->empty()) {
      return not_found(fmt::format("Schema not found for data type: {}", name))
          .with_code("schema_not_found")
          .with_hint("Give `schema`: {\"title\": \"string\", \"due_date\": \"date\"}.");
    }
    std::string columns;
    for (const json::Member& field : *fields) {
      const std::string type = sql_type_of(schema->declared(field.key)).value_or("VARCHAR");
      columns += fmt::format("{}CAST(NULL AS {}) AS {}", columns.empty() ? "" : ", ", type,
                             engine::quote_name(field.key));
    }
    SLUICE_CHECK(fs::make_folder(ground_->root, name));
    const std::string next = fmt::format("{}/.sluice-new.tmp", name);
    const std::string target = engine::quote_text(ground_->folder + "/" + next);
    SLUICE_CHECK(ground_->engine->execute(
        {.sql = fmt::format("COPY (SELECT {} LIMIT 0) TO {} (FORMAT parquet)", columns, target),
         .parameters = {}},
        limits));
    SLUICE_CHECK(fs::sync_file(ground_->root, next));
    SLUICE_CHECK(fs::move_file(ground_->root, next, file_path(name)));
    return true;
  }

  std::uint64_t listen(std::function<void(const std::string&)> listener) {
    const std::lock_guard guard(listeners_mutex_);
    listeners_.emplace(++listened_, std::move(listener));
    if (!watcher_) watch();
    return listened_;
  }

  void unlisten(std::uint64_t id) {
    const std::lock_guard guard(listeners_mutex_);
    listeners_.erase(id);
  }

  Status fold_all() {
    Status first;
    for (const auto& type : all_types()) {
      if (const Status status = fold(*type, {}); !status.ok() && first.ok()) first = status;
    }
    return first;
  }

 private:
  explicit Body(const StoreOptions& options) : options_(options) {}

  // And forgets what is kept no longer.
  Status fold(DataType& type, const engine::RunLimits& limits) {
    SLUICE_CHECK(type.fold(limits));
    if (!ground_->writable) return {};
    return apply_retention(ground_->root, type.name(), options_.retention, system_clock().wall());
  }

  std::vector<std::shared_ptr<DataType>> all_types() {
    const std::lock_guard guard(mutex_);
    std::vector<std::shared_ptr<DataType>> out;
    for (const auto& [name, type] : types_) out.push_back(type);
    return out;
  }

  // With the lock of the listeners held.
  void watch() {
    fs::WatchOptions options;
    options.skips = is_unwatched;
    Result<std::unique_ptr<fs::Watcher>> watcher = fs::Watcher::start(
        ground_->root, options, [this](const std::vector<fs::Change>& changes) { noticed(changes); });
    if (watcher.ok()) {
      watcher_ = *std::move(watcher);
    } else {
      log::warning("records.watch", {{"error", watcher.error().message}});
    }
  }

  void tell(const std::string& name) {
    const std::lock_guard guard(listeners_mutex_);
    for (const auto& [id, listener] : listeners_) listener(name);
  }

  // What an earlier process has left waiting is written into the files soon.
  void resume() {
    const Result<std::vector<std::string>> names = journaled_types(ground_->root);
    if (!names.ok()) return;
    const Monotonic soon = system_clock().now() + options_.fold_after;
    for (const std::string& name : *names) {
      if (find(name).ok()) due_.try_emplace(name, Due{.at = soon, .at_last = soon});
    }
  }

  void committed(const std::string& name) {
    has_written_ = true;
    {
      const std::lock_guard guard(mutex_);
      const Monotonic now = system_clock().now();
      Due& due = due_.try_emplace(name, Due{.at = now, .at_last = now + kFoldsDelayed * options_.fold_after})
                     .first->second;
      due.at = std::min(now + options_.fold_after, due.at_last);
    }
    changed_.notify_all();
    tell(name);
  }

  void noticed(const std::vector<fs::Change>& changes) {
    std::set<std::string> names;
    for (const fs::Change& change : changes) {
      std::string name = data_type_of(change.path);
      if (!name.empty()) names.insert(std::move(name));
    }
    for (const std::string& name : names) tell(name);
  }

  void fold_when_quiet(std::stop_token stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      Monotonic next = Monotonic::max();
      std::string ripe;
      const Monotonic now = system_clock().now();
      for (const auto& [name, due] : due_) {
        if (due.at <= now) ripe = name;
        next = std::min(next, due.at);
      }
      if (ripe.empty()) {
        if (next == Monotonic::max()) {
          changed_.wait(lock, stop, [&] { return !due_.empty(); });
        } else {
          changed_.wait_until(lock, stop, next, [] { return false; });  // No new one is due before it.
        }
        continue;
      }
      due_.erase(ripe);
      const auto type = types_.find(ripe);
      if (type == types_.end()) continue;
      const std::shared_ptr<DataType> folded = type->second;
      lock.unlock();
      const Status status = fold(*folded, {.deadline = Monotonic::max(), .stop = stop});
      if (status.ok()) export_now_and_then(stop);
      lock.lock();
      if (!status.ok() && !stop.stop_requested()) {
        log::warning("records.fold",
                     {{"data_type", ripe}, {"error", status.error().message}, {"code", status.error().code}});
        const Monotonic later = system_clock().now() + kFoldsDelayed * options_.fold_after;
        due_.try_emplace(ripe, Due{.at = later, .at_last = later});
      }
    }
  }

  // The log of all operations is written whole, so the longer that takes the less often it is done.
  void export_now_and_then(const std::stop_token& stop) {
    const Monotonic begin = system_clock().now();
    if (begin < next_export_) return;
    export_log({.deadline = Monotonic::max(), .stop = stop});
    const Monotonic end = system_clock().now();
    next_export_ = end + std::max<Monotonic::duration>(kExportInterval, 50 * (end - begin));
  }

  void export_log(const engine::RunLimits& limits) {
    const Result<fs::FileLock> lock =
        fs::FileLock::take(ground_->root, "_journal/export.lock", Monotonic::min());
    if (!lock.ok()) return;  // Another process does it.
    const Result<std::vector<std::string>> types = journaled_types(ground_->root);
    const Status status =
        types.ok() ? export_audit_log(ground_->root, ground_->folder, *ground_->engine, *types, limits)
                   : Status(types.error());
    if (!status.ok() && !limits.stop.stop_requested())
      log::warning("records.export", {{"error", status.error().message}, {"code", status.error().code}});
  }

  const StoreOptions options_;
  std::shared_ptr<Ground> ground_;
  Monotonic next_export_;  // Of the thread below.
  std::atomic<bool> has_written_{false};
  std::mutex listeners_mutex_;  // Held while they run.
  std::uint64_t listened_ = 0;
  std::map<std::uint64_t, std::function<void(const std::string&)>> listeners_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, std::shared_ptr<DataType>, std::less<>> types_;
  struct Due {
    Monotonic at;
    Monotonic at_last;  // However many writes follow.
  };
  std::map<std::string, Due> due_;  // When what waits is written into the file.
  std::unique_ptr<fs::Watcher> watcher_;
  std::jthread folding_;
};

Result<std::unique_ptr<Store>> Store::open(const StoreOptions& options) {
  SLUICE_TRY(std::unique_ptr<Body> body, Body::open(options));
  return std::unique_ptr<Store>(new Store(std::move(body)));
}
Store::Store(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Store::~Store() = default;

bool Store::is_writable() const { return body_->ground().writable; }
const fs::Root& Store::root() const { return body_->ground().root; }
const std::string& Store::folder() const { return body_->ground().folder; }
std::shared_ptr<engine::Engine> Store::engine() const { return body_->ground().engine; }
Result<std::vector<std::string>> Store::data_types() const { return body_->data_types(); }
Result<std::shared_ptr<DataType>> Store::find(std::string_view name) { return body_->find(name); }
Result<bool> Store::create(std::string_view name, const engine::RunLimits& limits) {
  return body_->create(name, limits);
}
std::uint64_t Store::listen(std::function<void(const std::string&)> listener) {
  return body_->listen(std::move(listener));
}
void Store::unlisten(std::uint64_t id) { body_->unlisten(id); }
Status Store::fold_all() { return body_->fold_all(); }

Result<AuditPage> Store::audit(const AuditQuery& query, const engine::RunLimits& limits) const {
  SLUICE_TRY(const std::vector<std::string> types, journaled_types(root()));
  SLUICE_TRY(AuditPage page, read_audit(root(), types, query));
  if (page.has_more) return page;
  AuditQuery rest = query;
  rest.offset = query.offset - std::min(query.offset, page.total);
  rest.limit = query.limit - page.entries.size() + 1;
  SLUICE_TRY(std::vector<AuditEntry> before, read_foreign_audit(root(), *engine(), rest, limits));
  page.has_log = page.has_log || !before.empty();
  page.has_more = before.size() == rest.limit;
  if (page.has_more) before.pop_back();
  std::move(before.begin(), before.end(), std::back_inserter(page.entries));
  return page;
}

}  // namespace sluice::records
