#include "change_notifier.h"

#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/records/name.h"

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

// A Parquet file that is listed by its path and belongs to no data type.
bool is_loose_file(std::string_view path) {
  if (!path.ends_with(".parquet")) return false;
  return !path.starts_with('_') && !path.starts_with('.') && path.find("/_") == std::string_view::npos &&
         path.find("/.") == std::string_view::npos;
}

bool is_unwatched(std::string_view path) {
  return path.starts_with("snapshots") || path.starts_with("logs") || path.starts_with("embeddings");
}

// A folder that came or went takes its files along, without an event for each.
bool may_be_folder(const fs::Change& change) {
  const std::string_view name = std::string_view(change.path).substr(change.path.rfind('/') + 1);
  return change.kind != fs::ChangeKind::kModified && !change.path.starts_with('_') &&
         name.find('.') == std::string_view::npos;
}

}  // namespace

ChangeNotifier::ChangeNotifier(const fs::Root& root, Source source)
    : root_(root), source_(std::move(source)) {}

std::uint64_t ChangeNotifier::listen(StoreListener listener) {
  const MutexLock guard(listeners_mutex_);
  listeners_.emplace(++listened_, std::move(listener));
  if (!watcher_) watch();
  return listened_;
}

void ChangeNotifier::unlisten(std::uint64_t id) {
  const MutexLock guard(listeners_mutex_);
  listeners_.erase(id);
}

void ChangeNotifier::stop() { watcher_.reset(); }

void ChangeNotifier::committed(const std::string& data_type, std::int64_t version) {
  // The operation may have changed the schema file too; the watcher will see that and need not tell it again.
  is_news("schemas/" + data_type, source_.schema_fingerprint(data_type));
  notify_once(data_type, fmt::format("version {}", version));
}

void ChangeNotifier::watch() {
  fs::WatchOptions options;
  options.skips = is_unwatched;
  Result<std::unique_ptr<fs::Watcher>> watcher = fs::Watcher::start(
      root_, options, [this](const std::vector<fs::Change>& changes) { noticed(changes); });
  if (watcher.ok()) {
    watcher_ = *std::move(watcher);
  } else {
    log::warning("records.watch", {{"error", watcher.error().message}});
  }
}

void ChangeNotifier::notify(const StoreChange& change) {
  const MutexLock guard(listeners_mutex_);
  for (const auto& [id, listener] : listeners_) listener(change);
}

bool ChangeNotifier::is_news(const std::string& key, const std::string& fingerprint) {
  const MutexLock guard(notified_mutex_);
  std::string& last = notified_[key];
  if (last == fingerprint) return false;
  last = fingerprint;
  return true;
}

void ChangeNotifier::notify_once(const std::string& data_type, const std::string& fingerprint) {
  if (is_news(data_type, fingerprint)) notify({.data_type = data_type, .file = {}, .changes_list = false});
}

void ChangeNotifier::notify_all() {
  const Result<std::vector<std::string>> names = source_.names();
  std::set<std::string> all(names.ok() ? names->begin() : std::vector<std::string>::const_iterator(),
                            names.ok() ? names->end() : std::vector<std::string>::const_iterator());
  {
    const MutexLock guard(notified_mutex_);
    for (const auto& [name, fingerprint] : notified_) {
      if (name.find('/') == std::string::npos) all.insert(name);
    }
  }
  for (const std::string& name : all) notify_once(name, source_.fingerprint(name));
  notify({.data_type = {}, .file = {}, .changes_list = true});
}

void ChangeNotifier::noticed(const std::vector<fs::Change>& changes) {
  std::set<std::string> names;
  std::set<std::string> schemas;
  std::map<std::string, bool> files;  // Whether the list of files is another now.
  for (const fs::Change& change : changes) {
    if (change.kind == fs::ChangeKind::kRescan) return notify_all();
    std::string name = data_type_of(change.path);
    if (!name.empty()) {
      (change.path.starts_with("schemas/") ? schemas : names).insert(std::move(name));
    } else if (is_loose_file(change.path)) {
      files[change.path] |= change.kind != fs::ChangeKind::kModified;
    } else if (may_be_folder(change)) {
      files[change.path] = true;
      if (check_data_type(change.path).ok()) names.insert(change.path);
    }
  }
  for (const std::string& name : names) notify_once(name, source_.fingerprint(name));
  for (const std::string& name : schemas) {
    (void)source_.fingerprint(name);  // Waits for an operation that is under way; it tells of itself.
    const bool is_new = is_news("schemas/" + name, source_.schema_fingerprint(name));
    if (is_new && !names.contains(name)) notify({.data_type = name, .file = {}, .changes_list = false});
  }
  for (const auto& [path, changes_list] : files) {
    const bool is_file = path.ends_with(".parquet");
    notify({.data_type = {}, .file = is_file ? path : std::string(), .changes_list = changes_list});
  }
}

}  // namespace sluice::records
