#pragma once

#include <functional>
#include <memory>

#include "sluice/base/budget.h"
#include "sluice/catalog/context.h"
#include "sluice/catalog/provider.h"
#include "sluice/json/value.h"

namespace sluice::diagnose {

// An object for each source: its name and kind, and its state or why it does not work. Any thread; it ends by
// the deadline of the context.
using DescribeSources = std::function<json::Array(const catalog::Context& context)>;

// The tool `diagnose`: the version, the limits and the state of every source.
std::shared_ptr<catalog::Provider> make_diagnose_provider(const Budget& limits, DescribeSources sources);

}  // namespace sluice::diagnose
