#include "sluice/query/engine_slot.h"

#include <atomic>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"

namespace sluice::query {

namespace {

// Broken engines that are still in use, beside the one that serves.
constexpr std::size_t kAbandonedMax = 4;

// Engines name the files that they spill to alike, so that no two may share a folder.
std::string next_scratch_folder(const std::string& base) {
  static std::atomic<std::uint64_t> engines{0};
  return base.empty() ? base : fmt::format("{}-{}", base, ++engines);
}

}  // namespace

EngineSlot::EngineSlot(engine::EngineOptions options)
    : EngineSlot(std::move(options),
                 [](const engine::EngineOptions& given) -> Result<std::shared_ptr<engine::Engine>> {
                   SLUICE_TRY(std::unique_ptr<engine::Engine> opened, engine::open_duckdb(given));
                   return std::shared_ptr<engine::Engine>(std::move(opened));
                 }) {}

Result<std::shared_ptr<engine::Engine>> EngineSlot::get() {
  std::shared_ptr<engine::Engine> old;  // Dies, if it dies here, after the lock.
  const std::lock_guard lock(mutex_);
  if (engine_ && engine_->is_broken()) {
    log::error("engine.failed", {{"next", "another engine is opened"}});
    old = std::exchange(engine_, nullptr);
    if (old.use_count() > 1) abandoned_.push_back(old);  // Others hold it as well.
  }
  if (!engine_) {
    std::erase_if(abandoned_, [](const auto& engine) { return engine.expired(); });
    if (abandoned_.size() >= kAbandonedMax) {
      return unavailable("statements that cannot be stopped occupy the engine")
          .with_code("engine_stuck")
          .with_hint("Try again later. The operator may have to restart the server.");
    }
    engine::EngineOptions options = options_;
    options.scratch_folder = next_scratch_folder(options_.scratch_folder);
    SLUICE_TRY(engine_, open_(options));
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
