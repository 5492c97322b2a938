#pragma once

#include "sluice/base/result.h"
#include "sluice/base/uri_template.h"
#include "sluice/catalog/context.h"
#include "sluice/catalog/provider.h"
#include "sluice/templates/observed_provider.h"

namespace sluice::templates {

// Values for a variable of a template that leads to `target`: what the owner of the target completes at that
// place. Nothing where it completes nothing there.
Result<protocol::Completion> complete_target(const UriTemplate& target, const Providers& providers,
                                             const protocol::CompletionRequest& request,
                                             catalog::Context& context);

}  // namespace sluice::templates
