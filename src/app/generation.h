#pragma once

#include <future>
#include <memory>

#include "sluice/app/config.h"
#include "sluice/base/result.h"
#include "sluice/catalog/generation.h"

#include "lasting.h"

namespace sluice::app {

struct Made {
  std::shared_ptr<catalog::Generation> generation;
  std::shared_future<void> ready;  // Until then not all datasets are known. Invalid: they are.
};

// All providers of a configuration, with what they stand on. `lasting` outlives them. Fails where something
// that is configured cannot be opened.
Result<Made> make_generation(const Config& config, Lasting& lasting);

}  // namespace sluice::app
