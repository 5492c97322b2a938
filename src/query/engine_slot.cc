#include "sluice/query/engine_slot.h"

#include <atomic>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/base/mutex.h"
#include "sluice/engine/duckdb.h"

#include "recovering_engine.h"

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

class EngineSlot::Engines : public std::enable_shared_from_this<Engines> {
 public:
  Engines(engine::EngineOptions options, Open open) : options_(std::move(options)), open_(std::move(open)) {}

  Result<std::shared_ptr<RecoveringEngine>> get() {
    std::shared_ptr<RecoveringEngine> old;  // Dies, if it dies here, after the lock.
    const MutexLock lock(mutex_);
    if (engine_ && engine_->is_broken()) {
      log::error("engine.failed", {{"next", "another engine is opened"}});
      old = std::exchange(engine_, nullptr);
      if (old.use_count() > 1) abandoned_.push_back(old->current());  // Others hold it as well.
    }
    if (!engine_) SLUICE_CHECK(open());
    return engine_;
  }

  void set_folders(std::vector<std::string> folders) {
    std::shared_ptr<RecoveringEngine> old;  // Dies, if it dies here, after the lock.
    const MutexLock lock(mutex_);
    if (folders == options_.folders) return;
    options_.folders = std::move(folders);
    old = std::exchange(engine_, nullptr);
  }

 private:
  Status open() SLUICE_REQUIRES(mutex_) {
    std::erase_if(abandoned_, [](const auto& engine) { return engine.expired(); });
    if (abandoned_.size() >= kAbandonedMax) {
      return unavailable("statements that cannot be stopped occupy the engine")
          .with_code("engine_stuck")
          .with_hint("Try again later. The operator may have to restart the server.");
    }
    engine::EngineOptions options = options_;
    options.scratch_folder = next_scratch_folder(options_.scratch_folder);
    SLUICE_TRY(std::shared_ptr<engine::Engine> opened, open_(options));
    engine_ = std::make_shared<RecoveringEngine>(
        std::move(opened), [weak = weak_from_this()] { return successor(weak.lock()); });
    return {};
  }

  static Result<std::shared_ptr<engine::Engine>> successor(const std::shared_ptr<Engines>& engines) {
    if (!engines) return unavailable("the engine has been closed").with_code(engine::kEngineReplaced);
    SLUICE_TRY(const std::shared_ptr<RecoveringEngine> serving, engines->get());
    return serving->current();
  }

  Mutex mutex_;
  engine::EngineOptions options_ SLUICE_GUARDED_BY(mutex_);
  const Open open_;
  std::shared_ptr<RecoveringEngine> engine_
      SLUICE_GUARDED_BY(mutex_);  // Shared with whoever runs a statement.
  std::vector<std::weak_ptr<engine::Engine>> abandoned_
      SLUICE_GUARDED_BY(mutex_);  // Broken, and perhaps still in use.
};

EngineSlot::EngineSlot(engine::EngineOptions options)
    : EngineSlot(std::move(options),
                 [](const engine::EngineOptions& given) -> Result<std::shared_ptr<engine::Engine>> {
                   SLUICE_TRY(std::unique_ptr<engine::Engine> opened, engine::open_duckdb(given));
                   return std::shared_ptr<engine::Engine>(std::move(opened));
                 }) {}

EngineSlot::EngineSlot(engine::EngineOptions options, Open open)
    : engines_(std::make_shared<Engines>(std::move(options), std::move(open))) {}

Result<std::shared_ptr<engine::Engine>> EngineSlot::get() {
  SLUICE_TRY(std::shared_ptr<RecoveringEngine> engine, engines_->get());
  return std::shared_ptr<engine::Engine>(std::move(engine));
}

void EngineSlot::set_folders(std::vector<std::string> folders) { engines_->set_folders(std::move(folders)); }

}  // namespace sluice::query
