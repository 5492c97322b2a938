#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"

namespace sluice::query {

// The engine that statements run on. A locked engine cannot be given new folders, so other options mean
// another engine; what runs on the old one ends there. An engine that has broken, or whose statement does not
// end, is replaced as well: the statement that broke it fails, those of others run on the new one. Any
// thread.
class EngineSlot {
 public:
  using Open = std::function<Result<std::shared_ptr<engine::Engine>>(const engine::EngineOptions& options)>;

  explicit EngineSlot(engine::EngineOptions options);
  EngineSlot(engine::EngineOptions options, Open open);

  // Opened by the first call, which takes some milliseconds. Shared by the slot and whoever runs a statement.
  // Each engine spills to a folder of its own, beside the one of the options. Fails with the code
  // `engine_stuck` if too many broken ones are still in use: each has its threads and its memory.
  Result<std::shared_ptr<engine::Engine>> get();
  void set_folders(std::vector<std::string> folders);

 private:
  class Engines;
  const std::shared_ptr<Engines>
      engines_;  // The engines that were given out look for their successors there.
};

}  // namespace sluice::query
