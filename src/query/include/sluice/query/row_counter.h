#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>

#include "sluice/base/background_thread.h"
#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/query/dataset.h"
#include "sluice/query/engine_slot.h"
#include "sluice/query/registry.h"
#include "sluice/query/tables.h"

namespace sluice::query {

// How many rows a dataset has: read, never guessed.
Result<std::uint64_t> count_rows(engine::Engine& engine, Tables& tables, const Dataset& dataset,
                                 const engine::RunLimits& limits);

// Counts the rows of the datasets that nobody has counted yet, one after the other, on a thread of its own.
// It always works on the newest inventory: what was replaced meanwhile is not counted any more. The engine is
// borrowed for one count at a time.
class RowCounter {
 public:
  // Told after each count, exact or failed, on the counter's thread. It must not destroy the counter.
  using OnCounted = std::function<void(const DatasetPtr&)>;

  struct Sources {  // All must outlive the counter.
    Registry& registry;
    EngineSlot& engine;
    Tables& tables;
    const Clock& clock;
  };

  explicit RowCounter(const Sources& sources, OnCounted on_counted = {});
  RowCounter(const RowCounter&) = delete;
  RowCounter& operator=(const RowCounter&) = delete;
  ~RowCounter();  // Interrupts the count that runs, and leaves its dataset pending.

  void start();  // Once. Nothing happens before; the first count begins a moment later.

 private:
  class Alarm;

  void run(const std::stop_token& stop);
  void count_all(std::uint64_t seen, const std::stop_token& stop);  // Until there is a newer inventory.
  // False where the engine does not open: there is no point in going on.
  bool count(const DatasetPtr& dataset, bool keeps_table, const std::stop_token& stop);

  Sources sources_;
  OnCounted on_counted_;
  std::shared_ptr<Alarm> alarm_;  // Also held by the registry's listener, which may outlive this.
  BackgroundThread thread_;       // Last: it ends before the rest goes.
};

}  // namespace sluice::query
