#pragma once

#include <string_view>

#include "sluice/base/error.h"

namespace sluice::gateway {

// The same whether it never was, is gone, or belongs to somebody else.
Error unknown_artifact(std::string_view id);

}  // namespace sluice::gateway
