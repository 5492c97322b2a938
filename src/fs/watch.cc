#include "sluice/fs/watch.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "sluice/base/clock.h"
#include "sluice/base/log.h"

#include "folder_watches.h"
#include "os_error.h"
#include "watched_tree.h"

namespace sluice::fs {

// Everything but `stop` and `is_polling` runs on one thread at a time: the one that starts, then the
// watcher's own.
class Watcher::Loop {
 public:
  Loop(const Root& root, WatchOptions options, Callback callback, Descriptor wake)
      : root_(root),
        options_(std::move(options)),
        callback_(std::move(callback)),
        wake_(std::move(wake)),
        tree_(root, {.entries_max = kScanEntriesMax, .skips = options_.skips, .stop = stop_.get_token()}) {}
  ~Loop() { stop(); }

  Status start() {
    SLUICE_TRY([[maybe_unused]] const Descriptor readable,
               root_.open_descriptor("", {.flags = O_RDONLY | O_DIRECTORY, .mode = 0}));
    Result<FolderWatches> watches = FolderWatches::open(options_.folders_max);
    if (watches.ok()) {
      watches_.emplace(std::move(watches).value());
    } else {
      fall_back(watches.error());
    }
    SLUICE_CHECK(refresh("", WatchedTree::Hint::kNone, nullptr));
    thread_ = std::thread([this] {
      try {
        run();
      } catch (const std::exception& error) {
        log::error("watch_ended", {{"reason", error.what()}});
      }
    });
    return {};
  }

  void stop() {
    stop_.request_stop();
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written =
        ::write(wake_.number(), &one, sizeof one);  // It can only be full.
    if (thread_.joinable()) thread_.join();
  }

  bool is_polling() const { return polling_.load(); }

 private:
  void run() {
    while (!stop_.stop_requested()) {
      wait();
      if (stop_.stop_requested()) return;
      if (watches_) watches_->read(dirt_);
      const bool dirty = dirt_.everything || !dirt_.paths.empty();
      const Monotonic now = system_clock().now();
      if (dirty && !due_) due_ = now + options_.coalesce;
      if (polling_.load() && !due_) due_ = now + options_.poll_interval;
      if (due_ && now >= *due_) look();
    }
  }

  // Until there are events, something is due, or the watcher is stopped.
  void wait() {
    int timeout_ms = -1;
    if (due_) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*due_ - system_clock().now());
      timeout_ms = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, kWatchPollInterval.count()));
    } else if (polling_.load()) {
      timeout_ms = 0;
    }
    // While changes are being collected the events may wait too: reading each at once would cost a wake-up
    // each.
    const bool listen = watches_.has_value() && !due_;
    std::array<pollfd, 2> sources = {
        pollfd{.fd = wake_.number(), .events = POLLIN, .revents = 0},
        pollfd{.fd = listen ? watches_->descriptor() : -1, .events = POLLIN, .revents = 0}};
    ::poll(sources.data(), sources.size(), timeout_ms);
  }

  // Finds out what has changed and reports it.
  void look() {
    due_.reset();
    const Dirt dirt = std::exchange(dirt_, {});
    Changes changes;
    if (dirt.everything || !watches_) {
      if (!refresh("", WatchedTree::Hint::kNone, &changes).ok()) return;
    }
    for (const std::string& path : dirt.paths) {
      if (!refresh(path, WatchedTree::Hint::kTouched, &changes).ok()) return;
    }
    std::vector<Change> report;
    if (dirt.everything) {
      log::info("watch_rescans", {{"reason", "changes were lost or the folder was moved"}});
      report.push_back({.path = {}, .kind = ChangeKind::kRescan});
    } else {
      for (auto& [path, kind] : changes) report.push_back({.path = path, .kind = kind});
    }
    if (!report.empty() && !stop_.stop_requested()) deliver(report);
  }

  void deliver(const std::vector<Change>& report) {
    try {
      callback_(report);
    } catch (const std::exception& error) {
      log::error("watch_callback_failed", {{"reason", error.what()}});
    }
  }

  // Brings the tree up to date and watches the folders that turn up. A folder can be filled before its watch
  // is in place, so after new watches the tree is looked at again; each turn goes at least one level deeper.
  Status refresh(std::string_view path, WatchedTree::Hint hint, Changes* changes) {
    for (std::size_t turn = 0; turn <= kPathDepthMax; ++turn) {
      SLUICE_CHECK(tree_.refresh(path, turn == 0 ? hint : WatchedTree::Hint::kNone, changes));
      if (!watch_new_folders(path)) return {};
    }
    return {};
  }

  bool watch_new_folders(std::string_view path) {
    if (!watches_) return false;
    const std::vector<std::string> folders = tree_.folders(path);
    if (folders.empty()) watches_->forget(path);  // It is gone, or no folder any more.
    bool added = false;
    for (const std::string& folder : folders) {
      if (watches_->covers(folder)) continue;
      if (const Status status = watches_->add(root_, folder); !status.ok()) {
        fall_back(status.error());
        return false;
      }
      added |= watches_->covers(folder);
    }
    return added;
  }

  void fall_back(const Error& reason) {
    log::warning("watch_falls_back_to_polling",
                 {{"reason", reason.message}, {"interval_ms", options_.poll_interval.count()}});
    watches_.reset();
    polling_.store(true);
  }

  const Root& root_;
  WatchOptions options_;
  Callback callback_;
  std::stop_source stop_;
  Descriptor wake_;
  WatchedTree tree_;
  std::optional<FolderWatches> watches_;  // Empty while polling.
  std::atomic<bool> polling_{false};
  Dirt dirt_;
  std::optional<Monotonic> due_;  // When to look next.
  std::thread thread_;
};

Watcher::Watcher(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}
Watcher::~Watcher() = default;
void Watcher::stop() { loop_->stop(); }
bool Watcher::is_polling() const { return loop_->is_polling(); }

Result<std::unique_ptr<Watcher>> Watcher::start(const Root& root, WatchOptions options, Callback callback) {
  Descriptor wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.is_open()) return os_error("watch folder", errno, "");
  auto loop = std::make_unique<Loop>(root, std::move(options), std::move(callback), std::move(wake));
  SLUICE_CHECK(loop->start());
  return std::unique_ptr<Watcher>(new Watcher(std::move(loop)));
}

}  // namespace sluice::fs
