#pragma once

#include <functional>
#include <optional>
#include <string>

namespace sluice::config {

// Looks a variable up in the environment. Passed in, so that tests have their own.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

}  // namespace sluice::config
