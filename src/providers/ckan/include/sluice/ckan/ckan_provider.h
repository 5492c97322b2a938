#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/catalog/provider.h"
#include "sluice/ckan/file_questions.h"
#include "sluice/ckan/portal_spec.h"

namespace sluice::ckan {

// CKAN portals: `ckan://{server}/…` resources, and tools that search and read them. Nothing is asked before
// somebody reads. With `questions` files of portals can be queried as well. Fails where the specification
// makes no sense: invalid_portal. `clock` and what the questions use must outlive the provider.
Result<std::shared_ptr<catalog::Provider>> make_ckan_provider(const CkanSpec& spec,
                                                              std::optional<FileQuestions> questions = {},
                                                              const Clock& clock = system_clock());

// Whether a specification could be served.
Status check_spec(const CkanSpec& spec);

// What asking each configured portal once gives, within a few seconds. `finding` has no secrets.
struct Probe {
  std::string portal;
  bool is_reachable = false;
  std::string finding;
};
std::vector<Probe> probe(const CkanSpec& spec);

}  // namespace sluice::ckan
