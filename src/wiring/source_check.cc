#include "sluice/wiring/source_check.h"

#include <utility>

#include "source_kind.h"

namespace sluice::wiring {

std::vector<CheckLine> check_sources(const config::Config& config) {
  std::vector<CheckLine> lines;
  for (const SourceKind& kind : source_kinds()) {
    for (CheckLine& line : kind.check(config)) lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace sluice::wiring
