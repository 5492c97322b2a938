#pragma once

#include <string_view>

#include "sluice/base/result.h"
#include "sluice/fetch/message.h"

namespace sluice::fetch {

// Refuses what would break out of its line or contradict what is sent: invalid_header.
Status check_headers(const Request& request);

// Those of the request, its credentials where the URL is of their origin, and what every request has.
Headers headers_to_send(const Request& request);

// Those that say nothing about who is asking: what another origin may get.
Headers headers_for_anyone(const Headers& headers);

void erase_header(Headers& headers, std::string_view name);

}  // namespace sluice::fetch
