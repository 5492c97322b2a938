#include "sluice/wiring/source_check.h"

#include <array>
#include <utility>

#include "sluice/wiring/wire_upstreams.h"

#include "template_check.h"
#include "wire_apis.h"
#include "wire_ckan.h"
#include "wire_databases.h"
#include "wire_docs.h"
#include "wire_files.h"
#include "wire_git.h"
#include "wire_records.h"

namespace sluice::wiring {

std::vector<CheckLine> check_sources(const config::Config& config) {
  constexpr std::array kChecks{check_records,   check_files,     check_docs,
                               check_databases, check_templates, check_repositories,
                               check_apis,      check_upstreams, check_portals};
  std::vector<CheckLine> lines;
  for (const auto check : kChecks) {
    for (CheckLine& line : check(config)) lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace sluice::wiring
