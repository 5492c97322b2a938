#pragma once

#include <string>

#include "sluice/base/clock.h"
#include "sluice/base/error.h"
#include "sluice/fetch/message.h"

namespace sluice::apis {

// What a request that failed is to the caller: without a URL, and with the code of what happened. The log has
// the rest.
Error request_failed(const Error& cause, const std::string& api);

// The same for a status that is no success, and not 404 or 410.
Error api_answered(const fetch::Head& head, const std::string& api, WallTime now);

}  // namespace sluice::apis
