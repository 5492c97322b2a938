#pragma once

#include <string>
#include <vector>

#include "sluice/config/config.h"

namespace sluice::wiring {

// One line for each thing that was looked at: what works, what does not and why.
struct CheckLine {
  bool ok = false;
  bool is_warning = false;  // It works, but probably not as it was meant.
  std::string subject;
  std::string finding;
};

// Every source but the collections: what of it works, what does not and why. It asks other servers, for a few
// seconds.
std::vector<CheckLine> check_sources(const config::Config& config);

}  // namespace sluice::wiring
