#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "sluice/base/clock.h"
#include "sluice/gateway/artifact_store.h"
#include "sluice/gateway/config.h"
#include "sluice/gateway/offer_config.h"
#include "sluice/gateway/tool_pins.h"

namespace sluice::gateway {

// How one upstream is used.
struct NodeConfig {
  std::string name;  // The namespace of what it offers; see namespace_of.
  ArtifactExtractionConfig artifact_extraction;
  ResourceCacheConfig cache;
  std::chrono::milliseconds timeout{30'000};
  std::size_t max_concurrency = 10;  // Concurrent calls. Up to four times as many may queue.
  std::size_t attempts = 3;          // Of what only reads, if the upstream is busy or its connection breaks.
  bool relay_questions = true;       // What the upstream asks goes to the caller.
  OfferConfig offer;                 // What of it is offered.
};

struct NodeDependencies {
  std::shared_ptr<ArtifactStore> artifacts;  // Shared with the other upstreams.
  std::shared_ptr<ToolPins> pins;            // Null: definitions may change. Shared likewise.
  const Clock* clock = &system_clock();      // Must outlive the node.
};

}  // namespace sluice::gateway
