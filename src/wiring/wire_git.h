#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/git/git_provider.h"
#include "sluice/json/value.h"
#include "sluice/wiring/source_check.h"

namespace sluice::wiring {

// What each repository offers, or why it does not.
std::vector<CheckLine> check_repositories(const config::Config& config);

// The same for `diagnose`.
json::Object describe_repository(const git::RepositorySpec& repository);

}  // namespace sluice::wiring
