#pragma once

#include <future>
#include <memory>

#include "sluice/base/result.h"
#include "sluice/catalog/generation.h"
#include "sluice/config/config.h"
#include "sluice/exports/source.h"
#include "sluice/wiring/process_state.h"

namespace sluice::wiring {

struct NewGeneration {
  std::shared_ptr<catalog::Generation> generation;
  std::shared_ptr<const exports::RowSource> source;  // Shared with requests. Null: there are no datasets.
  std::shared_future<void> ready;  // Until then not all datasets are known. Invalid: they are.
};

// All providers of a configuration, with what they stand on. `process_state` outlives them. Fails where
// something that is configured cannot be opened.
Result<NewGeneration> make_generation(const config::Config& config, ProcessState& process_state);

}  // namespace sluice::wiring
