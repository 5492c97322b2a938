#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/git/git_provider.h"
#include "sluice/json/value.h"

#include "source_kind.h"

namespace sluice::wiring {

// What each repository offers, or why it does not.
std::vector<CheckLine> check_repositories(const config::Config& config);

Status add_repositories(const config::Config& config, Providers& providers);
json::Array describe_repositories(const config::Config& config);

}  // namespace sluice::wiring
