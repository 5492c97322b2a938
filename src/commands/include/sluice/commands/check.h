#pragma once

#include <string>
#include <vector>

#include "sluice/config/environment.h"
#include "sluice/wiring/source_check.h"

namespace sluice::commands {

struct CheckRequest {
  std::vector<std::string> sources;
  bool cards = false;        // Compare the schema cards beside the files with the data,
  bool write_cards = false;  // and write those that are missing or differ.
};
std::vector<wiring::CheckLine> check(const CheckRequest& request, const config::Environment& environment);

}  // namespace sluice::commands
