#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sluice/app/config.h"
#include "sluice/app/environment.h"
#include "sluice/base/result.h"

namespace sluice::app {

// The text of a configuration file. Links are followed; pipes and devices are refused, and never waited for.
Result<std::string> read_config_file(const std::string& path);

// The configuration file among the sources of a command line.
std::optional<std::string> config_file_of(const std::vector<std::string>& sources);

// What `load_config` gives, with `text` in the place of what the configuration file holds.
Result<Config> config_with_text(const std::vector<std::string>& sources, const std::string& text,
                                const Environment& environment);

}  // namespace sluice::app
