#pragma once

#include <memory>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/base/uri_template.h"
#include "sluice/catalog/context.h"
#include "sluice/catalog/provider.h"

namespace sluice::app {

// Values for a variable of a template that leads to `target`: what the owner of the target completes at that
// place. Nothing where it completes nothing there.
Result<protocol::Completion> complete_target(const UriTemplate& target,
                                             const std::vector<std::shared_ptr<catalog::Provider>>& providers,
                                             const protocol::CompletionRequest& request,
                                             catalog::Context& context);

}  // namespace sluice::app
