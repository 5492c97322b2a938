#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/config/config.h"
#include "sluice/config/environment.h"

namespace sluice::config {

// The text of a configuration file. Links are followed; pipes and devices are refused, and never waited for.
Result<std::string> read_config_file(const std::string& path);

// All that a configuration is made of: its file, and the files of other hosts and of secrets that it names.
struct ConfigTexts {
  std::string text;
  std::vector<std::string> beside;

  friend bool operator==(const ConfigTexts&, const ConfigTexts&) = default;
};

// What the files hold now, or why they cannot be read: only to be compared.
std::vector<std::string> read_beside(const std::vector<std::string>& paths);

// The configuration file among the sources of a command line.
std::optional<std::string> config_file_of(const std::vector<std::string>& sources);

// What `load_config` gives, with `text` in the place of what the configuration file holds.
Result<Config> config_with_text(const std::vector<std::string>& sources, const std::string& text,
                                const Environment& environment);

// The configuration that a command line means.
Result<Config> load_config(const std::vector<std::string>& sources, const Environment& environment);

// Paths of the files that a configuration names: those of `upstreams_file`, and of secrets of `server` and
// `auth`. Nothing where it cannot be told.
std::vector<std::string> files_beside(const std::string& text, const std::string& name,
                                      const Environment& environment);

}  // namespace sluice::config
