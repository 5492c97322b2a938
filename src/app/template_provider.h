#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sluice/app/config.h"
#include "sluice/base/result.h"
#include "sluice/catalog/provider.h"
#include "sluice/databases/databases.h"

namespace sluice::app {

// URIs that the operator made up, each read from a database, a file, an API or any other resource.
// `providers` are those that own what templates lead to; `databases` may be null, and outlives it.
Result<std::shared_ptr<catalog::Provider>> make_template_provider(
    const std::vector<TemplateSpec>& templates, std::vector<std::shared_ptr<catalog::Provider>> providers,
    const databases::Databases* databases);

}  // namespace sluice::app
