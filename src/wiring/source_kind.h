#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/catalog/provider.h"
#include "sluice/config/config.h"
#include "sluice/json/value.h"
#include "sluice/wiring/source_check.h"

namespace sluice::wiring {

using Providers = std::vector<std::shared_ptr<catalog::Provider>>;  // Shared with running requests.

// A section of the configuration that names sources.
struct SourceKind {
  // For `sluice check`: a line for each source, whether it works or why it does not.
  std::vector<CheckLine> (*check)(const config::Config& config);
  // Adds the provider of the configured sources; nothing if there are none. Null: the provider needs more
  // than the configuration, and generation.cc makes it.
  Status (*add)(const config::Config& config, Providers& providers) = nullptr;
  // For the tool `diagnose`: an object for each source, with its state or why it does not work. Null: what
  // has to be asked is part of a generation, see source_reports.cc.
  json::Array (*describe)(const config::Config& config) = nullptr;
};

// All kinds but collections, in the order of the lines of `sluice check`.
std::span<const SourceKind> source_kinds();

}  // namespace sluice::wiring
