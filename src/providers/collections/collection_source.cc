#include "sluice/collections/collection_source.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/clock.h"
#include "sluice/base/limits.h"
#include "sluice/base/log.h"
#include "sluice/base/mutex.h"
#include "sluice/base/sleep.h"
#include "sluice/fs/place.h"
#include "sluice/fs/scan.h"
#include "sluice/fs/watch.h"

#include "file_catalog.h"

namespace sluice::collections {

namespace {

Result<std::string> find_folder(const std::string& path) {
  std::error_code reason;
  std::string found = std::filesystem::canonical(path.empty() ? "." : path, reason).string();
  if (!reason && !std::filesystem::is_directory(found, reason))
    reason = std::make_error_code(std::errc::not_a_directory);
  if (reason)
    return not_found(fmt::format("open folder {}: {}", path, reason.message())).with_code("folder_not_found");
  return found;
}

}  // namespace

// Changes come on the watcher's thread, from before the first scan is done.
class CollectionSource::Loop {
 public:
  Loop(std::shared_ptr<const fs::Root> root, FileCatalog catalog, query::Registry& registry)
      : root_(std::move(root)),
        collection_(catalog.collection()),
        registry_(registry),
        catalog_(std::move(catalog)) {}

  Status start() {
    // The watcher first: what changes while the folder is read is then told afterwards.
    fs::WatchOptions options;
    options.skips = [this](std::string_view path) { return skips(path); };
    SLUICE_TRY(watcher_,
               fs::Watcher::start(*root_, std::move(options),
                                  [this](const std::vector<fs::Change>& changes) { note(changes); }));
    const MutexLock lock(mutex_);
    SLUICE_CHECK(scan());
    is_scanned_ = true;
    publish();
    return {};
  }

  const std::shared_ptr<const query::Collection>& collection() const { return collection_; }
  bool is_at(const std::string& path) const { return fs::is_at(*root_, path); }

 private:
  void note(const std::vector<fs::Change>& changes) {
    const MutexLock lock(mutex_);
    if (!is_scanned_) return;  // The scan sees it.
    for (const fs::Change& change : changes) {
      if (change.kind != fs::ChangeKind::kRescan) {
        look_at(change);
      } else if (const Status status = scan(); !status.ok()) {
        log::warning("collection_not_read",
                     {{"collection", collection_->name}, {"reason", status.error().message}});
      }
    }
    publish();
  }

  // Reads only what of the catalog never changes.
  bool skips(std::string_view path) const SLUICE_NO_THREAD_SAFETY_ANALYSIS { return catalog_.skips(path); }

  void look_at(const fs::Change& change) SLUICE_REQUIRES(mutex_) {
    const WallTime seen = system_clock().wall();
    const Result<fs::Entry> entry = root_->stat(change.path);
    const auto hint =
        change.kind == fs::ChangeKind::kModified ? FileCatalog::Hint::kWritten : FileCatalog::Hint::kNone;
    catalog_.update(change.path, entry.ok() ? std::optional(*entry) : std::nullopt, hint, seen);
  }

  Status scan() SLUICE_REQUIRES(mutex_) {
    const WallTime seen = system_clock().wall();
    fs::ScanOptions options;
    options.skips = [this](std::string_view path) { return skips(path); };
    SLUICE_TRY(const fs::Scan found, fs::scan(*root_, "", options));
    is_incomplete_ = found.truncated;
    if (found.truncated)
      log::warning("collection_is_incomplete",
                   {{"collection", collection_->name}, {"files", found.entries.size()}});
    catalog_.replace_all(found.entries, seen);
    return {};
  }

  void publish() SLUICE_REQUIRES(mutex_) {
    std::optional<std::vector<query::DatasetPtr>> datasets = catalog_.take_changes();
    if (!datasets) return;
    std::vector<std::string> notes = catalog_.notes();
    if (is_incomplete_) {
      notes.push_back(
          fmt::format("The folder of collection {} has more files than are listed.", collection_->name));
    }
    registry_.replace(collection_, *std::move(datasets), std::move(notes));
  }

  const std::shared_ptr<const fs::Root> root_;  // Shared with the datasets, which outlive this.
  const std::shared_ptr<const query::Collection> collection_;  // Shared with the datasets.
  query::Registry& registry_;
  Mutex mutex_;
  FileCatalog catalog_ SLUICE_GUARDED_BY(mutex_);
  bool is_scanned_ SLUICE_GUARDED_BY(mutex_) = false;
  bool is_incomplete_ SLUICE_GUARDED_BY(mutex_) = false;  // The folder has more files than a scan reads.
  std::unique_ptr<fs::Watcher> watcher_;                  // Last: its thread ends before the rest goes.
};

CollectionSource::CollectionSource(CollectionSpec spec, query::Registry& registry,
                                   std::shared_ptr<query::FileCopies> copies)
    : spec_(std::move(spec)), registry_(registry), copies_(std::move(copies)), folder_(spec_.folder) {}
CollectionSource::~CollectionSource() = default;

Result<std::unique_ptr<CollectionSource::Loop>> CollectionSource::make_loop() const {
  SLUICE_TRY(fs::Root opened, fs::Root::open(folder_));
  auto root = std::make_shared<const fs::Root>(std::move(opened));
  SLUICE_TRY(FileCatalog catalog, FileCatalog::create(spec_, root, copies_));
  return std::make_unique<Loop>(std::move(root), std::move(catalog), registry_);
}

Result<std::unique_ptr<CollectionSource>> CollectionSource::open(const CollectionSpec& spec,
                                                                 query::Registry& registry,
                                                                 std::shared_ptr<query::FileCopies> copies) {
  CollectionSpec found = spec;
  SLUICE_TRY(found.folder, find_folder(spec.folder));
  std::unique_ptr<CollectionSource> source(
      new CollectionSource(std::move(found), registry, std::move(copies)));
  SLUICE_TRY(source->loop_, source->make_loop());
  source->collection_ = source->loop_->collection();
  registry.replace(source->collection_, {});
  return source;
}

Status CollectionSource::begin() {
  SLUICE_CHECK(loop_->start());
  follower_ = BackgroundThread("collections", [this](const std::stop_token& stop) { follow_folder(stop); });
  return {};
}

// The watcher holds on to the folder it was given, wherever that goes; what stands at its place is seen by
// looking.
void CollectionSource::follow_folder(const std::stop_token& stop) {
  while (sleep_unless_stopped(kWatchPollInterval, stop)) {
    if (!loop_->is_at(folder_)) reopen();
  }
}

void CollectionSource::reopen() {
  Result<std::unique_ptr<Loop>> next = make_loop();
  if (!next.ok()) return;  // It is gone again.
  loop_ = *std::move(next);
  const Status status = loop_->start();
  if (status.ok()) {
    log::info("collection_reopened", {{"collection", collection_->name}});
  } else {
    log::warning("collection_not_read",
                 {{"collection", collection_->name}, {"reason", status.error().message}});
  }
}

Result<std::unique_ptr<CollectionSource>> CollectionSource::start(const CollectionSpec& spec,
                                                                  query::Registry& registry,
                                                                  std::shared_ptr<query::FileCopies> copies) {
  SLUICE_TRY(std::unique_ptr<CollectionSource> source, open(spec, registry, std::move(copies)));
  SLUICE_CHECK(source->begin());
  return source;
}

}  // namespace sluice::collections
