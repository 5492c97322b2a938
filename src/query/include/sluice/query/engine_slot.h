#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"

namespace sluice::query {

// The engine that statements run on. A locked engine cannot be given new folders, so other options mean
// another engine; what runs on the old one ends there. So does an engine that has broken, or whose statement
// does not end. Any thread.
class EngineSlot {
 public:
  using Open = std::function<Result<std::shared_ptr<engine::Engine>>(const engine::EngineOptions& options)>;

  explicit EngineSlot(engine::EngineOptions options);
  EngineSlot(engine::EngineOptions options, Open open)
      : options_(std::move(options)), open_(std::move(open)) {}

  // Opened by the first call, which takes some milliseconds. Shared by the slot and whoever runs a statement.
  // Each engine spills to a folder of its own, beside the one of the options. Fails with the code
  // `engine_stuck` if too many broken ones are still in use: each has its threads and its memory.
  Result<std::shared_ptr<engine::Engine>> get();
  void set_folders(std::vector<std::string> folders);

 private:
  std::mutex mutex_;
  engine::EngineOptions options_;
  const Open open_;
  std::shared_ptr<engine::Engine> engine_;
  std::vector<std::weak_ptr<engine::Engine>> abandoned_;  // Broken, and perhaps still in use.
};

}  // namespace sluice::query
