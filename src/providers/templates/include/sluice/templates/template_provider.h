#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/catalog/provider.h"
#include "sluice/databases/databases.h"
#include "sluice/templates/observed_provider.h"
#include "sluice/templates/template_spec.h"

namespace sluice::templates {

// URIs that the operator made up, each read from a database, a file, an API or any other resource.
// `providers` own what templates lead to, and tell of changes there; `databases` may be null, and outlives
// it. `tap` observes them: what is to be attached instead of a provider is put in its place.
Result<std::shared_ptr<catalog::Provider>> make_template_provider(const std::vector<TemplateSpec>& templates,
                                                                  Providers& providers,
                                                                  const databases::Databases* databases,
                                                                  UpdateTap& tap);

}  // namespace sluice::templates
