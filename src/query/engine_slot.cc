#include "sluice/query/engine_slot.h"

#include <atomic>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"

namespace sluice::query {

namespace {

// Engines name the files that they spill to alike, so that no two may share a folder.
std::string next_scratch_folder(const std::string& base) {
  static std::atomic<std::uint64_t> engines{0};
  return base.empty() ? base : fmt::format("{}-{}", base, ++engines);
}

}  // namespace

Result<std::shared_ptr<engine::Engine>> EngineSlot::get() {
  std::shared_ptr<engine::Engine> old;  // Dies, if it dies here, after the lock.
  const std::lock_guard lock(mutex_);
  if (engine_ && engine_->is_broken()) {
    log::error("engine.failed", {{"next", "another engine is opened"}});
    old = std::exchange(engine_, nullptr);
  }
  if (!engine_) {
    engine::EngineOptions options = options_;
    options.scratch_folder = next_scratch_folder(options_.scratch_folder);
    SLUICE_TRY(engine_, engine::open_duckdb(options));
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
