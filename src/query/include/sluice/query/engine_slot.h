#pragma once

#include <memory>
#include <mutex>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"

namespace sluice::query {

// The engine that statements run on. A locked engine cannot be given new folders, so other options mean
// another engine; what runs on the old one ends there. So does an engine that has broken. Any thread.
class EngineSlot {
 public:
  explicit EngineSlot(engine::EngineOptions options) : options_(std::move(options)) {}

  // Opened by the first call, which takes some milliseconds. Shared by the slot and whoever runs a statement.
  // Each engine spills to a folder of its own, beside the one of the options.
  Result<std::shared_ptr<engine::Engine>> get();
  void set_folders(std::vector<std::string> folders);

 private:
  std::mutex mutex_;
  engine::EngineOptions options_;
  std::shared_ptr<engine::Engine> engine_;
};

}  // namespace sluice::query
