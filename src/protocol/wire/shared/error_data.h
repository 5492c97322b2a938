#pragma once

#include <string>

#include "sluice/base/error.h"

namespace sluice::protocol {

// The `data` of a wire error: what the error carries, with its stable code and its hint.
std::string error_data(const Error& error);

}  // namespace sluice::protocol
