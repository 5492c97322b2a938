#pragma once

#include <memory>

#include "sluice/base/result.h"
#include "sluice/client/target.h"

#include "link.h"
#include "stdio_link.h"

namespace sluice::client {

// Streamable HTTP. Nothing is sent before the first request. Fails where the URL is none.
Result<std::unique_ptr<Link>> open_http(const Endpoint& endpoint, const LinkParts& parts);

}  // namespace sluice::client
