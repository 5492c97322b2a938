#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/app/config.h"
#include "sluice/app/environment.h"
#include "sluice/base/result.h"
#include "sluice/host/address.h"

namespace sluice::app {

struct ServeRequest {
  std::vector<std::string> sources;  // Folders, data files, and a configuration file (.yaml, .yml).
  std::optional<host::Address> http;
  bool stdio = false;                            // Beside HTTP; without HTTP stdio is what there is.
  std::optional<datasets::ToolProfile> profile;  // Overrides `tools.profile` of the configuration.
};

// The configuration that a command line means.
Result<Config> load_config(const std::vector<std::string>& sources, const Environment& environment);

// Serves until the input ends or a signal comes.
Status serve(const ServeRequest& request, const Environment& environment);

// One line for each thing that was looked at: what works, what does not and why.
struct CheckLine {
  bool ok = false;
  bool is_warning = false;  // It works, but probably not as it was meant.
  std::string subject;
  std::string finding;
};
struct CheckRequest {
  std::vector<std::string> sources;
  bool cards = false;        // Compare the schema cards beside the files with the data,
  bool write_cards = false;  // and write those that are missing or differ.
};
std::vector<CheckLine> check(const CheckRequest& request, const Environment& environment);

}  // namespace sluice::app
