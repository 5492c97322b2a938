#include "sluice/query/column_copier.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "sluice/base/clock.h"
#include "sluice/base/limits.h"
#include "sluice/base/log.h"

namespace sluice::query {

namespace {

// A file that is written again within a tick of the file system's clock may look the same.
constexpr std::chrono::milliseconds kSettled{100};
constexpr std::size_t kDatasetsMax = 1'000;  // That are remembered to have been asked about.
constexpr std::size_t kTasksMax = 16;
constexpr unsigned kDoublingsMax = 16;

}  // namespace

ColumnCopier::ColumnCopier(const Sources& sources, OnDone on_done)
    : sources_(sources), on_done_(std::move(on_done)) {}

ColumnCopier::~ColumnCopier() = default;

void ColumnCopier::note(const DatasetPtr& dataset, const std::shared_ptr<const Table>& table) {
  const std::optional<int> before = dataset->questions_before_copy();
  if (!before) return;
  if (system_clock().wall() - dataset->identity().modified < kSettled) return;
  if (sources_.copies.find_columns(dataset->identity())) return;
  const MutexLock lock(mutex_);
  if (asked_.size() >= kDatasetsMax && !asked_.contains(dataset->name())) asked_.clear();
  Asked& asked = asked_[dataset->name()];
  if (asked.version != dataset->identity().version) asked = Asked{.version = dataset->identity().version};
  if (asked.is_settled || tasks_.size() >= kTasksMax) return;
  if (++asked.questions < *before << std::min(asked.copies, kDoublingsMax)) return;
  asked.is_settled = true;
  tasks_.push_back({.dataset = dataset, .table = table});
  if (!thread_.is_started())
    thread_ = BackgroundThread("column-copier", [this](const std::stop_token& stop) { run(stop); });
  changed_.notify_one();
}

void ColumnCopier::run(const std::stop_token& stop) {
  while (true) {
    Task task;
    {
      const MutexLock lock(mutex_);
      if (!changed_.wait(mutex_, stop, [this]() SLUICE_REQUIRES(mutex_) { return !tasks_.empty(); })) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    try {
      copy(task, stop);
    } catch (const std::exception& error) {
      log::error("columns_not_copied", {{"dataset", task.dataset->name()}, {"reason", error.what()}});
    }
  }
}

void ColumnCopier::note_copy(const Dataset& dataset) {
  const MutexLock lock(mutex_);
  const auto found = asked_.find(dataset.name());
  if (found == asked_.end() || found->second.version != dataset.identity().version) return;
  found->second.questions = 0;
  found->second.is_settled = false;
  ++found->second.copies;
}

// What fails is only slower.
void ColumnCopier::copy(const Task& task, const std::stop_token& stop) {
  const Result<std::shared_ptr<engine::Engine>> engine = sources_.engine.get();
  if (!engine.ok()) return;
  const Monotonic begin = system_clock().now();
  const Status made =
      sources_.copies.make_columns(**engine, *task.dataset, *task.table,
                                   {.deadline = system_clock().now() + kRowCountTimeout, .stop = stop});
  if (stop.stop_requested()) return;
  if (!made.ok())
    log::info("columns_not_copied", {{"dataset", task.dataset->name()}, {"reason", made.error().message}});
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(system_clock().now() - begin);
  if (made.ok()) {
    log::info("columns_copied", {{"dataset", task.dataset->name()}, {"time_ms", time.count()}});
    note_copy(*task.dataset);
  }
  if (on_done_) on_done_(task.dataset, made);
}

}  // namespace sluice::query
