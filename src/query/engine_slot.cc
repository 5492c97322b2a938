#include "sluice/query/engine_slot.h"

#include <utility>

namespace sluice::query {

Result<std::shared_ptr<engine::Engine>> EngineSlot::get() {
  const std::lock_guard lock(mutex_);
  if (!engine_) {
    SLUICE_TRY(engine_, engine::open_duckdb(options_));
  }
  return engine_;
}

void EngineSlot::set_folders(std::vector<std::string> folders) {
  std::shared_ptr<engine::Engine> old;  // Dies, if it dies here, after the lock.
  const std::lock_guard lock(mutex_);
  if (folders == options_.folders) return;
  options_.folders = std::move(folders);
  old = std::exchange(engine_, nullptr);
}

}  // namespace sluice::query
