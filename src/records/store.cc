#include "sluice/records/store.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iterator>
#include <map>
#include <stop_token>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/background_thread.h"
#include "sluice/base/limits.h"
#include "sluice/base/log.h"
#include "sluice/base/mutex.h"
#include "sluice/engine/duckdb.h"
#include "sluice/engine/sql.h"
#include "sluice/fs/file_moves.h"
#include "sluice/fs/lock.h"
#include "sluice/records/audit.h"
#include "sluice/records/functions.h"
#include "sluice/records/name.h"
#include "sluice/records/schema_file.h"

#include "audit_export.h"
#include "change_notifier.h"
#include "retention.h"

namespace sluice::records {

// The folder for imports and exports. Not in the unnamed namespace, as Store::Body has a member of this type.
struct ExchangeFolder {
  std::string path;
  fs::Root root;
};

namespace {

constexpr std::chrono::seconds kExportInterval{30};
constexpr int kFoldsDelayed =
    20;  // For so many times the usual delay writes may go on before they are folded.

// Whether one of two canonical paths is the other or lies in it.
bool overlap(const std::string& a, const std::string& b) {
  return (a + "/").starts_with(b + "/") || (b + "/").starts_with(a + "/");
}

// An export must not get at the records themselves, so the folder lies apart from theirs.
Result<std::optional<ExchangeFolder>> open_exchange(const std::string& path,
                                                    const std::string& records_folder) {
  if (path.empty()) return std::optional<ExchangeFolder>();
  std::error_code reason;
  std::string folder = std::filesystem::canonical(path, reason).string();
  if (reason)
    return not_found("open the folder for imports and exports: " + reason.message())
        .with_code("folder_not_found");
  if (overlap(folder, records_folder)) {
    return invalid_input(
               "open the folder for imports and exports: it is in the folder of the records, or that in it")
        .with_code("invalid_configuration")
        .with_hint("Name a folder of its own as `records.exchange`.");
  }
  SLUICE_TRY(fs::Root root, fs::Root::open(folder));
  return std::optional<ExchangeFolder>(ExchangeFolder{.path = std::move(folder), .root = std::move(root)});
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
    SLUICE_TRY(std::optional<ExchangeFolder> exchange, open_exchange(options.exchange_path, folder));
    // Files are opened beneath the root and given to the engine by their descriptor, also when another has
    // taken their name meanwhile. No text of a caller is ever a statement on this engine.
    engine::EngineOptions engine_options{
        .folders = {folder, std::filesystem::canonical("/proc/self/fd", reason).string()},
        .scratch_folder = options.scratch_folder,
        .memory_bytes_max = options.memory_bytes_max,
        .scratch_bytes_max = options.scratch_bytes_max,
        .threads = options.threads,
        .pair_functions = engine_functions()};
    if (exchange) engine_options.folders.push_back(exchange->path);
    SLUICE_TRY(std::unique_ptr<engine::Engine> engine, engine::open_duckdb(engine_options));
    auto body = std::unique_ptr<Body>(new Body(options));
    body->exchange_ = std::move(exchange);
    body->dependencies_ = std::make_shared<StoreDependencies>(std::move(folder), std::move(root),
                                                              std::move(engine), options.writable);
    body->dependencies_->on_commit = [self = body.get()](const std::string& name, std::int64_t version) {
      self->committed(name, version);
    };
    body->notifier_ = std::make_unique<ChangeNotifier>(
        body->dependencies_->root,
        ChangeNotifier::Source{
            .fingerprint = [self =
                                body.get()](const std::string& name) { return self->fingerprint_of(name); },
            .schema_fingerprint =
                [self = body.get()](const std::string& name) {
                  const Result<fs::Entry> file = self->dependencies_->root.stat(schema_path(name));
                  return file.ok() ? fmt::format("{} bytes at {}", file->bytes,
                                                 file->modified.time_since_epoch().count())
                                   : std::string("no file");
                },
            .names = [self = body.get()] { return self->data_types(); }});
    if (options.writable) {
      body->resume();
      body->folding_ = BackgroundThread("record-folds", [self = body.get()](std::stop_token stop) {
        self->fold_when_quiet(std::move(stop));
      });
    }
    return body;
  }

  ~Body() {
    notifier_->stop();
    folding_.end();
    if (const Status status = fold_all(); !status.ok())
      log::error("records.fold", {{"error", status.error().message}, {"code", status.error().code}});
    if (has_written_) export_log({});
  }

  const StoreOptions& options() const { return options_; }
  const StoreDependencies& dependencies() const { return *dependencies_; }
  const fs::Root* exchange() const { return exchange_ ? &exchange_->root : nullptr; }
  const std::string& exchange_folder() const {
    static const std::string none;
    return exchange_ ? exchange_->path : none;
  }

  Result<std::vector<std::string>> data_types() const {
    std::vector<std::string> out;
    SLUICE_TRY(const fs::Listing listing, dependencies_->root.list(""));
    for (const fs::Entry& entry : listing.entries) {
      if (entry.kind != fs::EntryKind::kFolder || !check_data_type(entry.name).ok()) continue;
      const Result<fs::Entry> file = dependencies_->root.stat(file_path(entry.name));
      if (file.ok() && file->kind == fs::EntryKind::kFile) out.push_back(entry.name);
    }
    return out;
  }

  Result<std::shared_ptr<DataType>> find(std::string_view name) {
    SLUICE_CHECK(check_data_type(name));
    const MutexLock guard(mutex_);
    const auto known = types_.find(name);
    if (known != types_.end()) return known->second;
    const Result<fs::Entry> file = dependencies_->root.stat(file_path(name));
    if (!file.ok() || file->kind != fs::EntryKind::kFile) {
      return not_found("Parquet file not found: " + file_path(name))
          .with_code("data_type_not_found")
          .with_hint("list_data_types lists what there is.");
    }
    auto type = std::make_shared<DataType>(dependencies_, std::string(name));
    types_.emplace(std::string(name), type);
    return type;
  }

  Result<CreatedType> create(std::string_view name, const CreateRequest& request,
                             const engine::RunLimits& limits) {
    SLUICE_CHECK(check_data_type(name));
    if (!dependencies_->writable) {
      return forbidden("create data type: the store is read-only")
          .with_code("read_only")
          .with_hint("The operator allows changes with `records: { writable: true }`.");
    }
    std::shared_ptr<DataType> type;
    {
      const MutexLock guard(mutex_);
      const auto known = types_.find(name);
      if (known != types_.end()) type = known->second;
    }
    if (!type) type = std::make_shared<DataType>(dependencies_, std::string(name));
    SLUICE_TRY(CreatedType out, type->create(request, limits));
    if (!request.dry_run) {
      const MutexLock guard(mutex_);
      types_.try_emplace(std::string(name), std::move(type));
    }
    return out;
  }

  ChangeNotifier& notifier() { return *notifier_; }

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
    if (!dependencies_->writable) return {};
    return apply_retention(dependencies_->root, type.name(), options_.retention, system_clock().wall());
  }

  std::vector<std::shared_ptr<DataType>> all_types() {
    const MutexLock guard(mutex_);
    std::vector<std::shared_ptr<DataType>> out;
    for (const auto& [name, type] : types_) out.push_back(type);
    return out;
  }

  // What an earlier process has left waiting is written into the files soon.
  void resume() {
    const Result<std::vector<std::string>> names = journaled_types(dependencies_->root);
    if (!names.ok()) return;
    const Monotonic soon = system_clock().now() + options_.fold_after;
    for (const std::string& name : *names) {
      if (!check_data_type(name).ok()) continue;
      if (!dependencies_->root.stat(file_path(name)).ok()) {
        if (const Status status = DataType(dependencies_, name).finish_creation(); !status.ok())
          log::warning("records.create", {{"data_type", name}, {"error", status.error().message}});
      }
      if (!find(name).ok()) continue;
      const MutexLock guard(mutex_);
      due_.try_emplace(name, Due{.at = soon, .at_last = soon});
    }
  }

  void committed(const std::string& name, std::int64_t version) {
    has_written_ = true;
    {
      const MutexLock guard(mutex_);
      const Monotonic now = system_clock().now();
      Due& due = due_.try_emplace(name, Due{.at = now, .at_last = now + kFoldsDelayed * options_.fold_after})
                     .first->second;
      due.at = std::min(now + options_.fold_after, due.at_last);
    }
    changed_.notify_all();
    notifier_->committed(name, version);
  }

  std::string fingerprint_of(const std::string& name) {
    if (!check_data_type(name).ok() || !dependencies_->root.stat(file_path(name)).ok()) return "no file";
    const Result<std::shared_ptr<DataType>> type = find(name);
    return type.ok() ? (*type)->fingerprint() : type.error().code;
  }

  void fold_when_quiet(std::stop_token stop) {
    MutexLock lock(mutex_);
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
          changed_.wait(mutex_, stop, [&]() SLUICE_REQUIRES(mutex_) { return !due_.empty(); });
        } else {
          changed_.wait_until(mutex_, stop, next, [] { return false; });  // No new one is due before it.
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
        fs::FileLock::take(dependencies_->root, "_journal/export.lock", Monotonic::min());
    if (!lock.ok()) return;  // Another process does it.
    const Result<std::vector<std::string>> types = journaled_types(dependencies_->root);
    const Status status = types.ok() ? export_audit_log(dependencies_->root, dependencies_->folder,
                                                        *dependencies_->engine, *types, limits)
                                     : Status(types.error());
    if (!status.ok() && !limits.stop.stop_requested())
      log::warning("records.export", {{"error", status.error().message}, {"code", status.error().code}});
  }

  const StoreOptions options_;
  std::shared_ptr<StoreDependencies> dependencies_;
  std::optional<ExchangeFolder> exchange_;
  Monotonic next_export_;  // Of the thread below.
  std::atomic<bool> has_written_{false};
  Mutex mutex_;
  CondVar changed_;
  std::map<std::string, std::shared_ptr<DataType>, std::less<>> types_ SLUICE_GUARDED_BY(mutex_);
  struct Due {
    Monotonic at;
    Monotonic at_last;  // However many writes follow.
  };
  std::map<std::string, Due> due_ SLUICE_GUARDED_BY(mutex_);  // When what waits is written into the file.
  std::unique_ptr<ChangeNotifier> notifier_;
  BackgroundThread folding_;
};

Result<std::unique_ptr<Store>> Store::open(const StoreOptions& options) {
  SLUICE_TRY(std::unique_ptr<Body> body, Body::open(options));
  return std::unique_ptr<Store>(new Store(std::move(body)));
}
Store::Store(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Store::~Store() = default;

bool Store::is_writable() const { return body_->dependencies().writable; }
const fs::Root& Store::root() const { return body_->dependencies().root; }
const std::string& Store::folder() const { return body_->dependencies().folder; }
std::shared_ptr<engine::Engine> Store::engine() const { return body_->dependencies().engine; }
const fs::Root* Store::exchange() const { return body_->exchange(); }
const std::string& Store::exchange_folder() const { return body_->exchange_folder(); }
std::uint64_t Store::export_bytes_max() const { return body_->options().export_bytes_max; }
Result<std::vector<std::string>> Store::data_types() const { return body_->data_types(); }
Result<std::shared_ptr<DataType>> Store::find(std::string_view name) { return body_->find(name); }
Result<CreatedType> Store::create(std::string_view name, const CreateRequest& request,
                                  const engine::RunLimits& limits) {
  return body_->create(name, request, limits);
}
std::uint64_t Store::listen(StoreListener listener) { return body_->notifier().listen(std::move(listener)); }
void Store::unlisten(std::uint64_t id) { body_->notifier().unlisten(id); }
Status Store::fold_all() { return body_->fold_all(); }

Result<FoundOperation> Store::find_operation(std::string_view id, const engine::RunLimits& limits) const {
  SLUICE_TRY(const std::vector<std::string> types, journaled_types(root()));
  Result<FoundOperation> found = records::find_operation(root(), types, id);
  if (found.ok() || found.error().kind != ErrorKind::kNotFound) return found;
  SLUICE_TRY(std::optional<FoundOperation> foreign, find_foreign_operation(root(), *engine(), id, limits));
  return foreign ? Result<FoundOperation>(*std::move(foreign)) : std::move(found);
}

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
