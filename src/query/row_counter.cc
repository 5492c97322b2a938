#include "sluice/query/row_counter.h"

#include <chrono>
#include <exception>
#include <utility>

#include "sluice/base/limits.h"
#include "sluice/base/log.h"
#include "sluice/base/mutex.h"
#include "sluice/base/sleep.h"
#include "sluice/query/query_arguments.h"
#include "sluice/query/rows_reader.h"
#include "sluice/query/statement.h"

namespace sluice::query {

namespace {

// What is found out about the tables of more datasets than these is not kept: most are never asked about.
constexpr std::size_t kTablesKept = 1'000;
// The engine takes the processor for as long as a start does. Nobody waits for a count, but somebody may wait
// for the first answer.
constexpr std::chrono::milliseconds kBeginsAfter{100};

Result<std::uint64_t> count_in(engine::Engine& engine, const Table& table, const Dataset& dataset,
                               const engine::RunLimits& limits) {
  const QueryArguments count{.grouped = true, .aggregates = {{.fn = AggregateFn::kCount}}};
  // The program counts for itself: rules decide who hears of it.
  SLUICE_TRY(const expression::Question question, compile(count, table, dataset.collection(), plan::Guard()));
  SLUICE_TRY(const Relation relation, dataset.open(table, limits, &question));
  return read_count(engine, statement_of(question, table, relation, std::nullopt), limits);
}

Result<std::uint64_t> count_once(engine::Engine& engine, const Dataset& dataset,
                                 const engine::RunLimits& limits) {
  SLUICE_TRY(const Table table, dataset.inspect(engine, limits));
  return count_in(engine, table, dataset, limits);
}

}  // namespace

Result<std::uint64_t> count_rows(engine::Engine& engine, Tables& tables, const Dataset& dataset,
                                 const engine::RunLimits& limits) {
  SLUICE_TRY(const std::shared_ptr<const Table> table, tables.get(engine, dataset, limits));
  return count_in(engine, *table, dataset, limits);
}

// Tells the counter that there is another inventory.
class RowCounter::Alarm {
 public:
  void ring() {
    const MutexLock lock(mutex_);
    ++rung_;
    changed_.notify_all();
  }
  std::uint64_t rung() const {
    const MutexLock lock(mutex_);
    return rung_;
  }
  // Until it has rung more than `seen` times, or the counter is stopped.
  void wait(std::uint64_t seen, const std::stop_token& stop) {
    const MutexLock lock(mutex_);
    changed_.wait(mutex_, stop, [&]() SLUICE_REQUIRES(mutex_) { return rung_ != seen; });
  }

 private:
  mutable Mutex mutex_;
  CondVar changed_;
  std::uint64_t rung_ SLUICE_GUARDED_BY(mutex_) = 0;
};

RowCounter::RowCounter(const Sources& sources, OnCounted on_counted)
    : sources_(sources), on_counted_(std::move(on_counted)), alarm_(std::make_shared<Alarm>()) {}

RowCounter::~RowCounter() = default;

void RowCounter::start() {
  sources_.registry.listen([alarm = alarm_](const InventoryChange&) { alarm->ring(); });
  thread_ = BackgroundThread("row-counter", [this](const std::stop_token& stop) {
    try {
      run(stop);
    } catch (const std::exception& error) {
      log::error("row_counter_ended", {{"reason", error.what()}});
    }
  });
}

void RowCounter::run(const std::stop_token& stop) {
  sleep_unless_stopped(kBeginsAfter, stop);
  while (!stop.stop_requested()) {
    const std::uint64_t seen = alarm_->rung();
    count_all(seen, stop);
    alarm_->wait(seen, stop);
  }
}

void RowCounter::count_all(std::uint64_t seen, const std::stop_token& stop) {
  const Inventory inventory = sources_.registry.inventory();
  for (const DatasetPtr& dataset : inventory.datasets()) {
    if (stop.stop_requested() || alarm_->rung() != seen) return;
    const CountState state = dataset->count_state();
    if (state != CountState::kPending && state != CountState::kEstimated) continue;
    if (!count(dataset, inventory.size() <= kTablesKept, stop)) return;
  }
}

bool RowCounter::count(const DatasetPtr& dataset, bool keeps_table, const std::stop_token& stop) {
  const Result<std::shared_ptr<engine::Engine>> engine = sources_.engine.get();
  if (!engine.ok()) {
    log::error("rows_not_counted", {{"reason", engine.error().message}});
    return false;
  }
  const engine::RunLimits limits{.deadline = sources_.clock.now() + kRowCountTimeout, .stop = stop};
  const Result<std::uint64_t> rows = keeps_table ? count_rows(**engine, sources_.tables, *dataset, limits)
                                                 : count_once(**engine, *dataset, limits);
  if (stop.stop_requested()) return false;
  if (rows.ok()) {
    dataset->set_row_count(*rows);
  } else {
    log::warning("rows_not_counted", {{"dataset", dataset->name()}, {"reason", rows.error().message}});
    dataset->set_count_failed(rows.error().message);
  }
  if (on_counted_) on_counted_(dataset);
  return true;
}

}  // namespace sluice::query
