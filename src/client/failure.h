#pragma once

#include <string_view>

#include "sluice/base/error.h"

#include "link.h"

namespace sluice::client {

// The error of a call that was answered with one, or with an HTTP status that is none of ours.
Error failure_of(std::string_view method, const Reply& reply);

// A result that is not what its method promises.
Error invalid_result(std::string_view method, const Error& why);

// A reply that could not be read at all.
Error unreadable_reply(const Error& why);

}  // namespace sluice::client
