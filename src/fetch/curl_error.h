#pragma once

#include <curl/curl.h>

#include "sluice/base/error.h"
#include "sluice/fetch/url.h"

namespace sluice::fetch {

// What a failure of the library is to the caller.
Error error_of(CURLcode code, const Url& url);

Error timed_out(const Url& url, std::string_view what);

}  // namespace sluice::fetch
